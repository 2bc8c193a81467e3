//! Replays the fuzz corpus and seeded mutations of its files through the readers. No reader may
//! panic, take more than a second, or allocate more memory than a small file justifies.
//!
//! `cargo test -p ferrovox --test fuzz_corpus -- --ignored write_corpus` regenerates the files of
//! the corpus; inputs found by a fuzzer are stored next to them.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ferrovox::io::{MeshFormat, ReadOptions, VolumeFormat, VolumeReader, fuzz, read_volume_bytes};

use mutate::{Random, mutate};

#[path = "fuzz_corpus/memory.rs"]
mod memory;
#[path = "fuzz_corpus/mutate.rs"]
mod mutate;
#[path = "fuzz_corpus/write/mod.rs"]
mod write;
#[path = "fuzz_corpus/zip.rs"]
mod zip;

/// Function that reads any bytes and panics at a defect of the reader.
type Target = fn(&[u8]);

/// Targets of `fuzz/` with their names.
const TARGETS: [(&str, Target); 22] = [
    ("gzip", fuzz::gzip),
    ("nifti", fuzz::nifti),
    ("nrrd", fuzz::nrrd),
    ("metaimage", fuzz::metaimage),
    ("npy", fuzz::npy),
    ("npz", fuzz::npz),
    ("dicom", fuzz::dicom),
    ("tiff", fuzz::tiff),
    ("zarr", fuzz::zarr),
    ("images", fuzz::images),
    ("inr", fuzz::inr),
    ("afni", fuzz::afni),
    ("raw", fuzz::raw),
    ("ply", fuzz::ply),
    ("obj", fuzz::obj),
    ("stl", fuzz::stl),
    ("off", fuzz::off),
    ("vtp", fuzz::vtp),
    ("gltf", fuzz::gltf),
    ("threemf", fuzz::threemf),
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

/// Returns the target of a volume format. A new format does not compile without one.
fn volume_target(format: VolumeFormat) -> &'static str {
    match format {
        VolumeFormat::Nifti => "nifti",
        VolumeFormat::Nrrd => "nrrd",
        VolumeFormat::MetaImage => "metaimage",
        VolumeFormat::Npy => "npy",
        VolumeFormat::Npz => "npz",
        VolumeFormat::Dicom => "dicom",
        VolumeFormat::Tiff => "tiff",
        VolumeFormat::Zarr => "zarr",
        VolumeFormat::Vti | VolumeFormat::Mgh | VolumeFormat::Mrc | VolumeFormat::Png => "images",
        VolumeFormat::Afni => "afni",
        VolumeFormat::Inr => "inr",
        VolumeFormat::Raw => "raw",
    }
}

/// Returns the target of a mesh format; `None` for a format that is only written.
fn mesh_target(format: MeshFormat) -> Option<&'static str> {
    Some(match format {
        MeshFormat::Ply => "ply",
        MeshFormat::Obj => "obj",
        MeshFormat::Stl => "stl",
        MeshFormat::Vtk => return None,
        MeshFormat::Vtp => "vtp",
        MeshFormat::Off => "off",
        MeshFormat::Gltf => "gltf",
        MeshFormat::ThreeMf => "threemf",
    })
}

#[test]
fn every_format_that_is_read_has_files_in_the_corpus() {
    let has_file = |target: &str, extension: &str| {
        let name = |path: &PathBuf| path.to_string_lossy().to_ascii_lowercase();
        TARGETS.iter().any(|(name, _)| *name == target)
            && files(target).iter().any(|(path, _)| {
                let name = name(path);
                let name = name.strip_suffix(".gz").unwrap_or(&name);
                name.ends_with(&format!(".{extension}"))
            })
    };
    for &format in VolumeFormat::ALL {
        let target = volume_target(format);
        let mut extensions: Vec<_> = format.input_extensions().collect();
        if format == VolumeFormat::Raw {
            extensions.push("bin");
        }
        let is_covered = extensions.iter().any(|it| has_file(target, it));
        assert!(
            is_covered,
            "{format} has no files in the corpus of {target}"
        );
    }
    for &format in MeshFormat::ALL {
        match mesh_target(format) {
            Some(target) => assert!(has_file(target, format.extension()), "{format}"),
            None => assert!(!format.is_readable(), "{format}"),
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

/// bzip2 encodes 46 MB of zeros in about 40 bytes. Memory for such samples is allocated only if
/// they exist, and only once.
#[test]
fn bzip2_takes_no_memory_for_samples_that_do_not_exist() {
    const MEMBER: usize = 8 << 20;
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    std::io::Write::write_all(&mut encoder, &vec![0; MEMBER]).unwrap();
    let member = encoder.finish().unwrap();
    let file = |planes: usize, members: usize| {
        let header = format!(
            "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 1024 1024 {planes}\nencoding: bzip2\n\n"
        );
        [header.as_bytes(), &member.repeat(members)].concat()
    };
    let options = ReadOptions::default();
    let planes = (8 * MEMBER) >> 20;
    // Half of the samples are missing.
    let half = file(planes, 4);
    assert!(half.len() < 500, "{}", half.len());
    let (error, peak) = memory::peak(|| read_volume_bytes("a.nrrd", &half, &options).unwrap_err());
    let text = error.to_string();
    assert!(text.contains("but the file has only 33554432"), "{text}");
    assert!(peak < memory::limit(half.len()), "{peak} bytes as a whole");
    let (error, peak) = memory::peak(|| {
        let reader = VolumeReader::from_bytes("a.nrrd", &half, &options);
        reader.err().expect("too few samples")
    });
    assert_eq!(error.to_string(), text);
    assert!(peak < memory::limit(half.len()), "{peak} bytes by planes");
    // All samples exist.
    let whole = file(planes, 8);
    let (volume, peak) = memory::peak(|| read_volume_bytes("a.nrrd", &whole, &options).unwrap());
    let samples = volume.volume.bytes();
    assert!(samples.len() == 8 * MEMBER && samples.iter().all(|&sample| sample == 0));
    let limit = memory::limit(whole.len()) + samples.len() as isize;
    assert!(peak < limit, "{peak} bytes for {} samples", samples.len());
    let ((), peak) = memory::peak(|| {
        let mut reader = VolumeReader::from_bytes("a.nrrd", &whole, &options).unwrap();
        let mut plane = vec![0_u8; 1 << 20];
        for z in 0..planes {
            reader.read_planes_into(z..z + 1, &mut plane).unwrap();
        }
    });
    assert!(peak < memory::limit(whole.len()), "{peak} bytes by planes");
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
