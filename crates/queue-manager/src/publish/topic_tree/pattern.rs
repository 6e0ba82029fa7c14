//! A subscription's topic string: which topic strings it matches.
//!
//! Two wildcard schemes. TOPIC: a level that is `#` stands for any number of levels, none included; one that is `+` for
//! exactly one; among other characters both are ordinary. CHAR: `*` stands for any characters, `?` for one, both across
//! levels; `%` before `*`, `?` or `%` makes it ordinary.
//!
//! Matching takes time proportional to the product of the lengths of pattern and topic, for all wildcards.

use model::reason::Reason;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The levels before the first wildcard, without the `/` behind them.
    stem: Box<str>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// Nothing to match: this very string.
    Literal,
    Topic(Vec<Level>),
    Character(Vec<Character>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Level {
    Literal(Box<str>),
    One,
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Character {
    Literal(char),
    One,
    Any,
}

impl Pattern {
    /// # Errors
    /// `TopicStringError` (2425): a `%` of the CHAR scheme that escapes nothing.
    pub(crate) fn parse(topic: &str, wildcard_topic: bool) -> Result<Self, Reason> {
        if wildcard_topic { Ok(Self::by_level(topic)) } else { Self::by_character(topic) }
    }

    fn by_level(topic: &str) -> Self {
        let Some(first) = topic.split('/').position(|level| matches!(level, "#" | "+")) else {
            return Self { stem: topic.into(), kind: Kind::Literal };
        };
        let mut levels: Vec<Level> = topic
            .split('/')
            .map(|level| match level {
                "#" => Level::Any,
                "+" => Level::One,
                literal => Level::Literal(literal.into()),
            })
            .collect();
        levels.dedup_by(|one, two| *one == Level::Any && *two == Level::Any);
        let stem: Vec<&str> = topic.split('/').take(first).collect();
        Self { stem: stem.join("/").into(), kind: Kind::Topic(levels) }
    }

    fn by_character(topic: &str) -> Result<Self, Reason> {
        let mut characters = Vec::with_capacity(topic.len());
        let mut rest = topic.chars();
        while let Some(character) = rest.next() {
            characters.push(match character {
                '*' => Character::Any,
                '?' => Character::One,
                '%' => match rest.next() {
                    Some(escaped @ ('*' | '?' | '%')) => Character::Literal(escaped),
                    _ => return Err(Reason::TopicStringError),
                },
                literal => Character::Literal(literal),
            });
        }
        characters.dedup_by(|one, two| *one == Character::Any && *two == Character::Any);
        let literal: String = characters
            .iter()
            .map_while(|character| match character {
                Character::Literal(literal) => Some(*literal),
                Character::One | Character::Any => None,
            })
            .collect();
        if literal.chars().count() == characters.len() {
            return Ok(Self { stem: literal.into(), kind: Kind::Literal });
        }
        // A wildcard may stand for the rest of its level, so the stem ends at the level before.
        let stem = literal.rsplit_once('/').map_or("", |(levels, _)| levels);
        Ok(Self { stem: stem.into(), kind: Kind::Character(characters) })
    }

    /// The one topic string it matches, when it has no wildcard.
    pub(crate) fn literal(&self) -> Option<&str> {
        (self.kind == Kind::Literal).then_some(&*self.stem)
    }

    /// What each matching topic string begins with: all of it, or followed by `/`.
    pub(crate) fn stem(&self) -> &str {
        &self.stem
    }

    pub(crate) fn matches(&self, topic: &str) -> bool {
        match &self.kind {
            Kind::Literal => *self.stem == *topic,
            Kind::Topic(levels) => {
                let topic: Vec<&str> = topic.split('/').collect();
                matches(levels, &topic, &Level::Any, |level, found| match level {
                    Level::Literal(literal) => **literal == **found,
                    Level::One | Level::Any => true,
                })
            }
            Kind::Character(characters) => {
                let topic: Vec<char> = topic.chars().collect();
                matches(characters, &topic, &Character::Any, |character, found| match character {
                    Character::Literal(literal) => literal == found,
                    Character::One | Character::Any => true,
                })
            }
        }
    }
}

/// Whether `pattern` covers all of `found`, `any` standing for any number of elements. Goes back to the latest `any`
/// only: what an earlier one took more could be taken by the latest as well.
fn matches<P: PartialEq, F>(pattern: &[P], found: &[F], any: &P, is_match: impl Fn(&P, &F) -> bool) -> bool {
    let (mut p, mut f) = (0, 0);
    let mut latest: Option<(usize, usize)> = None;
    while f < found.len() {
        if pattern.get(p) == Some(any) {
            latest = Some((p, f));
            p += 1;
        } else if pattern.get(p).is_some_and(|wanted| is_match(wanted, &found[f])) {
            p += 1;
            f += 1;
        } else if let Some((at, taken)) = latest {
            latest = Some((at, taken + 1));
            (p, f) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|wanted| wanted == any)
}
