//! The name that was probably meant where one is not known.

/// The only name that differs so little that it was probably meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = match name.chars().count() {
        0..=2 => 1,
        3..=6 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .map(|other| (distance(name, other), other))
        .filter(|(far, other)| *far <= most && *far < other.chars().count())
        .min_by_key(|(far, _)| *far)
        .map(|(_, other)| other)
}

/// `; did you mean …?`, or nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
}

/// How many letters are missing, too many, wrong or swapped with their neighbour.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let left = row.last().copied().unwrap_or(0);
            let mut cost = (last[j] + usize::from(x != y)).min(left + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = last;
        last = row;
    }
    last.last().copied().unwrap_or(0)
}
