//! Link options of libbaqcstub.so.

fn main() {
    // A name that programs can be linked against, whatever folder it lies in.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libbaqcstub.so");
    // CANCEL of a COBOL program may unload the library; its kept connections and code stay.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
