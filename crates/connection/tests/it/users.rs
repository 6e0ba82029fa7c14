//! On whose behalf a remote queue manager is used.

use std::borrow::Cow;

use connection::target::{Acting, Target, User};
use model::authority::{Authority, AuthorityObject, AuthorityRecord, Entity, Principal};
use model::options::{GetFlags, GetOptions, OpenOptions};
use model::reason::Reason;

use super::far::{Far, MANY, administrator, pool, put_as, queue, statistics};

async fn grant(far: &Far, user: &str, profile: &str, object: AuthorityObject, authorities: Authority) {
    let entity = Entity::Principal(user.to_owned());
    let record = AuthorityRecord { profile: profile.to_owned(), object, entity, authorities };
    far.queue_manager.set_authority(&administrator(), record).await.unwrap();
}

#[tokio::test]
async fn callers_count_by_alternate_user_authority_on_connections_they_share() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    let (anna, bert) = (Principal::user("anna"), Principal::user("bert"));
    let refused = put_as(&pool, Acting::For(&anna), "x").await.unwrap_err();
    assert_eq!(refused.reason(), Reason::NotAuthorized);
    grant(&far, "anna", "Q", AuthorityObject::Queue, Authority::PUT).await;
    put_as(&pool, Acting::For(&anna), "of anna").await.unwrap();
    assert_eq!(put_as(&pool, Acting::For(&bert), "x").await.unwrap_err().reason(), Reason::NotAuthorized);

    let admin = administrator();
    let (mut lent, opened) = pool.open(Acting::AsConnected(&admin), &queue(), OpenOptions::INPUT_SHARED).await.unwrap();
    let options = GetOptions { flags: GetFlags::NO_SYNCPOINT, ..GetOptions::default() };
    let got = lent.connection().get(opened.handle, &options).await.unwrap();
    assert_eq!((&*got.body, got.descriptor.user_identifier.to_text().trim_end()), (&b"of anna"[..], "anna"));
    lent.connection().close(opened.handle).await.unwrap();
    lent.give_back();
    assert_eq!((statistics(&pool).created, far.connections()), (1, 1));
}

#[tokio::test]
async fn an_entrys_user_needs_the_authority_to_act_for_others_and_none_to_act_for_itself() {
    let far = Far::start().await;
    grant(&far, "web", "FAR", AuthorityObject::QueueManager, Authority::CONNECT).await;
    grant(&far, "web", "Q", AuthorityObject::Queue, Authority::PUT).await;
    grant(&far, "anna", "Q", AuthorityObject::Queue, Authority::PUT).await;
    let pools = far.pools("web", MANY);
    let pool = pool(&pools);
    let (web, anna) = (Principal::user("web"), Principal::user("anna"));
    put_as(&pool, Acting::For(&web), "x").await.unwrap();
    put_as(&pool, Acting::AsConnected(&anna), "by the entry's user").await.unwrap();
    assert_eq!(put_as(&pool, Acting::For(&anna), "x").await.unwrap_err().reason(), Reason::NotAuthorized);
    let both = Authority::CONNECT | Authority::ALTERNATE_USER;
    grant(&far, "web", "FAR", AuthorityObject::QueueManager, both).await;
    put_as(&pool, Acting::For(&anna), "x").await.unwrap();
    assert_eq!(far.depth(), 3);
}

#[tokio::test]
async fn a_name_that_would_have_to_be_cut_short_is_refused() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    let pool = pool(&pools);
    let long = Principal::user("administrator");
    let refused = put_as(&pool, Acting::For(&long), "x").await.unwrap_err();
    assert_eq!((refused.reason(), refused.is_lost(), far.depth()), (Reason::NotAuthorized, false, 0));
    assert_eq!(statistics(&pool).idle, 1, "the connection is as good as before");
}

#[tokio::test]
async fn users_that_services_name_have_connections_of_their_own() {
    let far = Far::start().await;
    let pools = far.pools("admin", MANY);
    for user in ["anna", "bert"] {
        grant(&far, user, "FAR", AuthorityObject::QueueManager, Authority::CONNECT).await;
        grant(&far, user, "Q", AuthorityObject::Queue, Authority::PUT).await;
        let named = User::Named { principal: Cow::Owned(Principal::user(user)), password: "x".into() };
        let own = pools.pool(&Target::Remote("FAR".to_owned()), &named).unwrap();
        put_as(&own, named.acting(), "x").await.unwrap();
        assert_eq!(statistics(&own).created, 1);
    }
    assert_eq!((far.connections(), far.depth()), (2, 2));
    assert_eq!(pools.statistics()[0].2.idle, 2);
}
