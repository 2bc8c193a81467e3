//! Sites of the benchmarks.

use crate::support::Outcome;
use ferrovox::{
    device::Stream,
    distance::DistanceError,
    grid::{DeviceMask, DeviceVolume, Geometry},
};
use rayon::prelude::*;
use std::str::FromStr;

/// Distribution of the sites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field {
    /// Voxels less than half a voxel from a sphere of radius 0.4 n.
    Shell,
    /// Surface of a bumpy ellipsoid that fills the volume about as a head does.
    Head,
    /// Random fraction of all voxels.
    Random(f64),
    /// Labels instead of sites: one per octant of the head and a ninth for the background.
    Labels,
}

impl Field {
    pub const ALL: [Field; 5] = [
        Field::Shell,
        Field::Head,
        Field::Random(0.0001),
        Field::Random(0.01),
        Field::Random(0.5),
    ];

    pub fn name(self) -> String {
        match self {
            Field::Shell => "shell".into(),
            Field::Head => "head".into(),
            Field::Random(fraction) => format!("random:{}%", 100.0 * fraction),
            Field::Labels => "labels".into(),
        }
    }
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fraction = text
            .strip_prefix("random:")
            .and_then(|fraction| fraction.strip_suffix('%'))
            .and_then(|fraction| fraction.parse::<f64>().ok())
            .filter(|fraction| (0.0..=100.0).contains(fraction));
        match (text, fraction) {
            ("shell", _) => Ok(Field::Shell),
            ("head", _) => Ok(Field::Head),
            ("labels", _) => Ok(Field::Labels),
            (_, Some(fraction)) => Ok(Field::Random(fraction / 100.0)),
            _ => Err(format!(
                "there are no sites called {text:?}; use shell, head, labels, random:1% (or another percentage) or all"
            )),
        }
    }
}

/// Creates the sites on the device from bits packed on the host; for labels, the voxels next to
/// another label.
pub fn sites(
    stream: &Stream,
    field: Field,
    dims: [usize; 3],
    geometry: Geometry,
) -> Outcome<DeviceMask> {
    let centre = dims.map(|n| (n as f32 - 1.0) / 2.0);
    let smallest = dims.into_iter().min().unwrap_or(1) as f32;
    let upload = |pack_words: &[u32]| -> Result<DeviceMask, DistanceError> {
        DeviceMask::from_words(stream, pack_words, dims, geometry).map_err(DistanceError::from)
    };
    let sites = match field {
        Field::Shell => upload(&pack_words(dims, |at| {
            let from_centre: f32 = (0..3).map(|k| (at[k] as f32 - centre[k]).powi(2)).sum();
            (from_centre.sqrt() - 0.4 * smallest).abs() < 0.5
        }))?,
        Field::Head => {
            let solid = upload(&pack_words(dims, |at| {
                let position = [0, 1, 2].map(|k| (at[k] as f32 - centre[k]) / dims[k] as f32);
                is_inside_head(position)
            }))?;
            solid.surface(stream)?
        }
        Field::Labels => DeviceMask::from_label_edges(stream, &labels(stream, dims, geometry)?)?,
        Field::Random(fraction) => {
            let limit = (fraction * 2f64.powi(64)) as u64;
            upload(&pack_words(dims, |[x, y, z]| {
                let index = (z * dims[1] + y) * dims[0] + x;
                fraction >= 1.0 || splitmix64(index as u64) < limit
            }))?
        }
    };
    Ok(sites)
}

/// Creates the label volume on the device.
pub fn labels(stream: &Stream, dims: [usize; 3], geometry: Geometry) -> Outcome<DeviceVolume<u8>> {
    let [nx, ny, nz] = dims;
    let labels: Vec<u8> = (0..nx * ny * nz)
        .into_par_iter()
        .map(|voxel| {
            let at = [voxel % nx, voxel / nx % ny, voxel / nx / ny];
            let position = [0, 1, 2].map(|k| (at[k] as f32 + 0.5) / dims[k] as f32 - 0.5);
            let octant = (0..3).map(|k| u8::from(position[k] > 0.0) << k).sum::<u8>();
            if is_inside_head(position) {
                1 + octant
            } else {
                0
            }
        })
        .collect();
    let labels = stream.upload(&labels)?;
    Ok(DeviceVolume::from_buffer(labels, dims, geometry)?)
}

/// Returns `true` if a position from -½ to ½ along each axis is inside a bumpy ellipsoid. With 592
/// × 625 × 625 voxels, about a tenth of them are within 10 of its surface, and a third within 36.
fn is_inside_head([x, y, z]: [f32; 3]) -> bool {
    let [u, v, w] = [x / 0.40, y / 0.46, z / 0.45];
    let bumps = 0.1 * (21.0 * x + 1.0).sin() * (17.0 * y).sin() * (19.0 * z + 2.0).sin()
        + 0.04 * (47.0 * x).sin() * (53.0 * y + 1.0).sin() * (43.0 * z).sin();
    (u * u + v * v + w * w).sqrt() < 1.03 + bumps
}

/// Packs 32 voxels of a row into each word; each row starts at a new word.
fn pack_words(dims: [usize; 3], is_site: impl Fn([usize; 3]) -> bool + Sync) -> Vec<u32> {
    let [nx, ny, nz] = dims;
    let per_row = nx.div_ceil(32);
    (0..per_row * ny * nz)
        .into_par_iter()
        .map(|word| {
            let (row, first) = (word / per_row, word % per_row * 32);
            let at = |x: usize| [x, row % ny, row / ny];
            (first..nx.min(first + 32))
                .filter(|&x| is_site(at(x)))
                .fold(0, |bits, x| bits | 1 << (x - first))
        })
        .collect()
}

/// Returns the SplitMix64 hash of an index, used as a random number.
fn splitmix64(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Creates the mask with one byte per voxel that has the same sites.
pub fn unpack_bytes(stream: &Stream, sites: &DeviceMask) -> Outcome<Vec<u8>> {
    let [nx, ..] = sites.dims();
    let downloaded = sites.download(stream)?;
    let rows = downloaded.par_chunks(nx.div_ceil(32).max(1));
    let bit = |row: &[u32], x: usize| (row[x / 32] >> (x % 32) & 1) as u8;
    Ok(rows
        .flat_map_iter(|row| (0..nx).map(move |x| bit(row, x)))
        .collect())
}
