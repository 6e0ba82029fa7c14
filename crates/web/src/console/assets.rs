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
        path: "assets/chunk-ME5GMZHZ.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "605423c5851af52b781b0d0b367095bdf6531bd2891d8330ca106b0085d76267",
        plain: include_bytes!("../../../../console/dist/assets/chunk-ME5GMZHZ.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/chunk-ME5GMZHZ.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/chunk-ME5GMZHZ.js.br")),
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
        path: "assets/properties-54Q4MRVJ.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "0410970fab1e51f1e95f899160d65fc31dcbf073b311e3c2487fd7a43b6909db",
        plain: include_bytes!("../../../../console/dist/assets/properties-54Q4MRVJ.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/properties-54Q4MRVJ.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/properties-54Q4MRVJ.js.br")),
    },
    File {
        path: "assets/start-DQDE6DT4.js",
        media_type: "text/javascript; charset=utf-8",
        sha256: "59bf1dded11e95a10d258dfc5cf512fcb63026b39253e3962d8b210618736087",
        plain: include_bytes!("../../../../console/dist/assets/start-DQDE6DT4.js"),
        gzip: Some(include_bytes!("../../../../console/dist/assets/start-DQDE6DT4.js.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/assets/start-DQDE6DT4.js.br")),
    },
    File {
        path: "index.html",
        media_type: "text/html; charset=utf-8",
        sha256: "6cfb1c13de8e569eab3fe3fe17dedd914ae82b8f916a663eed0fe7f8a1423663",
        plain: include_bytes!("../../../../console/dist/index.html"),
        gzip: Some(include_bytes!("../../../../console/dist/index.html.gz")),
        brotli: Some(include_bytes!("../../../../console/dist/index.html.br")),
    },
];
