//! Link options of libmqm_r.so.

fn main() {
    // Bindings ask for this name, without a number.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmqm_r.so");
    // The keeper's thread and the handler of forks stay when a binding unloads the library.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
