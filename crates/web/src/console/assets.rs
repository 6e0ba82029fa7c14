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
        path: "assets/chunk-LEU3FX3I.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "d6e44a37b2c2530c7f76799b72d2808b2167ebb66097bd655220f5b26977fd80",
        plain: include_bytes!("../../../../console/dist/assets/chunk-LEU3FX3I.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/chunk-LEU3FX3I.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/chunk-LEU3FX3I.js.br")),
    },
    File {
        path: "assets/console-V4JITWPU.css",
        media_type: "text/css; charset=utf-8",
        sha256: "49396b5861601adc14f3a126ba0fa9610cca10f0003975beda77b6f7e197fec3",
        plain: include_bytes!("../../../../console/dist/assets/console-V4JITWPU.css"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/console-V4JITWPU.css.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/console-V4JITWPU.css.br")),
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
        path: "assets/properties-OY5MJXX3.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "80a4833f6b68d580b16e90e3aaff43dd89903366b07b2abf73103ab44d322c6c",
        plain: include_bytes!("../../../../console/dist/assets/properties-OY5MJXX3.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/properties-OY5MJXX3.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/properties-OY5MJXX3.js.br")),
    },
    File {
        path: "assets/start-LBSZMP7A.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "3b1b30bd536d5bd6f0fe83004e92a2617c4c4292648d3ad59dcba571f7f470b3",
        plain: include_bytes!("../../../../console/dist/assets/start-LBSZMP7A.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/start-LBSZMP7A.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/start-LBSZMP7A.js.br")),
    },
    File {
        path: "index.html",
        media_type: "text/html; charset=utf-8",
        sha256: "27044e0e760a7550f1e87931f033a0bbfde522c262b2095bc819705ab519bdb5",
        plain: include_bytes!("../../../../console/dist/index.html"),
        gzip: Some(include_bytes!("../../../../console/dist/index.html.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/index.html.br")),
    },
];
