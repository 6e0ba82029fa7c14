//! One task a socket: reads segments, runs what its conversations have to do, writes what they answer.
