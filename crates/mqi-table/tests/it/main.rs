//! The table against the rest of the project and against the compilers.

mod compiled;
mod layout;
mod model_agrees;
