//! Link options of libmqicb_r.so.

fn main() {
    // Programs ask for this name, without a number.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmqicb_r.so");
    println!("cargo::rerun-if-changed=build.rs");
}
