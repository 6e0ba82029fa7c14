//! USERID and CONAUTH: who the user is. Nothing is checked before MQCONN, which is what tells a refusal.

use channel_protocol::assembly::Unit;
use channel_protocol::cursor::Reader;
use channel_protocol::error::ProtocolError;
use channel_protocol::flow::identify::{Credentials as Flow, UserId};
use channel_protocol::flow::status as flow;
use channel_protocol::form::Form;

use crate::admission::{Credentials, StatusCode};
use crate::conversation::Conversation;

/// USERID: not answered. A password in it counts like one in CONAUTH.
pub(super) fn user(conversation: &Conversation, unit: &Unit) -> Result<(), ProtocolError> {
    let user = UserId::decode(&mut Reader::new("USERID", &unit.body, unit.form))?;
    let long = user.long_user.to_text();
    let name = if long.is_empty() { user.short_user.to_text() } else { long };
    let mut facts = conversation.facts.lock();
    let facts = facts.get_or_insert_default();
    facts.asserted = name.clone().into_owned();
    if !user.password.is_blank() {
        let password = user.password.to_text().into_owned();
        facts.credentials = Some(Credentials { user: name.into_owned(), password });
    }
    Ok(())
}

/// CONAUTH: answered with STATUS 0, whatever user and password it has. A token, which cannot be checked here, ends the socket.
///
/// A conversation beside the first sends it alone; the user it asserts is the first's.
pub(super) fn credentials(conversation: &Conversation, unit: &Unit) -> Result<(), ProtocolError> {
    let credentials = Flow::decode(&mut Reader::new("CONAUTH", &unit.body, unit.form))?;
    if credentials.token.as_ref().is_some_and(|token| !token.is_empty()) {
        conversation.shared.close(StatusCode(flow::StatusCode::SECURITY.0));
        return Ok(());
    }
    if credentials.authentication_type == Flow::USER_AND_PASSWORD {
        let credentials =
            Credentials { user: text(unit.form, &credentials.user), password: text(unit.form, &credentials.password) };
        let mut facts = conversation.facts.lock();
        let facts = facts.get_or_insert_with(|| conversation.shared.first_facts());
        facts.credentials = Some(credentials);
    }
    conversation.shared.send_status(unit.address, StatusCode(0));
    Ok(())
}

/// In the partner's character set; what is not of it cannot match any user.
fn text(form: Form, bytes: &[u8]) -> String {
    form.string(0, bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned()).trim_end().to_owned()
}
