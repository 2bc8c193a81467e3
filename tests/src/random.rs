//! Random volumes, and comparison of their meshes.

use crate::{extract::ExtractedSurface, noise::Noise};
use ferrovox::{
    grid::{Geometry, Sample, Volume},
    isosurface::{Inside, IsosurfaceParams, NormalSource, Topology, VertexPlacement},
};

/// Returns a geometry that is rotated, oblique, possibly mirrored, and away from the origin.
pub fn geometry(seed: u64) -> Geometry {
    let mut noise = Noise(seed);
    let mut axes = [[0.0; 3]; 3];
    for (row, axis) in axes.iter_mut().enumerate() {
        for (column, value) in axis.iter_mut().enumerate() {
            *value = noise.signed() as f64 * 0.4;
            if row == column {
                *value += if noise.below(2) == 0 { 1.5 } else { -1.5 };
            }
        }
    }
    let origin = [noise.signed() as f64 * 100.0, 3.0, -7.5];
    Geometry::new(axes.into(), origin.into()).expect("not singular")
}

/// Returns samples around `iso`, many equal to it; with `holes`, some are not finite.
pub fn floats(dims: [usize; 3], seed: u64, iso: f32, holes: bool) -> Volume<f32> {
    let mut noise = Noise(seed);
    let samples = (0..dims.iter().product::<usize>())
        .map(|_| match noise.below(40) {
            0 if holes => f32::NAN,
            1 if holes => f32::INFINITY,
            2..6 => iso,
            _ => noise.signed(),
        })
        .collect();
    Volume::new(samples, dims, geometry(seed)).expect("lengths agree")
}

/// Returns samples derived from random bits.
pub fn integers<T: Sample>(dims: [usize; 3], seed: u64, from_bits: impl Fn(u64) -> T) -> Volume<T> {
    let mut noise = Noise(seed);
    let samples = (0..dims.iter().product::<usize>())
        .map(|_| from_bits(noise.bits()))
        .collect();
    Volume::new(samples, dims, geometry(seed)).expect("lengths agree")
}

/// Returns a mask that excludes one sample in fifteen.
pub fn mask(dims: [usize; 3], seed: u64) -> Volume<u8> {
    let mut noise = Noise(!seed);
    let kept = (0..dims.iter().product::<usize>()).map(|_| (noise.below(15) > 0) as u8 * 3);
    Volume::new(kept.collect(), dims, geometry(seed)).expect("lengths agree")
}

/// Returns the parameters selected by the bits of `choice`, which must be less than 64.
pub fn params(iso: f32, choice: u8) -> IsosurfaceParams {
    let inside = if choice & 1 == 0 {
        Inside::Above
    } else {
        Inside::Below
    };
    IsosurfaceParams {
        iso,
        inside,
        close: choice & 2 != 0,
        normals: choice & 4 != 0,
        topology: Topology::ALL[(choice >> 3 & 1) as usize],
        vertices: VertexPlacement::ALL[(choice >> 4 & 1) as usize],
        normal_source: NormalSource::ALL[(choice >> 5 & 1) as usize],
        ..IsosurfaceParams::default()
    }
}

/// Panics unless two meshes agree bit by bit.
pub fn assert_equal(label: &str, actual: &ExtractedSurface, expected: &ExtractedSurface) {
    let bits = |vertices: &[[f32; 3]]| -> Vec<[u32; 3]> {
        vertices.iter().map(|v| v.map(f32::to_bits)).collect()
    };
    assert_eq!(
        bits(&actual.mesh.vertices),
        bits(&expected.mesh.vertices),
        "{label}: vertices"
    );
    assert_eq!(
        actual.mesh.triangles, expected.mesh.triangles,
        "{label}: triangles"
    );
    assert_eq!(
        actual.mesh.normals.as_deref().map(bits),
        expected.mesh.normals.as_deref().map(bits),
        "{label}: normals"
    );
    assert_eq!(
        actual.non_finite_cells, expected.non_finite_cells,
        "{label}"
    );
    assert_eq!(actual.topology, expected.topology, "{label}");
}
