//! Replays the fuzz corpus, and seeded mutations of every file of it, through the readers: none may panic, take more
//! than a second, or ask for more memory than a small file warrants.
//!
//! `cargo test -p ferrovox --test fuzz_corpus -- --ignored write_corpus` writes the corpus files anew; what a fuzzer
//! finds is kept beside them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ferrovox::io::fuzz;

#[path = "fuzz_corpus/write.rs"]
mod write;

/// Reads any bytes and panics at a defect of the reader.
type Target = fn(&[u8]);

/// The targets of `fuzz/`, by name.
const TARGETS: [(&str, Target); 9] = [
    ("nifti", fuzz::nifti),
    ("nrrd", fuzz::nrrd),
    ("metaimage", fuzz::metaimage),
    ("npy", fuzz::npy),
    ("raw", fuzz::raw),
    ("ply", fuzz::ply),
    ("obj", fuzz::obj),
    ("stl", fuzz::stl),
    ("points", fuzz::points),
];

/// Mutations of each file. `FERROVOX_FUZZ_MUTATIONS` asks for another number.
const MUTATIONS: u64 = 1000;
/// Memory that one reading may take beyond a multiple of its input: the buffers, and one step of growth.
const MEMORY: usize = 24 << 20;
/// The multiple: what one byte of compressed data may become, twice over for samples that are converted.
const PER_BYTE: usize = 2 * 1032;

fn corpus(target: &str) -> PathBuf {
    let folder = std::env::var_os("FERROVOX_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus"),
        PathBuf::from,
    );
    folder.join(target)
}

/// The corpus files of a target, in the order of their names.
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
fn the_corpus_and_its_mutations() {
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

/// Calls a target; a panic, a slow run or a large one fails the test with the input's name.
fn run(entry: Target, input: &[u8], name: impl Fn() -> String) {
    let start = Instant::now();
    PEAK.set(0);
    LIVE.set(0);
    let outcome = std::panic::catch_unwind(|| entry(input));
    let (peak, time) = (PEAK.get(), start.elapsed());
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
    let limit = (MEMORY + PER_BYTE * input.len()) as isize;
    assert!(
        peak < limit,
        "{} took {peak} bytes of memory; it has {} bytes",
        name(),
        input.len()
    );
}

/// One to four changes: a flipped byte, a number that matters, a cut, a piece of another file, a piece doubled.
fn mutate(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    const NUMBERS: [u64; 8] = [0, 1, 0x7F, 0x80, 0xFFFF, 0x7FFF_FFFF, u64::MAX, 1 << 63];
    let mut mutated = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(mutated.len() + 1);
        match random.below(6) {
            0 | 1 if at < mutated.len() => mutated[at] ^= 1 << random.below(8),
            2 => {
                let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
                let width = 1 << random.below(4);
                for (byte, value) in mutated.iter_mut().skip(at).zip(&number[..width]) {
                    *byte = *value;
                }
            }
            3 => mutated.truncate(at),
            4 if !other.is_empty() => {
                let from = random.below(other.len());
                let length = random.below(other.len() - from + 1).min(4096);
                mutated.splice(at..at, other[from..from + length].iter().copied());
            }
            5 => {
                let end = (at + random.below(64)).min(mutated.len());
                let piece = mutated[at..end].to_vec();
                mutated.splice(at..at, piece);
            }
            _ => mutated.push(random.next() as u8),
        }
    }
    mutated
}

/// SplitMix64: the same sequence everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not zero.
    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// The system's allocator, counting what the calling thread holds and held at most.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // A thread that is ending has no counters any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is handed to the system's allocator unchanged; counting neither allocates nor panics
// (the counters need no initialisation and have no destructor).
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's obligations are the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's obligations are the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
#[ignore = "writes the corpus under fuzz/"]
fn write_corpus() {
    for (target, name, bytes) in write::corpus_files() {
        let folder = corpus(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    }
}
