//! Volumes that exceed the allowed memory.

use crate::{
    samples::nifti,
    support::{Folder, Run, binary},
};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File},
    io::{Seek, SeekFrom, Write},
    process::Command,
};

/// Creates a sparse file of zeros.
fn sparse(folder: &Folder, name: &str, bytes: u64) {
    File::create(folder.path(name))
        .and_then(|file| file.set_len(bytes))
        .unwrap();
}

/// Runs the command with limited address space, in bytes; `None` if the limit is not supported.
fn within(folder: &Folder, mib: u64, arguments: &str) -> Option<Run> {
    if !test_cases::has_programs(&["prlimit"]) {
        return None;
    }
    let mut limited = Command::new("prlimit");
    limited
        .arg(format!("--as={}", mib << 20))
        .arg(binary())
        .args(arguments.split(' '))
        .current_dir(folder.path(""))
        // Each thread needs address space for its stack and its heap.
        .env("RAYON_NUM_THREADS", "2")
        // glibc may reserve 64 MiB of addresses for the heap of a thread at any time.
        .env("MALLOC_ARENA_MAX", "1");
    Some(Run::finish(&mut limited))
}

#[test]
fn planes_beyond_the_budget_are_split_along_y_or_rejected_before_reading() {
    let folder = Folder::new();
    sparse(&folder, "big.raw", 400_000_000);
    let within = |dims: &str| {
        let mesh = format!("mesh big.raw --dims {dims} --type u8 --iso 50 --device cpu");
        within(&folder, 1024, &format!("{mesh} --memory 10M -o out.ply"))
    };
    let Some(run) = within("1000000x20x20") else {
        return;
    };
    run.refused(&["big.raw", "10485760 bytes", "1000000 x 20", "at least"]);
    assert_eq!(names(&folder), ["big.raw".into()].into());
    // Planes of 100 MB along z, and of 80 kB along y.
    within("20000x5000x4").unwrap().ok();
    assert!(folder.path("out.ply").exists());
}

/// Without `--memory`, as isosurfaces: once the samples do not fit, and once the extraction.
#[test]
fn label_volumes_beyond_the_memory_are_extracted_in_slabs() {
    let folder = Folder::new();
    let dims = [500, 500, 500];
    sparse(&folder, "big.raw", dims.iter().product());
    let mut file = File::options()
        .write(true)
        .open(folder.path("big.raw"))
        .unwrap();
    for row in 0..100 {
        let [z, y] = [row / 10 + 200, row % 10 + 240];
        file.seek(SeekFrom::Start((z * 500 + y) * 500 + 300))
            .unwrap();
        file.write_all(&[5; 20]).unwrap();
    }
    let mesh = "mesh big.raw --dims 500x500x500 --type u8 --labels --device cpu -o";
    let Some(run) = within(&folder, 250, &format!("{mesh} a.ply")) else {
        return;
    };
    run.ok();
    within(&folder, 350, &format!("{mesh} b.ply")).unwrap().ok();
    within(&folder, 8192, &format!("{mesh} c.ply"))
        .unwrap()
        .ok();
    let whole = fs::read(folder.path("c.ply")).unwrap();
    for name in ["a.ply", "b.ply"] {
        assert!(fs::read(folder.path(name)).unwrap() == whole, "{name}");
    }
}

/// Returns the names of the files in the folder.
fn names(folder: &Folder) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder.path("")).unwrap().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

/// A short header that declares more samples than any machine can hold, in a sparse file.
#[test]
fn huge_volume_in_a_short_header_is_an_error() {
    let folder = Folder::new();
    let header = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 100000 100000 1000\nencoding: raw\ndata file: huge.raw\n";
    folder.file("huge.nhdr", header);
    let file = File::create(folder.path("huge.raw")).unwrap();
    if file.set_len(10_000_000_000_000).is_err() {
        test_cases::report_skip(format_args!("the file system has no files of 10 TB"));
        return;
    }
    let before = names(&folder);
    for command in [
        "mesh huge.nhdr --iso 50 -o out.ply",
        "mesh huge.nhdr --iso 50 -o out.ply --memory 1G",
        "mesh huge.nhdr --iso 50 -o out.ply --method staged",
        "distance huge.nhdr --iso 50 -o out.npy",
        "distance huge.nhdr --iso 50 -o out.npy --memory 1G",
        "distance huge.nhdr --labels -o out.npy",
        "skeleton huge.nhdr --iso 50 -o out.swc",
        "render huge.nhdr --iso 50 -o out.png",
    ] {
        let Some(run) = within(&folder, 2048, &format!("{command} --device cpu")) else {
            return;
        };
        run.refused(&["huge.nhdr", " bytes"]);
        assert_eq!(names(&folder), before, "{command}");
    }
}

/// A plane of 400 MB is read through a buffer.
#[test]
fn statistics_need_less_memory_than_a_plane() {
    let folder = Folder::new();
    sparse(&folder, "big.raw", 400_000_000);
    let info = "info big.raw --dims 20000x20000x1 --type u8 --stats --json";
    let Some(run) = within(&folder, 384, info) else {
        return;
    };
    assert_eq!(run.ok().json()["samples"], 400_000_000);
}

/// Work that exceeds the memory is done in parts automatically.
#[test]
fn volumes_beyond_the_memory_are_streamed() {
    let folder = Folder::new();
    let n = 200;
    let sample = |at: usize| (at % n + at / n % n + at / n / n) as f32;
    let samples: Vec<f32> = (0..n * n * n).map(sample).collect();
    folder.file("ramp.nii", nifti(&samples, [200; 3]));
    for (command, name) in [
        ("mesh ramp.nii --iso 290.5 --device cpu -o", "ply"),
        ("distance ramp.nii --iso 290.5 --device cpu -o", "nii"),
    ] {
        folder.run(&format!("{command} whole.{name}")).ok();
        let Some(run) = within(&folder, 130, &format!("{command} parts.{name}")) else {
            return;
        };
        run.ok();
        let read = |which| fs::read(folder.path(&format!("{which}.{name}"))).unwrap();
        assert!(read("parts") == read("whole"), "{command}");
    }
}

/// The mesh of noise is a hundred times as large as the volume.
#[test]
fn meshes_beyond_the_budget_are_streamed() {
    let folder = Folder::new();
    let mut state = 1_u32;
    let noise = (0..100 * 100 * 100).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    folder.file("noise.raw", noise.collect::<Vec<u8>>());
    let mesh = "mesh noise.raw --dims 100x100x100 --type u8 --iso 128 --normals --device cpu";
    let Some(run) = within(
        &folder,
        150,
        &format!("{mesh} -o a.ply --memory 24M --json"),
    ) else {
        return;
    };
    run.ok();
    folder.run(&format!("{mesh} -o b.ply")).ok();
    let read = |name| fs::read(folder.path(name)).unwrap();
    assert!(read("a.ply") == read("b.ply"));
}
