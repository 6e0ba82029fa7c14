//! Takes the parts of one statement out, each as what the command needs.

use model::definition::attribute::{Kind, Membership, ValueProblem, is_plain};
use model::name::{GenericName, ObjectName};

use crate::command::Pattern;
use crate::message;
use crate::mqsc::problem::Problem;
use crate::mqsc::statement::{Operand, Parameter, Statement};

/// The parts of one statement, taken out one by one; what is left at the end is a mistake.
pub(super) struct Reader {
    /// As written, in upper case; for problems.
    object: String,
    name: Option<Vec<Operand>>,
    pub(super) parameters: Vec<Parameter>,
    /// Where the parameter taken last ends: what is wrong with a value is wrong there.
    taken: Option<usize>,
    /// The texts say what is stored already, and may hold control characters as that may.
    pub(super) names_what_is_stored: bool,
    /// Whether the queue manager is in a queue-sharing group.
    pub(super) membership: Membership,
}

impl Reader {
    pub(super) fn new(statement: Statement, membership: Membership) -> Self {
        let Statement { object, name, parameters, .. } = statement;
        Self { object, name, parameters, taken: None, names_what_is_stored: false, membership }
    }

    /// A mistake of the command as a whole.
    #[expect(clippy::unused_self, reason = "every problem of a command is asked of its reader")]
    pub(super) fn problem(&self, problem: impl Into<String>) -> Problem {
        Problem::syntax(problem)
    }

    /// A mistake in one parameter.
    #[expect(clippy::unused_self, reason = "every problem of a command is asked of its reader")]
    pub(super) fn problem_at(&self, end: Option<usize>, problem: impl Into<String>) -> Problem {
        Problem::syntax(problem).at(end)
    }

    pub(super) const fn has_name(&self) -> bool {
        self.name.is_some()
    }

    /// No name is expected, and one that is given does not matter.
    pub(super) fn ignore_name(&mut self) {
        self.name = None;
    }

    /// Nothing may be left.
    pub(super) fn finish(&self) -> Result<(), Problem> {
        if let Some(parameter) = self.parameters.first() {
            return Err(self.unknown(parameter));
        }
        if self.name.is_some() {
            return Err(self.problem(format!("{} takes no name", self.object)));
        }
        Ok(())
    }

    pub(super) fn unknown(&self, parameter: &Parameter) -> Problem {
        let problem = format!("{} is not a keyword of this command", parameter.keyword);
        self.problem_at(parameter.end, problem).about(&parameter.keyword)
    }

    /// Takes the parameter with one of these keywords out.
    pub(super) fn take(&mut self, keywords: &[&str]) -> Option<Parameter> {
        let index = self.parameters.iter().position(|known| keywords.contains(&known.keyword.as_str()))?;
        let parameter = self.parameters.remove(index);
        self.taken = parameter.end;
        Some(parameter)
    }

    /// A keyword that stands alone.
    pub(super) fn take_flag(&mut self, keyword: &str) -> Result<bool, Problem> {
        match self.take(&[keyword]) {
            None => Ok(false),
            Some(Parameter { operands: None, .. }) => Ok(true),
            Some(parameter) => Err(self.problem_at(parameter.end, format!("{keyword} takes no value"))),
        }
    }

    /// The one value of a keyword, which is left alone when it has none.
    pub(super) fn take_with_value(&mut self, keyword: &str) -> Result<Option<Operand>, Problem> {
        let has_value = |known: &Parameter| known.keyword == keyword && known.operands.is_some();
        let Some(index) = self.parameters.iter().position(has_value) else { return Ok(None) };
        let parameter = self.parameters.remove(index);
        self.taken = parameter.end;
        self.one_value(&parameter).map(Some)
    }

    /// The one value of a keyword.
    pub(super) fn take_value(&mut self, keywords: &[&str]) -> Result<Option<Operand>, Problem> {
        let Some(parameter) = self.take(keywords) else { return Ok(None) };
        self.one_value(&parameter).map(Some)
    }

    pub(super) fn one_value(&self, parameter: &Parameter) -> Result<Operand, Problem> {
        match parameter.operands.as_deref() {
            Some([operand]) => Ok(operand.clone()),
            Some(_) => Err(self.problem_at(parameter.end, format!("{} takes one value", parameter.keyword))),
            None => Err(self.problem_at(parameter.end, format!("{} needs a value", parameter.keyword))),
        }
    }

    /// YES or NO.
    pub(super) fn take_switch(&mut self, keyword: &str, default: bool) -> Result<bool, Problem> {
        match self.take_value(&[keyword])? {
            None => Ok(default),
            Some(operand) if operand.text == "YES" => Ok(true),
            Some(operand) if operand.text == "NO" => Ok(false),
            Some(operand) => Err(self.bad_value(keyword, &operand.text, "expected YES or NO")),
        }
    }

    /// One of a few words.
    pub(super) fn take_word<T: Copy>(&mut self, keyword: &str, words: &[(&str, T)]) -> Result<Option<T>, Problem> {
        let operand = self.take_value(&[keyword])?;
        operand.map(|operand| self.word(keyword, &operand, words)).transpose()
    }

    /// One of a few words, of a keyword that without a value names what to show.
    pub(super) fn take_choice<T: Copy>(&mut self, keyword: &str, words: &[(&str, T)]) -> Result<Option<T>, Problem> {
        let operand = self.take_with_value(keyword)?;
        operand.map(|operand| self.word(keyword, &operand, words)).transpose()
    }

    fn word<T: Copy>(&self, keyword: &str, operand: &Operand, words: &[(&str, T)]) -> Result<T, Problem> {
        match words.iter().find(|(word, _)| *word == operand.text) {
            Some((_, meaning)) => Ok(*meaning),
            None => {
                let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
                Err(self.bad_value(keyword, &operand.text, &format!("expected one of {}", known.join(", "))))
            }
        }
    }

    /// A text of at most this many bytes; blanks at its end do not count.
    pub(super) fn take_text(&mut self, keyword: &str, maximum: usize) -> Result<Option<String>, Problem> {
        let Some(operand) = self.take_value(&[keyword])? else { return Ok(None) };
        let text = operand.text.trim_end();
        if text.len() > maximum {
            let shown: String = text.chars().take(64).collect();
            let problem = format!("{keyword}({shown}): longer than {maximum} bytes");
            return Err(self.problem(problem).with_message(message::LENGTH));
        }
        self.check_plain(keyword, text)?;
        Ok(Some(text.to_owned()))
    }

    /// A number in a range.
    pub(super) fn take_number(&mut self, keyword: &str, minimum: u32, maximum: u32) -> Result<Option<u32>, Problem> {
        let Some(operand) = self.take_value(&[keyword])? else { return Ok(None) };
        let is_number = !operand.text.is_empty() && operand.text.bytes().all(|byte| byte.is_ascii_digit());
        match operand.text.parse::<u32>().ok().filter(|number| (minimum..=maximum).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let problem = format!("expected a number from {minimum} to {maximum}");
                let message = if is_number { message::RANGE } else { message::VALUE };
                Err(self.bad_value(keyword, &operand.text, &problem).with_message(message))
            }
        }
    }

    /// The values of a keyword, blanks at their ends removed.
    pub(super) fn take_list(&mut self, keyword: &str) -> Result<Option<Vec<String>>, Problem> {
        let Some(parameter) = self.take(&[keyword]) else { return Ok(None) };
        let Some(operands) = parameter.operands else {
            return Err(self.problem_at(parameter.end, format!("{keyword} needs a value")));
        };
        let texts = operands.into_iter().map(|operand| operand.text.trim_end().to_owned());
        texts.map(|text| self.check_plain(keyword, &text).map(|()| text)).collect::<Result<_, _>>().map(Some)
    }

    /// A text that is to be stored holds no control characters.
    pub(super) fn check_plain(&self, keyword: &str, text: &str) -> Result<(), Problem> {
        if self.names_what_is_stored || is_plain(text) {
            return Ok(());
        }
        let problem = ValueProblem::ControlCharacter;
        Err(self.problem_at(self.taken, format!("{keyword}: {problem}")).with_message(message::VALUE))
    }

    pub(super) fn bad_value(&self, keyword: &str, value: &str, problem: &str) -> Problem {
        self.problem_at(self.taken, format!("{keyword}({value}): {problem}")).with_message(message::VALUE)
    }

    pub(super) fn missing(&self, keyword: &str) -> Problem {
        self.problem(keyword).with_message(message::REQUIRED)
    }

    /// The text after the object keyword.
    pub(super) fn text_name(&mut self) -> Result<String, Problem> {
        match self.name.take().as_deref() {
            Some([operand]) if !operand.text.trim().is_empty() => Ok(operand.text.trim_end().to_owned()),
            Some(_) => Err(self.problem("one name is expected").with_message(message::NAME)),
            None => Err(self.missing(&format!("{} needs a name", self.object))),
        }
    }

    /// The text after the object keyword as a name of this kind: an object name, but any text for subscriptions.
    pub(super) fn object_name(&mut self, kind: Kind) -> Result<String, Problem> {
        let text = self.text_name()?;
        if kind != Kind::Subscription {
            ObjectName::parse_within(&text, kind.maximum_name_length())
                .map_err(|e| self.problem(e.to_string()).with_message(message::NAME))?;
        }
        Ok(text)
    }

    /// The name of what is about to be made. A subscription that is there can be deleted whatever it is called.
    pub(super) fn new_name(&mut self, kind: Kind) -> Result<String, Problem> {
        let name = self.object_name(kind)?;
        if is_plain(&name) {
            return Ok(name);
        }
        let problem = ValueProblem::ControlCharacter;
        Err(self.problem(format!("{}: {problem}", self.object)).with_message(message::NAME))
    }

    pub(super) fn pattern(&mut self, kind: Kind) -> Result<Pattern, Problem> {
        let text = self.text_name()?;
        if kind != Kind::Subscription {
            GenericName::parse(&text).map_err(|e| self.problem(e.to_string()).with_message(message::NAME))?;
        }
        Ok(Pattern::parse(&text))
    }
}
