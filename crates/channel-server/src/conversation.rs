//! One conversation: it owns one connection to the queue manager and runs its requests in order.
