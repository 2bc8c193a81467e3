//! Replays the fuzz corpus and seeded mutations of its files through the readers. No reader may
//! panic, take more than a second, or allocate more memory than a small file justifies.
//!
//! `cargo test -p ferrovox --test fuzz_corpus -- --ignored write_corpus` regenerates the files of
//! the corpus; inputs found by a fuzzer are stored next to them.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ferrovox::io::fuzz;

use mutate::{Random, mutate};

#[path = "fuzz_corpus/memory.rs"]
mod memory;
#[path = "fuzz_corpus/mutate.rs"]
mod mutate;
#[path = "fuzz_corpus/write.rs"]
mod write;

/// Function that reads any bytes and panics at a defect of the reader.
type Target = fn(&[u8]);

/// Targets of `fuzz/` with their names.
const TARGETS: [(&str, Target); 10] = [
    ("nifti", fuzz::nifti),
    ("nrrd", fuzz::nrrd),
    ("metaimage", fuzz::metaimage),
    ("npy", fuzz::npy),
    ("raw", fuzz::raw),
    ("ply", fuzz::ply),
    ("obj", fuzz::obj),
    ("stl", fuzz::stl),
    ("points", fuzz::points),
    ("swc", fuzz::swc),
];

/// Returns the number of mutations per file: `FERROVOX_FUZZ_MUTATIONS`, or the default.
const MUTATIONS: u64 = 1000;

fn corpus(target: &str) -> PathBuf {
    let folder = std::env::var_os("FERROVOX_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus"),
        PathBuf::from,
    );
    folder.join(target)
}

/// Returns the corpus files of a target, sorted by name.
fn files(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(corpus(target))
        .unwrap_or_else(|error| panic!("{}: {error}", corpus(target).display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn readers_survive_the_corpus_and_its_mutations() {
    let mutations = std::env::var("FERROVOX_FUZZ_MUTATIONS").map_or(MUTATIONS, |number| {
        number.parse().expect("a number of mutations")
    });
    for (target, entry) in TARGETS {
        let files = files(target);
        assert!(
            files.len() >= 4,
            "the corpus of {target} has {} files",
            files.len()
        );
        for (index, (path, bytes)) in files.iter().enumerate() {
            run(entry, bytes, || format!("{}", path.display()));
            let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ index as u64);
            for mutation in 0..mutations {
                let other = &files[random.below(files.len())].1;
                let mutated = mutate(bytes, other, &mut random);
                run(entry, &mutated, || {
                    format!("mutation {mutation} of {}", path.display())
                });
            }
        }
    }
}

/// Calls a target. A panic, a slow or a memory-intensive run fails the test with the name of the
/// input.
fn run(entry: Target, input: &[u8], name: impl Fn() -> String) {
    let start = Instant::now();
    let (outcome, peak) = memory::peak(|| std::panic::catch_unwind(|| entry(input)));
    let time = start.elapsed();
    if outcome.is_err() {
        let kept = std::env::temp_dir().join("ferrovox-fuzz-failure");
        let written = fs::write(&kept, input);
        panic!(
            "{} panics; its bytes are in {} ({written:?})",
            name(),
            kept.display()
        );
    }
    assert!(time < Duration::from_secs(1), "{} took {time:?}", name());
    assert!(
        peak < memory::limit(input.len()),
        "{} took {peak} bytes of memory; it has {} bytes",
        name(),
        input.len()
    );
}

#[test]
#[ignore = "writes the corpus under fuzz/"]
fn write_corpus() {
    for (target, name, bytes) in write::corpus_files() {
        let folder = corpus(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    }
}
