//! Link options of libbaqctls.so.

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libbaqctls.so");
    // libbaqcstub keeps pointers into it.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
