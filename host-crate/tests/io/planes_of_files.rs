//! Reading by planes from files that change, from pipes, and from files that exceed the allowed
//! memory.

use std::fs;
use std::io::Write;
use std::path::Path;

use ferrovox::io::{ByteOrder, FileProblem, RawLayout, ReadOptions, StoredType, VolumeReader};

use crate::helpers::folder;

#[test]
fn shrinking_file_is_an_error() {
    let folder = folder();
    let path = folder.path().join("v.raw");
    fs::write(&path, [7; 1000]).unwrap();
    let options = ReadOptions {
        raw: Some(RawLayout::new([10, 10, 10], StoredType::U8)),
        ..ReadOptions::default()
    };
    let mut reader = VolumeReader::open(&path, &options).unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(500)
        .unwrap();
    assert_eq!(reader.read_planes::<u8>(0..5).unwrap(), [7; 500]);
    let error = reader.read_planes::<u8>(4..6).unwrap_err();
    assert!(matches!(error.problem, FileProblem::FileChanged), "{error}");
}

/// A pipe yields its planes once, in ascending order.
#[cfg(target_os = "linux")]
#[test]
fn pipes_are_read_in_ascending_order() {
    let folder = folder();
    let pipe = folder.path().join("v.raw");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let options = ReadOptions {
        raw: Some(RawLayout::new([10, 10, 10], StoredType::U8)),
        ..ReadOptions::default()
    };
    let data: Vec<u8> = (0..1000).map(|i| (i / 7) as u8).collect();
    let (to, content) = (pipe.clone(), data.clone());
    let writer = std::thread::spawn(move || {
        fs::File::options()
            .write(true)
            .open(to)
            .unwrap()
            .write_all(&content)
            .unwrap();
    });
    let mut reader = VolumeReader::open(&pipe, &options).unwrap();
    for z in 0..9 {
        assert_eq!(
            reader.read_planes::<u8>(z..z + 2).unwrap(),
            data[z * 100..(z + 2) * 100]
        );
    }
    writer.join().unwrap();
    let error = reader.read_planes::<u8>(0..1).unwrap_err().to_string();
    assert!(
        error.contains("going back in a pipe is not supported"),
        "{error}"
    );
}

/// Measures the peak memory of a child process that sums up a sparse file by slabs.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_bounded_by_the_slab() {
    const PATH: &str = "FERROVOX_TEST_LARGE_VOLUME";
    let raw = |path: &Path| {
        let options = ReadOptions {
            raw: Some(RawLayout::new([1024, 1024, 2 << 10], StoredType::I32)),
            ..ReadOptions::default()
        };
        VolumeReader::open(path, &options).unwrap()
    };
    if let Some(path) = std::env::var_os(PATH) {
        let mut reader = raw(Path::new(&path));
        let mut slab = vec![0_i32; 3 << 20];
        // The planes are spread over all 8 GiB, but not every plane is read.
        for z in (0..2046).step_by(1023) {
            reader.read_planes_into(z..z + 3, &mut slab).unwrap();
            assert!(slab.iter().all(|&sample| sample == 0));
        }
        reader.read_planes_into(2045..2048, &mut slab).unwrap();
        assert_eq!(slab[slab.len() - 1], -3);
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap();
        println!("peak: {peak}");
        return;
    }
    let folder = folder();
    let path = folder.path().join("v.raw");
    let mut file = fs::File::create(&path).unwrap();
    file.set_len(8 << 30).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(-4)).unwrap();
    file.write_all(&(-3_i32).to_le_bytes()).unwrap();
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "planes_of_files::memory_is_bounded_by_the_slab",
            "--nocapture",
        ])
        .env(PATH, &path)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&child.stderr)
    );
    let peak: usize = text
        .split_once("VmHWM:")
        .and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_else(|| panic!("{text}"));
    assert!(peak < 64 << 10, "{peak} KiB");
}

/// Prints the time for reading a volume of 512 MiB as a whole and by slabs of 32 planes:
/// `cargo test --release -p ferrovox --test io time_of_planes -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
fn time_of_planes() {
    let folder = folder();
    let path = folder.path().join("v.raw");
    fs::write(&path, vec![1; 512 << 20]).unwrap();
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        let options = ReadOptions {
            raw: Some(RawLayout {
                byte_order,
                ..RawLayout::new([512, 512, 512], StoredType::F32)
            }),
            ..ReadOptions::default()
        };
        let start = std::time::Instant::now();
        ferrovox::io::read_volume(&path, &options).unwrap();
        let whole = start.elapsed();
        let start = std::time::Instant::now();
        let mut reader = VolumeReader::open(&path, &options).unwrap();
        let mut slab = vec![0.0_f32; 33 << 18];
        for z in (0..480).step_by(32) {
            reader.read_planes_into(z..z + 33, &mut slab).unwrap();
        }
        println!(
            "{byte_order}: whole {whole:?}, by slabs {:?}",
            start.elapsed()
        );
    }
}
