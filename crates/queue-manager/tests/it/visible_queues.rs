//! Which queues of a list a user may display: what is decided for all at once says what is decided for each.

use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::definition::QueueDefinition;
use queue_manager::QueueManager;

use crate::script::{FakeClock, administrator, ephemeral, name};

async fn allow(queue_manager: &QueueManager, entity: Entity, profile: &str, authorities: Authority) {
    let record = AuthorityRecord { profile: profile.to_owned(), object: AuthorityObject::Queue, entity, authorities };
    queue_manager.set_authority(&administrator(), record).await.expect("a record");
}

async fn define(queue_manager: &QueueManager, queue: &str) {
    queue_manager.define_queue(&administrator(), QueueDefinition::local(name(queue)), true).await.expect("defined");
}

/// Names of the queues that are visible, asked for twice: worked out, and kept.
fn visible(queue_manager: &QueueManager, principal: &Principal) -> Vec<String> {
    let ask = || {
        let list = queue_manager.queue_list();
        let visible = list.visible_to(principal);
        let places = (0..list.len()).filter(|&place| visible.has(place));
        places.map(|place| list.get(place).expect("in the list").name().to_string()).collect::<Vec<_>>()
    };
    let list = queue_manager.queue_list();
    let each = (0..list.len()).filter_map(|place| list.get(place)).filter(|queue| queue.may_be_seen_by(principal));
    let each: Vec<_> = each.map(|queue| queue.name().to_string()).collect();
    assert_eq!(ask(), each);
    assert_eq!(ask(), each);
    each
}

#[tokio::test]
async fn a_user_sees_what_its_own_and_its_groups_profiles_say_after_each_change() {
    let queue_manager = ephemeral(FakeClock::new());
    let app = Principal { groups: [std::sync::Arc::from("staff")].into(), ..Principal::user("app") };
    let other = Principal::user("other");
    for queue in ["A.1", "A.2", "B.1"] {
        define(&queue_manager, queue).await;
    }
    assert!(visible(&queue_manager, &app).is_empty());
    allow(&queue_manager, Entity::Principal("app".to_owned()), "A.*", Authority::DISPLAY | Authority::GET).await;
    assert_eq!(visible(&queue_manager, &app), ["A.1", "A.2"]);
    assert!(visible(&queue_manager, &other).is_empty(), "records of others do not concern this user");
    // A more specific profile that grants nothing takes away.
    allow(&queue_manager, Entity::Principal("app".to_owned()), "A.2", Authority::GET).await;
    assert_eq!(visible(&queue_manager, &app), ["A.1"]);
    allow(&queue_manager, Entity::Group("staff".to_owned()), "B.**", Authority::INQUIRE).await;
    assert_eq!(visible(&queue_manager, &app), ["A.1", "B.1"]);
    define(&queue_manager, "A.0").await;
    define(&queue_manager, "B.2").await;
    assert_eq!(visible(&queue_manager, &app), ["A.0", "A.1", "B.1", "B.2"]);
    queue_manager.delete_queue(&administrator(), &name("A.1"), false).await.expect("deleted");
    assert_eq!(visible(&queue_manager, &app), ["A.0", "B.1", "B.2"]);
    assert!(visible(&queue_manager, &administrator()).len() > 10, "administrators see all");
}

#[tokio::test]
async fn what_is_kept_of_many_users_is_that_of_each() {
    let queue_manager = ephemeral(FakeClock::new());
    for number in 0..40 {
        define(&queue_manager, &format!("Q.{number}")).await;
        let entity = Entity::Principal(format!("user{number}"));
        allow(&queue_manager, entity, &format!("Q.{number}"), Authority::DISPLAY).await;
    }
    for _ in 0..2 {
        for number in 0..40 {
            let user = Principal::user(&format!("user{number}"));
            assert_eq!(visible(&queue_manager, &user), [format!("Q.{number}")]);
        }
    }
}
