//! Numbers that programs count through, in each language.

use super::tests::show;

fn check(table: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .map(|(language, code, does)| (code, does, show(language, code, &[])))
        .filter(|(_, does, found)| found != *does)
        .map(|(code, does, found)| format!("{code}\n   wanted: {does}\n   found:  {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_loop_counts_through_each_of_its_numbers() {
    check(&[
        ("python", "import os\nfor i in range(3): os.remove(f'f{i}')", "rm f0 | f1 | f2"),
        ("python", "import os\nfor i in range(3, 0, -1): os.remove(f'f{i}')", "rm f3 | f2 | f1"),
        ("python", "import os\nfor i in range(0): os.remove(f'f{i}')", ""),
        ("python", "import os\nfor i in range(1): os.remove(f'f{i}')", "rm f0"),
        ("node", "for (let i = 1; i < 3; i++) fs.unlinkSync('f' + i)", "rm f1 | f2 | f3"),
        ("node", "for (let i = 3; i > 1; --i) { fs.unlinkSync(`f${i}`) }", "rm f1 | f2 | f3"),
        ("php", "for ($i = 1; $i < 3; $i++) unlink(\"f$i\");", "rm f1 | f2 | f3"),
        ("perl", "for (my $i = 1; $i < 3; $i++) { unlink \"f$i\" }", "rm f1 | f2 | f3"),
        ("perl", "unlink \"f$_\" for 1..2;", "rm f1 | f2"),
        ("ruby", "(1..2).each { |i| File.delete(\"f#{i}\") }", "rm f1 | f2"),
        ("ruby", "2.times { |i| File.delete(\"f#{i}\") }", "rm f0 | f1"),
    ]);
}

#[test]
fn what_only_grows_is_some_number() {
    check(&[
        ("python", "import os\nfor i in range(900): os.remove(f'f{i}')", "rm glob:f[0-9]*"),
        ("python", "import os\nfor i in range(len(x)): os.remove(f'f{i}')", "rm glob:f[0-9]*"),
        ("python", "import os\nfor i in range(900): os.remove(f'a[1]{i:03d}')", "rm glob:a\\[1\\][0-9]*"),
        ("python", "import os\nfor i in range(900): os.remove(f'f{i + 1}')", "rm glob:f[0-9]*"),
        ("node", "for (let i = 0; i < n; i++) fs.unlinkSync('f' + i)", "rm glob:f[0-9]*"),
        ("node", "for (let i = 0; i >= 0; i++) { fs.unlinkSync('f' + i) }", "rm glob:f[0-9]*"),
        ("node", "for (let i = 0; i != 9; i++) { fs.unlinkSync('f' + i) }", "rm glob:f[0-9]*"),
    ]);
}

#[test]
fn a_loop_that_goes_on_in_another_way_is_not_told() {
    check(&[
        ("node", "for (let i = 5; i != n; i--) { fs.unlinkSync('f' + i) }", "rm f5; rm f…"),
        ("node", "for (let i = 5; i < 9; i++) { i = g(); fs.unlinkSync('f' + i) }", "rm f…"),
    ]);
}

#[test]
fn what_is_counted_is_another_number_then() {
    check(&[
        ("node", "let i = 1; i++; fs.unlinkSync('f' + i)", "rm f2"),
        ("node", "let i = 1; fs.unlinkSync('f' + i++); fs.unlinkSync('f' + i)", "rm f1; rm f2"),
        ("php", "$i = 3; $i--; unlink(\"f$i\");", "rm f2"),
        ("perl", "my $i = 1; ++$i; unlink \"f$i\";", "rm f2"),
    ]);
}

/// A sign does not tell in every language whether texts are joined, and a format changes how a number is written.
#[test]
fn a_sum_and_a_format_are_no_mere_text() {
    check(&[
        ("python", "import os\ni = 1; j = 2\nos.remove(f'f{i + j}')", "rm f3 | f12"),
        ("python", "import os\ni = 7\nos.remove(f'f{i * 2}')", "rm f14 | f77"),
        ("python", "import os\ni = 1\nos.remove(f'f{i:03d}')", "rm f001"),
        ("python", "import os\ni = 1\nos.remove('f%03d' % i)", "rm f001"),
        ("python", "import os\ni = 1\nos.remove('f{:02d}'.format(i))", "rm f01"),
        ("python", "import os\nx = 'a'\nos.remove(f'{x!r}')", "rm …"),
        ("python", "import os\nx = 'a'\nos.remove(f'{x:>5}')", "rm …"),
        ("node", "let i = 1; fs.unlinkSync('f' + String(i).padStart(2, '0'))", "rm f01"),
    ]);
}
