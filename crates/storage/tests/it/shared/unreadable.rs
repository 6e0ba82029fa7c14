//! A message whose descriptor this version does not know is left for members that do.

use storage::{Selection, StoreError, block_on};

use crate::postgres::Database;
use crate::shared::group::{NOW, browse, create_queue, drain, member, options, put};

#[test]
fn a_message_that_cannot_be_read_is_taken_by_nobody_and_passed_over_by_browsers() {
    let database = Database::of_group("QSG1");
    let store = member(options(&database.url, "QM1"));
    let queue = create_queue(&store);
    put(&store, None, queue, 1, true).expect("puts");
    put(&store, None, queue, 2, true).expect("puts");
    let head = database.run("SELECT head FROM message ORDER BY position LIMIT 1");
    let unknown = "UPDATE message SET head = '\\x00' WHERE position = (SELECT min(position) FROM message)";
    database.run(unknown);
    let get = |unit| block_on(store.get(unit, queue, &Selection::default(), NOW));
    assert!(matches!(get(None), Err(StoreError::Database)));
    let unit = store.begin();
    assert!(matches!(get(Some(unit)), Err(StoreError::Database)));
    block_on(store.back_out(unit)).expect("backs out nothing");
    assert_eq!(browse(&store, queue), [(2, 0)]);
    let head = head[0][0].as_deref().expect("a descriptor");
    database.run(&format!("UPDATE message SET head = '{head}' WHERE head = '\\x00'"));
    assert_eq!(drain(&store, queue), [1, 2]);
}
