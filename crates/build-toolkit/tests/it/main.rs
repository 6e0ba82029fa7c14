//! The public face of the build toolkit: descriptions of APIs in, members and archives out.

mod building;
mod compiler;
mod random;
mod vectors;
