//! Names with `*`: how specific channel profiles and queue managers' names are.

use model::pattern::matches;

/// How specific a pattern is. Larger is more specific: a name without `*`, then the one that says more before its first
/// `*`, then the one that says more altogether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    is_literal: bool,
    before_first_star: usize,
    characters: usize,
}

impl Rank {
    pub(super) const fn literal_characters(self) -> usize {
        self.characters
    }
}

pub(super) fn match_rank(pattern: &str, name: &str) -> Option<Rank> {
    matches(pattern, name).then(|| Rank {
        is_literal: !pattern.contains('*'),
        before_first_star: pattern.find('*').unwrap_or(pattern.len()),
        characters: pattern.len() - pattern.matches('*').count(),
    })
}

/// Is there a name that both patterns match?
pub fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    // `reached[i][j]`: what stands before i and before j can mean the same characters.
    let mut reached = vec![vec![false; b.len() + 1]; a.len() + 1];
    reached[0][0] = true;
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if !reached[i][j] {
                continue;
            }
            let (left, right) = (a.get(i), b.get(j));
            let is_star = left == Some(&b'*') || right == Some(&b'*');
            if is_star && left.is_some() {
                reached[i + 1][j] = true;
            }
            if is_star && right.is_some() {
                reached[i][j + 1] = true;
            }
            if left.is_some() && left == right {
                reached[i + 1][j + 1] = true;
            }
        }
    }
    reached[a.len()][b.len()]
}
