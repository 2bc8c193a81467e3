//! The files.

use super::*;
use anyhow::{Context, Result};
use ferrovox::{
    grid::{AnyVolume, Volume},
    io::{ByteOrder, MeshWriteOptions, VolumeWriteOptions, write_mesh, write_volume},
};
use std::{fmt::Write as _, fs, io::Write as _, path::Path};

/// The volume of a brain.
const BRAIN: &str = "mni152_t1_1mm.nii.gz";

/// Makes all of them in a folder, and copies the brain there.
pub fn make(folder: &Path, data: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let brain = data.join(BRAIN);
    fs::copy(&brain, folder.join("brain.nii.gz"))
        .with_context(|| format!("cannot copy {}", brain.display()))?;
    volumes_by_type(folder)?;
    masks_and_labels(folder)?;
    headers(folder)?;
    headerless(folder)?;
    meshes_and_points(folder)
}

fn converted<T>(volume: &Volume<f64>, convert: impl Fn(f64) -> T) -> AnyVolume
where
    T: ferrovox::grid::Sample,
{
    let samples = volume.samples().iter().map(|&sample| convert(sample));
    let converted = Volume::new(samples.collect(), volume.dims(), *volume.geometry());
    converted.expect("as many").into()
}

/// Each sample type, each in another format.
fn volumes_by_type(folder: &Path) -> Result<()> {
    let blobs = density(DIMS, 1);
    let plain = VolumeWriteOptions::default();
    let big = VolumeWriteOptions {
        byte_order: ByteOrder::Big,
        ..plain
    };
    let packed = VolumeWriteOptions {
        compress: true,
        ..plain
    };
    let unsigned = VolumeWriteOptions {
        unsigned: true,
        ..plain
    };
    let files = [
        ("u8.nii.gz", converted(&blobs, |x| x as u8), plain),
        ("i8.nrrd", converted(&blobs, |x| (x - 120.0) as i8), plain),
        ("u16.mha", converted(&blobs, |x| (x * 256.0) as u16), packed),
        ("i16.nii", converted(&blobs, |x| (x * 64.0) as i16), big),
        (
            "i32.nrrd",
            converted(&blobs, |x| (x * 4096.0) as i32),
            packed,
        ),
        (
            "u32.npy",
            converted(&blobs, |x| (x * 4096.0) as i32),
            unsigned,
        ),
        ("f32.npy", converted(&blobs, |x| x as f32), plain),
        ("f32.mha", converted(&blobs, |x| x as f32), big),
        ("f64.nii.gz", converted(&blobs, |x| x), plain),
        ("signed.nrrd", converted(&blobs, |x| 60.0 - x as f32), plain),
        (
            "larger.npy",
            converted(&density([61, 59, 64], 2), |x| x as f32),
            plain,
        ),
        ("holes.nii", holes(3).into(), plain),
    ];
    for (name, volume, options) in files {
        write_volume(folder.join(name), &volume, &options)?;
    }
    Ok(())
}

fn masks_and_labels(folder: &Path) -> Result<()> {
    let files: [(&str, AnyVolume); 6] = [
        ("mask.nii.gz", mask().into()),
        ("mask.npy", mask().into()),
        ("sites.nii.gz", sites().into()),
        ("sites.npy", sites().into()),
        ("labels.nrrd", labels().into()),
        ("solid.nrrd", solid().into()),
    ];
    for (name, volume) in files {
        write_volume(folder.join(name), &volume, &VolumeWriteOptions::default())?;
    }
    Ok(())
}

/// Headers of files whose samples are elsewhere, or are text.
fn headers(folder: &Path) -> Result<()> {
    let [nx, ny, nz] = DIMS;
    let blobs = density(DIMS, 1);
    let bytes: Vec<u8> = blobs.samples().iter().map(|&sample| sample as u8).collect();
    fs::write(folder.join("samples.raw"), &bytes)?;
    let file = fs::File::create(folder.join("samples.raw.gz"))?;
    let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packer.write_all(&bytes)?;
    packer.finish()?;
    let head = format!("NRRD0004\ntype: uchar\ndimension: 3\nsizes: {nx} {ny} {nz}\n");
    let text = format!(
        "{head}space: LPS\nspace directions: (0.5,0,0) (0,0.75,0.25) (0,0,2)\nspace origin: (1,2,3)\nencoding: gzip\ndata file: samples.raw.gz\n"
    );
    fs::write(folder.join("detached.nhdr"), text)?;
    let mut text = format!("{head}spacings: 0.5 1 2\nencoding: ascii\n\n");
    for byte in &bytes {
        writeln!(text, "{byte}")?;
    }
    fs::write(folder.join("ascii.nrrd"), text)?;
    let text = format!(
        "ObjectType = Image\nNDims = 3\nDimSize = {nx} {ny} {nz}\nElementSpacing = 0.5 1 2\nOffset = 4 5 6\nElementType = MET_UCHAR\nElementDataFile = samples.raw\n"
    );
    fs::write(folder.join("detached.mhd"), text)?;
    Ok(())
}

/// Types that only headerless files can have without a header: of 32 and 64 bits, in both byte
/// orders.
fn headerless(folder: &Path) -> Result<()> {
    let blobs = density(DIMS, 1);
    let samples = || blobs.samples().iter().map(|&sample| (sample * 16.0) as u32);
    let u32s: Vec<u8> = samples().flat_map(u32::to_be_bytes).collect();
    let mut u64s = b"sixteen bytes...".to_vec();
    u64s.extend(samples().flat_map(|sample| u64::from(sample).to_le_bytes()));
    let i64s: Vec<u8> = samples()
        .flat_map(|sample| (i64::from(sample) - 500).to_le_bytes())
        .collect();
    for (name, bytes) in [("u32.raw", u32s), ("u64.raw", u64s), ("i64.raw", i64s)] {
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

fn meshes_and_points(folder: &Path) -> Result<()> {
    for name in ["ball.ply", "ball.obj", "ball.stl"] {
        write_mesh(
            folder.join(name),
            &octasphere(),
            &MeshWriteOptions::default(),
        )?;
    }
    let points = points();
    let mut lines = String::new();
    for [x, y, z] in &points {
        writeln!(lines, "{x} {y} {z}")?;
    }
    fs::write(folder.join("points.xyz"), &lines)?;
    let count = points.len();
    let head = format!(
        "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    );
    fs::write(folder.join("points.ply"), head + &lines)?;
    let mut head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 3), }}");
    while (head.len() + 11) % 64 != 0 {
        head.push(' ');
    }
    head.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes.extend(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    fs::write(folder.join("points.npy"), bytes)?;
    Ok(())
}
