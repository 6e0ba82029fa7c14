//! The pattern of LIKE: `_` stands for one character, `%` for any number of them, others for themselves.

/// A pattern, ready to be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Exactly(char),
    One,
    Any,
}

impl Pattern {
    /// `None` when the pattern ends with its escape character.
    pub(super) fn new(pattern: &str, escape: Option<char>) -> Option<Self> {
        let mut pieces = Vec::new();
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            let piece = match character {
                character if Some(character) == escape => Piece::Exactly(characters.next()?),
                '_' => Piece::One,
                '%' => Piece::Any,
                other => Piece::Exactly(other),
            };
            if piece != Piece::Any || pieces.last() != Some(&Piece::Any) {
                pieces.push(piece);
            }
        }
        Some(Self { pieces })
    }

    /// Goes back only to the last `%`, so that the work is bounded by pattern times text.
    pub(super) fn matches(&self, text: &str) -> bool {
        let (mut piece, mut rest) = (0, text.chars());
        // Behind the last '%', and the text from where it was tried last.
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let before = rest.clone();
            match (self.pieces.get(piece), rest.next()) {
                (Some(Piece::Any), _) => {
                    piece += 1;
                    if piece == self.pieces.len() {
                        return true;
                    }
                    rest = before.clone();
                    retry = Some((piece, before));
                    continue;
                }
                (Some(Piece::One), Some(_)) => {
                    piece += 1;
                    continue;
                }
                (Some(Piece::Exactly(wanted)), Some(found)) if *wanted == found => {
                    piece += 1;
                    continue;
                }
                (None, None) => return true,
                _ => {}
            }
            let Some((behind, tried)) = &mut retry else { return false };
            if tried.next().is_none() {
                return false;
            }
            piece = *behind;
            rest = tried.clone();
        }
    }
}
