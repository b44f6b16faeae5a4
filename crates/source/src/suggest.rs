//! «Did you mean …?»

/// The candidate closest to `name`, if one is close enough to be a slip of the finger: one edit for names of up to two
/// letters, two for longer ones. Ties go to the first candidate.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = if name.chars().count() <= 2 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = edit_distance(name, candidate, limit);
        if distance <= limit && distance > 0 && best.is_none_or(|(known, _)| distance < known) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap of neighbours) from `a` to `b`; anything above `limit` is reported as `limit + 1`.
fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                cost = cost.min(at(&before_last, j - 1) + 1);
            }
            row.push(cost);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn finds_a_near_name_and_nothing_far() {
        let names = ["user", "users", "total"];
        assert_eq!(did_you_mean("usr", names), Some("user"));
        assert_eq!(did_you_mean("tota1", names), Some("total"));
        assert_eq!(did_you_mean("toatl", names), Some("total"));
        assert_eq!(did_you_mean("elephant", names), None);
    }

    #[test]
    fn short_names_allow_one_edit() {
        assert_eq!(did_you_mean("ab", ["xy"]), None);
        assert_eq!(did_you_mean("ab", ["ax"]), Some("ax"));
    }
}
