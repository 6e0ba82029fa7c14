//! The inside, by criterion: the verbs without a disk, and the codecs on their way.
//!
//! `cargo bench -p benches --bench inside`

use std::hint::black_box;

use benches::engine::Engine;
use bytes::Bytes;
use codepage::{ByteOrder, CharacterSet, convert};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use identity::ltpa::keys::LtpaKeys;
use identity::ltpa::token;
use model::descriptor::{Ccsid, Encoding, Format, Persistence};
use model::header::rfh2::Rfh2;
use model::identifier::CorrelationId;

const QUEUE: &str = "BENCH";
const PERSISTENCE: Persistence = Persistence::NonPersistent;

fn verbs(criterion: &mut Criterion) {
    let engine = Engine::start(None).expect("a queue manager without a disk starts");
    engine.define(QUEUE).expect("a queue can be defined");
    let caller = engine.caller(QUEUE).expect("the queue can be opened");
    let body = Bytes::from(vec![b'x'; 1024]);
    let put = |id| caller.put(PERSISTENCE, id, body.clone()).expect("a message is put");
    let id = CorrelationId::new([7; CorrelationId::LENGTH]);
    criterion.bench_function("put and get nonpersistent, 1 KiB", |bencher| {
        bencher.iter(|| {
            put(CorrelationId::NONE);
            caller.get(None).expect("a message is there")
        });
    });
    criterion.bench_function("put nonpersistent, 1 KiB", |bencher| {
        let emptied = || while caller.get(None).is_ok() {};
        bencher.iter_batched(emptied, |()| put(CorrelationId::NONE), BatchSize::PerIteration);
    });
    criterion.bench_function("get nonpersistent, 1 KiB", |bencher| {
        bencher.iter_batched(
            || put(CorrelationId::NONE),
            |()| caller.get(None).expect("a message is there"),
            BatchSize::PerIteration,
        );
    });
    criterion.bench_function("get by correlation id, 1 KiB", |bencher| {
        bencher.iter_batched(
            || put(id),
            |()| caller.get(Some(id)).expect("a message is there"),
            BatchSize::PerIteration,
        );
    });
    engine.stop();
}

fn codecs(criterion: &mut Criterion) {
    let set = |ccsid| CharacterSet::of(ccsid, ByteOrder::Big).expect("the CCSID is known");
    let (ebcdic, utf_8) = (set(1047), set(1208));
    let record = vec![0xC1; 1024];
    criterion.bench_function("convert 1 KiB from 1047 to 1208", |bencher| {
        bencher.iter(|| convert(ebcdic, utf_8, black_box(&record)));
    });
    let text = "Quaymaster ".repeat(93);
    criterion.bench_function("convert 1 KiB from 1208 to 1047", |bencher| {
        bencher.iter(|| convert(utf_8, ebcdic, black_box(text.as_bytes())));
    });
    let mut header = Vec::new();
    let folders = ["<mcd><Msd>jms_text</Msd></mcd>", "<usr><colour>blue</colour><count dt='i4'>5</count></usr>"];
    let rfh2 = Rfh2 {
        encoding: Encoding::BIG_ENDIAN,
        ccsid: Ccsid::UTF_8,
        format: Format::STRING,
        flags: 0,
        folders: folders.map(str::to_owned).to_vec(),
    };
    rfh2.encode(Encoding::BIG_ENDIAN, &mut header);
    criterion.bench_function("decode an MQRFH2 of two folders", |bencher| {
        bencher.iter(|| Rfh2::decode(black_box(&header), Encoding::BIG_ENDIAN).expect("it was just encoded"));
    });
}

/// What a cookie costs the first time it is seen; afterwards it is remembered.
fn tokens(criterion: &mut Criterion) {
    const NOW_MS: u64 = 1_800_000_000_000;
    let keys = LtpaKeys::generate().expect("random numbers can be had");
    let minted = token::mint(&keys, "defaultRealm", "app", NOW_MS + 1, None).expect("the key signs");
    criterion.bench_function("open an LTPA token", |bencher| {
        bencher.iter(|| token::open(black_box(&minted), &keys, "defaultRealm", NOW_MS).expect("it was just minted"));
    });
    criterion.bench_function("mint an LTPA token", |bencher| {
        bencher.iter(|| token::mint(&keys, "defaultRealm", black_box("app"), NOW_MS, None).expect("the key signs"));
    });
}

criterion_group!(inside, verbs, codecs, tokens);
criterion_main!(inside);
