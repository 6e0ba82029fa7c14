//! The public face of the build toolkit: descriptions of APIs in, members and archives out.

mod areas;
mod building;
mod compiler;
mod descriptions;
mod languages;
mod large;
mod patches;
mod random;
mod redbook;
mod vectors;
