//! MQCMD_ESCAPE: MQSC text in a PCF message, and what runmqsc would have printed in the answers.

use model::pcf::Parameter;

use crate::display;
use crate::mqsc;
use crate::pcf::refusal::{MQRCCF_ESCAPE_TYPE_ERROR, Refusal};
use crate::pcf::request::Parameters;
use crate::pcf::{Answer, Session, response};
use crate::reply::Item;

const ESCAPE_TYPE: i32 = 1017;
const ESCAPE_TEXT: i32 = 3014;
/// MQET_MQSC, the one type there is.
const MQSC: i32 = 1;

/// One message an object shown, or one that says what became of the command.
pub(super) async fn run(session: &Session<'_>, mut parameters: Parameters<'_>) -> Result<Vec<Answer>, Refusal> {
    if parameters.take_number(ESCAPE_TYPE)?.ok_or_else(|| parameters.missing(ESCAPE_TYPE))? != MQSC {
        return Err(Refusal::about(MQRCCF_ESCAPE_TYPE_ERROR, ESCAPE_TYPE));
    }
    let text = parameters.take_text(ESCAPE_TEXT)?.ok_or_else(|| parameters.missing(ESCAPE_TEXT))?;
    if let Some(other) = parameters.take_rest().first().or(parameters.take_filters().first()) {
        return Err(Refusal::unknown(other));
    }
    let command = match mqsc::parse(text, session.queue_manager.membership()) {
        Ok(command) => command,
        Err(problem) => return Ok(vec![answer(problem.reason(), problem.answer().lines)]),
    };
    let reply = session.execute_mqsc(text, &command).await;
    let answer_of = |item: &Item| {
        let mut answer = answer(item.reason, display::lines(item));
        answer.parameters.extend(response::member(item));
        answer
    };
    Ok(reply.items.iter().map(answer_of).collect())
}

fn answer(reason: i32, lines: Vec<String>) -> Answer {
    let text = lines.join("\n");
    Answer { reason, parameters: vec![Parameter::integer(ESCAPE_TYPE, MQSC), Parameter::text(ESCAPE_TEXT, text)] }
}
