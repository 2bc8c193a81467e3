//! Input files.

use super::*;
use anyhow::{Context, Result};
use ferrovox::{
    grid::{AnyVolume, Volume},
    io::{ByteOrder, MeshWriteOptions, VolumeWriteOptions, write_mesh, write_volume},
};
use std::{fmt::Write as _, fs, io::Write as _, path::Path};

/// File name of the brain volume.
const BRAIN: &str = "mni152_t1_1mm.nii.gz";

/// Creates all input files in `folder`, including a copy of the brain volume.
pub fn create(folder: &Path, data: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let brain = data.join(BRAIN);
    fs::copy(&brain, folder.join("brain.nii.gz"))
        .with_context(|| format!("cannot copy {}", brain.display()))?;
    write_volumes(folder)?;
    write_masks_and_labels(folder)?;
    write_text_headers(folder)?;
    write_headerless(folder)?;
    write_meshes_and_points(folder)
}

fn convert_samples<T>(volume: &Volume<f64>, convert: impl Fn(f64) -> T) -> AnyVolume
where
    T: ferrovox::grid::Sample,
{
    let samples = volume.samples().iter().map(|&sample| convert(sample));
    let volume = Volume::new(samples.collect(), volume.dims(), *volume.geometry());
    volume.expect("the sizes match").into()
}

/// Writes one file per sample type, each in a different format.
fn write_volumes(folder: &Path) -> Result<()> {
    let blobs = density(DIMS, 1);
    let default = VolumeWriteOptions::default();
    let big_endian = VolumeWriteOptions {
        byte_order: ByteOrder::Big,
        ..default
    };
    let compressed = VolumeWriteOptions {
        compress: true,
        ..default
    };
    let unsigned = VolumeWriteOptions {
        unsigned: true,
        ..default
    };
    let files = [
        ("u8.nii.gz", convert_samples(&blobs, |x| x as u8), default),
        (
            "i8.nrrd",
            convert_samples(&blobs, |x| (x - 120.0) as i8),
            default,
        ),
        (
            "u16.mha",
            convert_samples(&blobs, |x| (x * 256.0) as u16),
            compressed,
        ),
        (
            "i16.nii",
            convert_samples(&blobs, |x| (x * 64.0) as i16),
            big_endian,
        ),
        (
            "i32.nrrd",
            convert_samples(&blobs, |x| (x * 4096.0) as i32),
            compressed,
        ),
        (
            "u32.npy",
            convert_samples(&blobs, |x| (x * 4096.0) as i32),
            unsigned,
        ),
        ("f32.npy", convert_samples(&blobs, |x| x as f32), default),
        ("f32.mha", convert_samples(&blobs, |x| x as f32), big_endian),
        ("f64.nii.gz", convert_samples(&blobs, |x| x), default),
        (
            "signed.nrrd",
            convert_samples(&blobs, |x| 60.0 - x as f32),
            default,
        ),
        (
            "larger.npy",
            convert_samples(&density([61, 59, 64], 2), |x| x as f32),
            default,
        ),
        ("holes.nii", holes(3).into(), default),
    ];
    for (name, volume, options) in files {
        write_volume(folder.join(name), &volume, &options)?;
    }
    Ok(())
}

fn write_masks_and_labels(folder: &Path) -> Result<()> {
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

/// Writes headers of files with detached samples, and a file with text samples.
fn write_text_headers(folder: &Path) -> Result<()> {
    let [nx, ny, nz] = DIMS;
    let blobs = density(DIMS, 1);
    let bytes: Vec<u8> = blobs.samples().iter().map(|&sample| sample as u8).collect();
    fs::write(folder.join("samples.raw"), &bytes)?;
    let file = fs::File::create(folder.join("samples.raw.gz"))?;
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    encoder.write_all(&bytes)?;
    encoder.finish()?;
    let header = format!("NRRD0004\ntype: uchar\ndimension: 3\nsizes: {nx} {ny} {nz}\n");
    let text = format!(
        "{header}space: LPS\nspace directions: (0.5,0,0) (0,0.75,0.25) (0,0,2)\nspace origin: (1,2,3)\nencoding: gzip\ndata file: samples.raw.gz\n"
    );
    fs::write(folder.join("detached.nhdr"), text)?;
    let mut text = format!("{header}spacings: 0.5 1 2\nencoding: ascii\n\n");
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

/// Writes headerless files of 32-bit and 64-bit integers in both byte orders.
fn write_headerless(folder: &Path) -> Result<()> {
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

fn write_meshes_and_points(folder: &Path) -> Result<()> {
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
    let header = format!(
        "ply\nformat ascii 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    );
    fs::write(folder.join("points.ply"), header + &lines)?;
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({count}, 3), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    fs::write(folder.join("points.npy"), bytes)?;
    Ok(())
}
