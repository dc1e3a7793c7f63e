//! For every way to combine lists, a loop that deletes what comes out of it deletes all that went in, or something unknown.

use crate::code::analyse;
use crate::code::effect::{CodeEffect, matched};
use crate::model::Value;

/// Whether an effect may take this file away.
fn covers(effect: &CodeEffect, file: &str) -> bool {
    let may = |value: &Value| match value.choices() {
        Some(list) => list.iter().any(|one| one.trim_start_matches("./") == file),
        None => {
            let (prefix, suffix) = (value.prefix(), value.suffix());
            file.starts_with(prefix.trim_start_matches("./")) && file.ends_with(&suffix)
        }
    };
    match effect {
        CodeEffect::Delete { path, glob: true, .. } => may(&matched(path)),
        CodeEffect::Delete { path, .. } => may(path),
        CodeEffect::Unknown { .. } => true,
        _ => false,
    }
}

fn all_go(language: &str, before: &str, forms: &[&str], loops: &[&str]) {
    let mut wrong = Vec::new();
    for form in forms {
        for text in loops {
            let text = format!("{before}\n{}", text.replace("FORM", form));
            let effects = analyse(language, &text, &[]);
            for file in ["a.log", "b.log"] {
                if !effects.iter().any(|effect| covers(effect, file)) {
                    wrong.push(format!("{file} stays: {text}\n  {effects:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{language}:\n{}", wrong.join("\n"));
}

#[test]
fn python() {
    let before = "import os,glob,itertools,functools,operator\nfrom pathlib import Path\na=['a.log']\nb=['b.log']\n\
                  g=glob.glob('a*.log')\nh=glob.glob('b*.log')\nd={'k':'a.log'}\ne={'l':'b.log'}";
    let forms = [
        "a+b",
        "g+h",
        "g+b",
        "a+h",
        "[*a,*b]",
        "[*g,*h]",
        "{*g,*h}",
        "set(g)|set(h)",
        "set(a).union(b)",
        "a.__add__(b)",
        "itertools.chain(g,h)",
        "itertools.chain.from_iterable([g,h])",
        "sorted(g+h)",
        "reversed(a+b)",
        "(a+b)*2",
        "(a or [])+(b or [])",
        "[f for f in g+h]",
        "[f for l in (g,h) for f in l]",
        "{f:1 for f in a+b}",
        "list(d.values())+list(e.values())",
        "{**d,**e}.values()",
        "(d|e).values()",
        "map(str,g+h)",
        "filter(None,a+b)",
        "functools.reduce(operator.add,[g,h])",
        "sum([a,b],[])",
        "list(dict.fromkeys(g+h))",
        "(lambda *x:x)(*g,*h)",
        "' '.join(a+b).split()",
        "['x','a.log','b.log'][1:]",
        "(a,b)[0]+(a,b)[1]",
        "[x for _,x in enumerate(g+h)]",
        "[f'{n}.log' for n in 'ab']",
        "set(os.listdir('.'))-{'notes.txt'}",
        "Path('.').iterdir()",
        "[os.path.abspath(x) for x in g+h]",
        "open('list').read().split()",
        "{'x':a,'y':b}['x']+{'x':a,'y':b}['y']",
        "sum({'x':a,'y':b}.values(),[])",
        "nobody.knows(a,b)",
        "nobody.knows()",
    ];
    let loops = [
        "for f in FORM: os.remove(f)",
        "[os.unlink(f) for f in FORM]",
        "x=FORM\nfor f in x: Path(f).unlink()",
    ];
    all_go("python", before, &forms, &loops);
    let whole = [
        "x=[]\nx+=g\nx+=h\nfor f in x: os.remove(f)",
        "x=glob.glob('a*')\nx.append('b.log')\nfor f in x: os.remove(f)",
        "x=[]\nx.insert(0,'a.log');x.extend(h)\nfor f in x: os.remove(f)",
        "x=[]\ndef add(p): x.append(p)\nadd('a.log');add('b.log')\nfor f in x: os.remove(f)",
        "def add(x,p): x.append(p)\ny=[]\nadd(y,'a.log');add(y,'b.log')\nfor f in y: os.remove(f)",
        "x=[];y=x\ny.append('a.log');y.append('b.log')\nfor f in x: os.remove(f)",
        "x={}\nx['i']='a.log';x['j']='b.log'\nfor f in x.values(): os.remove(f)",
        "x={}\nx.update(d);x.update(e)\nfor k in x: os.remove(x[k])",
        "x={'y':[]}\nfor f in g+h: x['y'].append(f)\nfor f in x['y']: os.remove(f)",
        "x,y=[],[]\nfor f in g+h: (y if f=='z' else x).append(f)\nfor f in x: os.remove(f)",
        "x=[]\nadd=x.append\nadd('a.log');add('b.log')\nfor f in x: os.remove(f)",
        "x=[]\ndef fill():\n  global x\n  x=g+h\nfill()\nfor f in x: os.remove(f)",
        "def gen():\n  yield 'a.log'\n  yield from h\nfor f in gen(): os.remove(f)",
        "x=a+b\ni=0\nwhile i<2:\n  os.remove(x[i])\n  i+=1",
        "def go(): [os.remove(f) for f in g+h]\n{'go':go}[input()]()",
        "def go(): [os.remove(f) for f in g+h]\nglobals()['g'+'o']()",
        "t=[]\ndef task(f): t.append(f)\n@task\ndef go(): [os.remove(f) for f in g+h]\nfor r in t: r()",
        "try:\n  raise ValueError\nexcept ValueError:\n  for f in g+h: os.remove(f)",
        "def rm(*x):\n  for f in x: os.remove(f)\nrm('a.log','b.log')",
        "def walk(d,out=[]):\n  for e in os.listdir(d): out.append(e)\n  return out\nfor f in walk('.'): os.remove(f)",
    ];
    all_go("python", before, &whole, &["FORM"]);
}

#[test]
fn node() {
    let before = "const fs=require('fs'),path=require('path');const a=['a.log'],b=['b.log'];const o={k:'a.log'},p={l:'b.log'};\
                  const g=fs.readdirSync('.').filter(f=>f.startsWith('a.')),h=fs.readdirSync('.').filter(f=>/^b/.test(f));";
    let forms = [
        "a.concat(b)",
        "[].concat(g,h)",
        "[...a,...b]",
        "[...new Set([...g,...h])]",
        "Object.values({...o,...p})",
        "Object.values(Object.assign({},o,p))",
        "[a,b].flat()",
        "[g,h].flatMap(x=>x)",
        "true?a.concat(b):[]",
        "[g,h].reduce((x,y)=>x.concat(y),[])",
        "Array.from({length:2},(_,i)=>['a','b'][i]+'.log')",
        "[...'ab'].map(c=>c+'.log')",
        "((...x)=>x)(...a,...b)",
        "(function*(){yield 'a.log';yield 'b.log'})()",
        "Object.entries({...o,...p}).map(([k,v])=>v)",
        "['x','a.log','b.log'].slice(1)",
        "nobody(a,b)",
    ];
    all_go(
        "node",
        before,
        &forms,
        &["for (const f of FORM) fs.unlinkSync(f)", "[...FORM].forEach(f=>fs.unlinkSync(f))"],
    );
    let whole = [
        "const x=[];['a.log','b.log'].forEach(f=>x.push(f));x.forEach(f=>fs.unlinkSync(f))",
        "const x=[];function w(){for(const f of ['a.log','b.log'])x.push(f)}w();for(const f of x)fs.unlinkSync(f)",
        "const x={};x.i='a.log';x['j']='b.log';for(const k in x)fs.unlinkSync(x[k])",
        "let x=[];(()=>{x=['a.log','b.log']})();for(const f of x)fs.unlinkSync(f)",
        "const x=[],y=x;y.push('a.log','b.log');for(const f of x)fs.unlinkSync(f)",
        "const c={rm:()=>['a.log','b.log'].forEach(f=>fs.unlinkSync(f))};c[process.argv[2]]()",
        "fs.readdir('.',(e,x)=>x.forEach(f=>fs.unlink(f,()=>{})))",
        "try{throw 1}catch(e){for(const f of ['a.log','b.log'])fs.unlinkSync(f)}",
    ];
    all_go("node", before, &whole, &["FORM"]);
}

#[test]
fn ruby_perl_and_php() {
    let before = "a=['a.log'];b=['b.log'];g=Dir['a*.log'];h=Dir.glob('b*.log')";
    let forms = [
        "a+b",
        "g+h",
        "a|b",
        "g.concat(h)",
        "[*g,*h]",
        "[g,h].flatten",
        "g.dup.push(*h)",
        "g.union(h)",
        "a.zip(b).flatten",
        "[g,h].reduce(:+)",
        "(g+h).sort_by { |f| f }",
        "Array(g)+Array(h)",
        "Dir.glob(['a*.log','b*.log'])",
        "nobody(a, b)",
    ];
    all_go("ruby", before, &forms, &["(FORM).each { |f| File.delete(f) }", "x=FORM\nFileUtils.rm(x)"]);
    let whole = [
        "x=[]\nx << 'a.log' << 'b.log'\nx.each { |f| File.delete(f) }",
        "x=[]\n(g+h).each { |f| x << f }\nx.each { |f| File.delete(f) }",
        "x={}\nx[:i]='a.log';x[:j]='b.log'\nx.each { |k,v| File.delete(v) }",
        "def w\n  yield 'a.log'\n  yield 'b.log'\nend\nw { |f| File.delete(f) }",
        "begin\n  raise 'x'\nrescue\n  (a+b).each { |f| File.delete(f) }\nend",
        "def w\n  1\nensure\n  ['a.log','b.log'].each { |f| File.delete(f) }\nend\nw",
    ];
    all_go("ruby", before, &whole, &["FORM"]);
    let before =
        "my @a=('a.log');my @b=('b.log');my @g=glob('a*.log');my @h=<b*.log>;my %o=(k=>'a.log',l=>'b.log');";
    let forms = [
        "@a,@b",
        "@g,@h",
        "sort(@g,@h)",
        "reverse(@g,@h)",
        "glob('a*.log b*.log')",
        "map { $_ } @a,@b",
        "values %o",
    ];
    let loops = [
        "for my $f (FORM) { unlink $f }",
        "my @x=(); push @x, FORM; unlink @x;",
        "my @x=(FORM); while (my $f=shift @x) { unlink $f }",
    ];
    all_go("perl", before, &forms, &loops);
    let before = "$a=['a.log'];$b=['b.log'];$g=glob('a*.log');$h=glob('b*.log');";
    let forms =
        ["array_merge($a,$b)", "array_merge($g,$h)", "[...$g,...$h]", "array_filter(array_merge($g,$h))"];
    all_go("php", before, &forms, &["foreach (FORM as $f) { unlink($f); }", "array_map('unlink', FORM);"]);
}
