//! What is wrong: rules that look at a queue manager, and what they have found, with cause and remedy.
