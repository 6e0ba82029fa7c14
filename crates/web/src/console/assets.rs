//! The files of the console. Made by `cargo xtask codegen` of `console/dist/assets.json`; do not edit.

use super::File;

#[rustfmt::skip]
pub(super) static FILES: &[File] = &[
    File {
        path: "assets/IBMPlexMono-Regular-Latin1-II6OTWPU.woff2",
        media_type: "font/woff2",
        sha256: "e8993d946649b9d01abb1ed06d574b19d8ea3e66b5c3948602db335c44c18e56",
        plain: include_bytes!("../../../../console/dist/assets/IBMPlexMono-Regular-Latin1-II6OTWPU.woff2"),
        gzip: None,
        brotli: None,
    },
    File {
        path: "assets/IBMPlexSans-Regular-Latin1-YRFYPNCY.woff2",
        media_type: "font/woff2",
        sha256: "b5ad7bd39f996144915f0ad9849a90183b27d8c28ad97ed98af5b1bebc51f6b1",
        plain: include_bytes!("../../../../console/dist/assets/IBMPlexSans-Regular-Latin1-YRFYPNCY.woff2"),
        gzip: None,
        brotli: None,
    },
    File {
        path: "assets/IBMPlexSans-SemiBold-Latin1-K4ZXQL53.woff2",
        media_type: "font/woff2",
        sha256: "fff0ab3a88b0b4aa0b693e4f0201359a15183b08e3fa5696d1918d8f0ade8ad5",
        plain: include_bytes!("../../../../console/dist/assets/IBMPlexSans-SemiBold-Latin1-K4ZXQL53.woff2"),
        gzip: None,
        brotli: None,
    },
    File {
        path: "assets/chunk-7DQ5KTQN.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "fd028cdefea9a8195dfc7f61a316acb5525e2ade1dc9c69daa59b5372275c644",
        plain: include_bytes!("../../../../console/dist/assets/chunk-7DQ5KTQN.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/chunk-7DQ5KTQN.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/chunk-7DQ5KTQN.js.br")),
    },
    File {
        path: "assets/console-2TVM2YND.css",
        media_type: "text/css; charset=utf-8",
        sha256: "b98339ba0c0e527b5e47ac39c8063ac01517583ce41471b23bedfd40ea66d7cb",
        plain: include_bytes!("../../../../console/dist/assets/console-2TVM2YND.css"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/console-2TVM2YND.css.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/console-2TVM2YND.css.br")),
    },
    File {
        path: "assets/licences-4C41771B.txt",
        media_type: "text/plain; charset=utf-8",
        sha256: "4c41771bc483621147977a54a826f50edfceb7b0e73b773e4c92b482bc563b38",
        plain: include_bytes!("../../../../console/dist/assets/licences-4C41771B.txt"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/licences-4C41771B.txt.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/licences-4C41771B.txt.br")),
    },
    File {
        path: "assets/properties-ZM2PAF25.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "4f31c585622dce813b0c5fa8f2d1095ef2f7e5163ced08b5ebc867a7a6f7e0bc",
        plain: include_bytes!("../../../../console/dist/assets/properties-ZM2PAF25.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/properties-ZM2PAF25.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/properties-ZM2PAF25.js.br")),
    },
    File {
        path: "assets/start-QHDYJCA2.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "f94af17718bc742c8cc8aa19991ed7eb70efd606ef50ec51c5cf2eafea93fc69",
        plain: include_bytes!("../../../../console/dist/assets/start-QHDYJCA2.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/start-QHDYJCA2.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/start-QHDYJCA2.js.br")),
    },
    File {
        path: "index.html",
        media_type: "text/html; charset=utf-8",
        sha256: "cc65610624a69e78b78f189e209c7e6ad555911ba1f44081c2daee5acd547d0e",
        plain: include_bytes!("../../../../console/dist/index.html"),
        gzip: Some(include_bytes!("../../../../console/dist/index.html.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/index.html.br")),
    },
];
