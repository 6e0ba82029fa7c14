//! The book as the program holds it.

mod pages;
