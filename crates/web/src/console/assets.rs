//! The files of the console. Made by `cargo xtask codegen` of `console/dist/assets.json`; do not edit.

use super::File;

#[rustfmt::skip]
pub(super) static FILES: &[File] = &[
    File {
        path: "assets/console-0bf4d668.css",
        media_type: "text/css; charset=utf-8",
        sha256: "0bf4d668930b5ab1d543ab1d43785e7cbe4b5f29d95ed3593ea5e9953f7cca59",
        plain: include_bytes!("../../../../console/dist/assets/console-0bf4d668.css"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/console-0bf4d668.css.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/console-0bf4d668.css.br")),
    },
    File {
        path: "index.html",
        media_type: "text/html; charset=utf-8",
        sha256: "85e3681afd1adebf391464029cc51d6af7f406b576c616b324bf1bc482a4182c",
        plain: include_bytes!("../../../../console/dist/index.html"),
        gzip: Some(include_bytes!("../../../../console/dist/index.html.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/index.html.br")),
    },
];
