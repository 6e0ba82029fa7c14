//! Templates of paths: `/applications/{customer}/state`.

use std::fmt;

use super::decoded;

/// Longest template, in bytes.
const MAXIMUM: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// As it was written. It is compared decoded: clients encode what does not be in URLs.
    Fixed(String),
    Parameter(String),
}

impl Template {
    /// # Errors
    /// It does not begin with a slash, or a brace stands where none can.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no path such as /applications/{{customer}}");
        let rest = text.strip_prefix('/').filter(|_| text.len() <= MAXIMUM).ok_or_else(wrong)?;
        let mut parts = Vec::new();
        // The path `/` alone has no parts.
        for part in rest.split('/').filter(|_| !rest.is_empty()) {
            parts.push(match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(name) if !name.is_empty() && !name.contains(['{', '}']) => Part::Parameter(name.to_owned()),
                None if !part.is_empty() && !part.contains(['{', '}', '?', '#']) => Part::Fixed(part.to_owned()),
                _ => return Err(wrong()),
            });
        }
        let names: Vec<&str> = names(&parts).collect();
        match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            Some((_, name)) => Err(format!("'{text}' has the parameter {name} twice")),
            None => Ok(Self(parts)),
        }
    }

    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        names(&self.0)
    }

    /// The values of the parameters, still encoded; one slash at the end does not count.
    pub(super) fn matches<'a, 'p>(&'a self, path: &'p str) -> Option<Vec<(&'a str, &'p str)>> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut parts = path.split('/').skip(1);
        let mut values = Vec::new();
        for part in &self.0 {
            let given = parts.next()?;
            match part {
                Part::Fixed(fixed) if is_same(fixed, given) => {}
                Part::Parameter(name) if !given.is_empty() => values.push((name.as_str(), given)),
                Part::Fixed(_) | Part::Parameter(_) => return None,
            }
        }
        parts.next().is_none().then_some(values)
    }

    /// Where its parameters stand: an order in which fixed parts come before parameters.
    pub(super) fn openness(&self) -> Vec<bool> {
        self.0.iter().map(|part| matches!(part, Part::Parameter(_))).collect()
    }

    /// Would both match the same paths?
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let same = |(one, other): (&Part, &Part)| match (one, other) {
            (Part::Fixed(one), Part::Fixed(other)) => is_same(one, other),
            (Part::Parameter(_), Part::Parameter(_)) => true,
            (Part::Fixed(_), Part::Parameter(_)) | (Part::Parameter(_), Part::Fixed(_)) => false,
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

/// Whether two parts are the same once they are decoded.
fn is_same(one: &str, other: &str) -> bool {
    let is_encoded = |part: &str| part.contains('%');
    one == other
        || (is_encoded(one) || is_encoded(other)) && decoded(one).is_some_and(|one| decoded(other) == Some(one))
}

fn names(parts: &[Part]) -> impl Iterator<Item = &str> {
    parts.iter().filter_map(|part| match part {
        Part::Parameter(name) => Some(name.as_str()),
        Part::Fixed(_) => None,
    })
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("/");
        }
        for part in &self.0 {
            match part {
                Part::Fixed(fixed) => write!(f, "/{fixed}")?,
                Part::Parameter(name) => write!(f, "/{{{name}}}")?,
            }
        }
        Ok(())
    }
}
