//! Accepting sockets, and telling TLS from plain by the first byte.
