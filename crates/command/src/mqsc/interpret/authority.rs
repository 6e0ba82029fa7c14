//! SET, DELETE and DISPLAY AUTHREC; DISPLAY ENTAUTH and AUTHSERV.

use model::authority::{Authority, AuthorityObject, Entity};

use crate::authority_words;
use crate::command::{AuthorityKey, AuthorityMatch, AuthorityQuery, Command, EntityAuthorityQuery, SetAuthority};
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::status;

impl Reader {
    fn object_type(&mut self) -> Result<Option<AuthorityObject>, Problem> {
        match self.take_value(&["OBJTYPE"])? {
            None => Ok(None),
            Some(operand) => match authority_words::object(&operand.text) {
                Some(object) => Ok(Some(object)),
                None => Err(self.bad_value("OBJTYPE", &operand.text, "not a type of object")),
            },
        }
    }

    fn entities(&mut self) -> Vec<Entity> {
        let mut entities = Vec::new();
        for (keyword, make) in
            [("PRINCIPAL", Entity::Principal as fn(String) -> Entity), ("GROUP", Entity::Group as fn(String) -> Entity)]
        {
            if let Some(parameter) = self.take(&[keyword]) {
                entities.extend(parameter.operands.unwrap_or_default().into_iter().map(|operand| make(operand.text)));
            }
        }
        entities
    }

    fn authority_key(&mut self) -> Result<AuthorityKey, Problem> {
        let profile = self.take_value(&["PROFILE"])?.map(|operand| operand.text);
        let Some(object) = self.object_type()? else { return Err(self.missing("OBJTYPE")) };
        let entities = self.entities();
        self.take_value(&["SERVCOMP"])?;
        if entities.is_empty() {
            return Err(self.missing("PRINCIPAL or GROUP"));
        }
        if profile.is_none() && object != AuthorityObject::QueueManager {
            return Err(self.missing("PROFILE"));
        }
        Ok(AuthorityKey { profile, object, entities })
    }

    pub(super) fn delete_authority(&mut self) -> Result<Command, Problem> {
        self.authority_key().map(Command::DeleteAuthority)
    }

    pub(super) fn set_authority(&mut self) -> Result<Command, Problem> {
        let key = self.authority_key()?;
        self.check_plain("PROFILE", key.profile.as_deref().unwrap_or_default())?;
        for entity in &key.entities {
            self.check_plain("PRINCIPAL or GROUP", entity.name())?;
        }
        let add = self.authorities("AUTHADD", key.object)?;
        let remove = self.authorities("AUTHRMV", key.object)?;
        if add.is_none() && remove.is_none() {
            return Err(self.missing("AUTHADD or AUTHRMV"));
        }
        let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
        Ok(Command::SetAuthority(SetAuthority { key, add, remove }))
    }

    fn authorities(&mut self, keyword: &str, object: AuthorityObject) -> Result<Option<Authority>, Problem> {
        let Some(parameter) = self.take(&[keyword]) else { return Ok(None) };
        let Some(operands) = &parameter.operands else { return Err(self.missing(&format!("{keyword} with a list"))) };
        let mut authorities = Authority::empty();
        for operand in operands {
            match authority_words::authority(&operand.text, object) {
                Some(authority) => authorities |= authority,
                None => return Err(self.bad_value(keyword, &operand.text, "not an authority")),
            }
        }
        Ok(Some(authorities))
    }

    pub(super) fn display_authority(&mut self) -> Result<Command, Problem> {
        let profile = self.take_value(&["PROFILE"])?.map(|operand| operand.text);
        let object = self.object_type()?;
        let entity = self.entity()?;
        self.take_value(&["SERVCOMP"])?;
        let matching = match self.take_value(&["MATCH"])? {
            None => AuthorityMatch::default(),
            Some(operand) => match operand.text.as_str() {
                "PROFILE" => AuthorityMatch::Profile,
                "MEMBERSHIP" => AuthorityMatch::Membership,
                "EXACT" => AuthorityMatch::Exact,
                other => return Err(self.bad_value("MATCH", other, "expected PROFILE, MEMBERSHIP or EXACT")),
            },
        };
        let request = self.request(&|keyword| status::find(status::AUTHORITY, keyword))?;
        Ok(Command::DisplayAuthority(AuthorityQuery { profile, object, entity, matching, request }))
    }

    /// At most one.
    fn entity(&mut self) -> Result<Option<Entity>, Problem> {
        let mut entities = self.entities();
        if entities.len() > 1 {
            return Err(self.problem("one PRINCIPAL or GROUP is expected"));
        }
        Ok(entities.pop())
    }

    pub(super) fn display_entity_authority(&mut self) -> Result<Command, Problem> {
        let Some(entity) = self.entity()? else { return Err(self.missing("PRINCIPAL or GROUP")) };
        let name = self.take_value(&["OBJNAME"])?.map(|operand| operand.text);
        let Some(object) = self.object_type()? else { return Err(self.missing("OBJTYPE")) };
        if name.is_none() && object != AuthorityObject::QueueManager {
            return Err(self.missing("OBJNAME"));
        }
        self.take_value(&["SERVCOMP"])?;
        let request = self.request(&|keyword| status::find(status::ENTITY_AUTHORITY, keyword))?;
        Ok(Command::DisplayEntityAuthority(EntityAuthorityQuery { entity, object, name, request }))
    }

    pub(super) fn display_authority_service(&mut self) -> Result<Command, Problem> {
        self.take_value(&["SERVCOMP"])?;
        let request = self.request(&|keyword| status::find(status::AUTHORITY_SERVICE, keyword))?;
        Ok(Command::DisplayAuthorityService(request))
    }
}
