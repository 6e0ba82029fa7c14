//! DISPLAY TPSTATUS, DISPLAY SUB, DISPLAY SBSTATUS, DISPLAY PUBSUB and CLEAR TOPICSTR.

use model::definition::attribute::{Kind, Membership};

use crate::command::topic::{
    SubscriptionKind, SubscriptionOf, SubscriptionQuery, SubscriptionSelection, SubscriptionStatusQuery, TopicStatusOf,
    TopicStatusQuery,
};
use crate::command::{Command, Pattern, Selection};
use crate::mqsc::interpret::display::{all_of_one, definition_keyword};
use crate::mqsc::interpret::reader::Reader;
use crate::mqsc::problem::Problem;
use crate::status;

/// Bytes of the longest topic string.
const MAXIMUM_TOPIC_STRING: usize = 10_240;

impl Reader {
    /// CLEAR TOPICSTR clears what is retained; MQ knows nothing else to clear.
    pub(super) fn clear_topic_string(&mut self) -> Result<Command, Problem> {
        let topic = self.text_name()?;
        if self.take_word("CLRTYPE", &[("RETAINED", ())])?.is_none() {
            return Err(self.missing("CLRTYPE"));
        }
        self.take_word("SCOPE", &[("LOCAL", ()), ("GLOBAL", ())])?;
        Ok(Command::ClearTopicString(topic))
    }

    pub(super) fn display_topic_status(&mut self) -> Result<Command, Problem> {
        let topic_string = self.text_name()?;
        if topic_string.len() > MAXIMUM_TOPIC_STRING {
            return Err(self.problem("a topic string has at most 10240 bytes"));
        }
        let words =
            [("TOPIC", TopicStatusOf::Topic), ("PUB", TopicStatusOf::Publishers), ("SUB", TopicStatusOf::Subscribers)];
        let of = self.take_word("TYPE", &words)?.unwrap_or(TopicStatusOf::Topic);
        let mut request = match of {
            TopicStatusOf::Topic => self.request(&|keyword| status::find(status::topic::TOPIC, keyword))?,
            TopicStatusOf::Publishers => self.request(&|keyword| status::find(status::topic::PUBLISHER, keyword))?,
            TopicStatusOf::Subscribers => self.request(&|keyword| status::find(status::topic::SUBSCRIBER, keyword))?,
        };
        if request.selection == Selection::Usual {
            request.selection = Selection::All;
        }
        Ok(Command::DisplayTopicStatus(TopicStatusQuery { topic_string, of, request }))
    }

    pub(super) fn display_subscriptions(&mut self) -> Result<Command, Problem> {
        let which = self.subscription_selection()?;
        let as_defined = self.take_choice("DISTYPE", &[("RESOLVED", false), ("DEFINED", true)])?.unwrap_or(false);
        // Names and types, of one subscription too.
        let is_summary = self.take_flag("SUMMARY")?;
        let mut request =
            self.request(&|keyword| definition_keyword(Membership::Alone, &[Kind::Subscription], keyword))?;
        let is_one = !is_summary
            && match &which.of {
                SubscriptionOf::Name(name) => !name.is_generic(),
                SubscriptionOf::Identifier(_) => true,
            };
        all_of_one(&mut request, is_one);
        Ok(Command::DisplaySubscriptions(SubscriptionQuery { which, as_defined, request }))
    }

    pub(super) fn display_subscription_status(&mut self) -> Result<Command, Problem> {
        let which = self.subscription_selection()?;
        let request = self.request(&|keyword| status::find(status::topic::SUBSCRIPTION, keyword))?;
        Ok(Command::DisplaySubscriptionStatus(SubscriptionStatusQuery { which, request }))
    }

    /// The identifier, which stands for a name, and what else narrows the subscriptions down.
    fn subscription_selection(&mut self) -> Result<SubscriptionSelection, Problem> {
        let identifier = self.take_with_value("SUBID")?.map(|operand| operand.text.to_ascii_uppercase());
        let of = match identifier {
            Some(identifier) => {
                self.ignore_name();
                SubscriptionOf::Identifier(identifier)
            }
            None => SubscriptionOf::Name(Pattern::parse(&self.text_name()?)),
        };
        let durable =
            self.take_choice("DURABLE", &[("ALL", None), ("YES", Some(true)), ("NO", Some(false))])?.flatten();
        let kinds = [
            ("ALL", SubscriptionKind::All),
            ("USER", SubscriptionKind::User),
            ("ADMIN", SubscriptionKind::Administrator),
            ("API", SubscriptionKind::Api),
            ("PROXY", SubscriptionKind::Proxy),
        ];
        let kind = self.take_choice("SUBTYPE", &kinds)?.unwrap_or(SubscriptionKind::User);
        Ok(SubscriptionSelection { of, durable, kind })
    }

    /// This queue manager has no parent and no children: TYPE changes nothing but what is found.
    pub(super) fn display_publish_subscribe(&mut self) -> Result<Command, Problem> {
        let words = [("ALL", true), ("LOCAL", true), ("PARENT", false), ("CHILD", false)];
        let local = self.take_choice("TYPE", &words)?.unwrap_or(true);
        let request = self.request(&|keyword| status::find(status::topic::PUBLISH_SUBSCRIBE, keyword))?;
        Ok(Command::DisplayPublishSubscribe { local, request })
    }
}
