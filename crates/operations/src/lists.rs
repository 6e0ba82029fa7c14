//! Lists of objects, by page: searched, filtered, sorted and counted here, so that a client holds no more than it shows.
