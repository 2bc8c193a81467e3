//! The sites that are measured.

use crate::support::Outcome;
use ferrovox::{
    device::Stream,
    distance::DistanceError,
    grid::{DeviceMask, DeviceVolume, Geometry},
};
use rayon::prelude::*;
use std::str::FromStr;

/// What the sites are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field {
    /// The voxels less than half a voxel from a sphere of radius 0.4 n.
    Shell,
    /// The surface of a bumpy ellipsoid that fills the volume about as a head does.
    Head,
    /// This share of all voxels.
    Random(f64),
    /// Labels instead of sites: what is in the head has eight labels, one for each octant, what is
    /// around it a ninth.
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
            Field::Random(share) => format!("random:{}%", 100.0 * share),
            Field::Labels => "labels".into(),
        }
    }
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = text
            .strip_prefix("random:")
            .and_then(|share| share.strip_suffix('%'))
            .and_then(|share| share.parse::<f64>().ok())
            .filter(|share| (0.0..=100.0).contains(share));
        match (text, share) {
            ("shell", _) => Ok(Field::Shell),
            ("head", _) => Ok(Field::Head),
            ("labels", _) => Ok(Field::Labels),
            (_, Some(share)) => Ok(Field::Random(share / 100.0)),
            _ => Err(format!(
                "no sites are called {text:?}; there are shell, head, labels, random:1% (or another share) and all"
            )),
        }
    }
}

/// The sites on the device, made on the host as bits; of labels the voxels beside another label.
pub fn sites(
    stream: &Stream,
    field: Field,
    dims: [usize; 3],
    geometry: Geometry,
) -> Outcome<DeviceMask> {
    let centre = dims.map(|n| (n as f32 - 1.0) / 2.0);
    let smallest = dims.into_iter().min().unwrap_or(1) as f32;
    let upload = |words: &[u32]| -> Result<DeviceMask, DistanceError> {
        DeviceMask::from_words(stream, words, dims, geometry).map_err(DistanceError::from)
    };
    let sites = match field {
        Field::Shell => upload(&words(dims, |at| {
            let from_centre: f32 = (0..3).map(|k| (at[k] as f32 - centre[k]).powi(2)).sum();
            (from_centre.sqrt() - 0.4 * smallest).abs() < 0.5
        }))?,
        Field::Head => {
            let solid = upload(&words(dims, |at| {
                let place = [0, 1, 2].map(|k| (at[k] as f32 - centre[k]) / dims[k] as f32);
                is_in_head(place)
            }))?;
            solid.surface(stream)?
        }
        Field::Labels => DeviceMask::from_label_edges(stream, &labels(stream, dims, geometry)?)?,
        Field::Random(share) => {
            let limit = (share * 2f64.powi(64)) as u64;
            upload(&words(dims, |[x, y, z]| {
                let index = (z * dims[1] + y) * dims[0] + x;
                share >= 1.0 || mixed(index as u64) < limit
            }))?
        }
    };
    Ok(sites)
}

/// A label for each voxel, on the device.
pub fn labels(stream: &Stream, dims: [usize; 3], geometry: Geometry) -> Outcome<DeviceVolume<u8>> {
    let [nx, ny, nz] = dims;
    let labels: Vec<u8> = (0..nx * ny * nz)
        .into_par_iter()
        .map(|voxel| {
            let at = [voxel % nx, voxel / nx % ny, voxel / nx / ny];
            let place = [0, 1, 2].map(|k| (at[k] as f32 + 0.5) / dims[k] as f32 - 0.5);
            let octant = (0..3).map(|k| u8::from(place[k] > 0.0) << k).sum::<u8>();
            if is_in_head(place) { 1 + octant } else { 0 }
        })
        .collect();
    let labels = stream.upload(&labels)?;
    Ok(DeviceVolume::from_buffer(labels, dims, geometry)?)
}

/// Whether a place, from -½ to ½ along each axis, is in an ellipsoid with bumps. Of 592x625x625
/// voxels about a tenth are within 10 of its surface, and a third within 36.
fn is_in_head([x, y, z]: [f32; 3]) -> bool {
    let [u, v, w] = [x / 0.40, y / 0.46, z / 0.45];
    let bumps = 0.1 * (21.0 * x + 1.0).sin() * (17.0 * y).sin() * (19.0 * z + 2.0).sin()
        + 0.04 * (47.0 * x).sin() * (53.0 * y + 1.0).sin() * (43.0 * z).sin();
    (u * u + v * v + w * w).sqrt() < 1.03 + bumps
}

/// 32 voxels of a row in a word, each row with words of its own.
fn words(dims: [usize; 3], is_site: impl Fn([usize; 3]) -> bool + Sync) -> Vec<u32> {
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

/// The SplitMix64 finaliser: numbers without a pattern.
fn mixed(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A mask of a byte per voxel with the same sites.
pub fn bytes(stream: &Stream, sites: &DeviceMask) -> Outcome<Vec<u8>> {
    let [nx, ..] = sites.dims();
    let words = sites.download(stream)?;
    let rows = words.par_chunks(nx.div_ceil(32).max(1));
    let bit = |row: &[u32], x: usize| (row[x / 32] >> (x % 32) & 1) as u8;
    Ok(rows
        .flat_map_iter(|row| (0..nx).map(move |x| bit(row, x)))
        .collect())
}
