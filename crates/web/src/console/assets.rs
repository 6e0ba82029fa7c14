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
        path: "assets/chunk-LYOOQTAF.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "417a45b276276d33b9a9d5ed04bdd96c3faf4ce4b476bfaac49dd32567db0632",
        plain: include_bytes!("../../../../console/dist/assets/chunk-LYOOQTAF.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/chunk-LYOOQTAF.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/chunk-LYOOQTAF.js.br")),
    },
    File {
        path: "assets/console-MS7RUERF.css",
        media_type: "text/css; charset=utf-8",
        sha256: "0f1cef6ae1126509efa3b8354b4f641141f8c68f6c992c2147742fab29149ac5",
        plain: include_bytes!("../../../../console/dist/assets/console-MS7RUERF.css"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/console-MS7RUERF.css.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/console-MS7RUERF.css.br")),
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
        path: "assets/properties-NMDEJX5C.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "f277ee55b42286f2f2eca72ab5781227643e0f2fd3820090a6adc7609a1a283b",
        plain: include_bytes!("../../../../console/dist/assets/properties-NMDEJX5C.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/properties-NMDEJX5C.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/properties-NMDEJX5C.js.br")),
    },
    File {
        path: "assets/start-LQ24FFLM.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "e9258f6c170889404b6ca429bc3f7f1148e751454a2954ba903c164a14992f07",
        plain: include_bytes!("../../../../console/dist/assets/start-LQ24FFLM.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/start-LQ24FFLM.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/start-LQ24FFLM.js.br")),
    },
    File {
        path: "index.html",
        media_type: "text/html; charset=utf-8",
        sha256: "d118d4284695179d6a571cc7703a669149c02efc1cc0950e3d673704da826419",
        plain: include_bytes!("../../../../console/dist/index.html"),
        gzip: Some(include_bytes!("../../../../console/dist/index.html.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/index.html.br")),
    },
];
