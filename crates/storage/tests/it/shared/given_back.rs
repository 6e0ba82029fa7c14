//! A message that one unit of work gives back, and another one gets in the same transaction.

use futures_util::future::join3;
use storage::{Selection, block_on};

use crate::postgres::Database;
use crate::shared::group::{
    NOW, check_nothing_is_held, create_queue, eventually, get, member, message, name, options, placement, put,
};
use crate::shared::proxy::Proxy;

const ROUNDS: usize = 200;
const ENOUGH: usize = 5;

#[test]
fn what_was_given_back_and_got_in_one_transaction_stays_held_when_the_connection_breaks() {
    let database = Database::of_group("QSG1");
    let proxy = Proxy::start(database.server.port());
    let store = member(options(&proxy.url(&database.url), "QM1"));
    let (queue, other) = (create_queue(&store), create_queue(&store));
    put(&store, None, queue, 1, true).expect("puts");
    let (selection, mut got_at_once) = (Selection::default(), 0);
    for _ in 0..ROUNDS {
        let (one, two) = (store.begin(), store.begin());
        assert_eq!(get(&store, Some(one), queue).expect("gets"), Some(1));
        // While the first is on its way, the others gather for the next transaction.
        let answers = join3(
            store.put(None, other, message(2, 2_u64.to_be_bytes().to_vec(), false), placement(false), NOW),
            store.get(Some(two), queue, &selection, NOW),
            store.back_out(one),
        );
        let (put, got, backed_out) = block_on(answers);
        put.expect("puts");
        backed_out.expect("backs out");
        if got.expect("gets").as_ref().map(name) == Some(1) {
            got_at_once += 1;
            proxy.cut();
            eventually("the member is back", || matches!(get(&store, None, other), Ok(Some(2))));
            let three = store.begin();
            assert_eq!(get(&store, Some(three), queue).expect("looks"), None, "the second unit of work has it");
            block_on(store.back_out(three)).expect("backs out nothing");
        }
        block_on(store.back_out(two)).expect("backs out");
        if got_at_once == ENOUGH {
            break;
        }
    }
    assert_eq!(got_at_once, ENOUGH, "transactions gave back and took");
    check_nothing_is_held(&database);
}
