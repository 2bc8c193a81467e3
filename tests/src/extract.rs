//! Isosurface extraction from host samples to a host mesh in one call.

use ferrovox::{
    device::Device,
    grid::{DeviceSample, DeviceVolume, Geometry, Sample, Volume},
    isosurface::{self, IsosurfaceParams, TopologyCounts},
    mesh::TriangleMesh,
};

/// Mesh with the statistics of the pipeline.
pub struct ExtractedSurface {
    /// Mesh.
    pub mesh: TriangleMesh,
    /// Number of cells left out because of non-finite corners.
    pub non_finite_cells: u64,
    /// Topology counts of ambiguous cells.
    pub topology: TopologyCounts,
}

/// Extracts the isosurface of `samples` at unit spacing.
pub fn extract_mesh<T: DeviceSample + Sample>(
    device: &Device,
    samples: &[T],
    dims: [usize; 3],
    params: &IsosurfaceParams,
) -> TriangleMesh {
    let volume = Volume::new(samples.to_vec(), dims, Geometry::default()).expect("lengths agree");
    extract_volume_mesh(device, &volume, None, params).mesh
}

/// Extracts the isosurface of a volume, optionally restricted by a mask.
pub fn extract_volume_mesh<T: DeviceSample + Sample>(
    device: &Device,
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
) -> ExtractedSurface {
    let stream = device.stream().expect("a stream");
    let on_device = DeviceVolume::upload(&stream, volume.view()).expect("volume fits");
    let mask = mask.map(|mask| DeviceVolume::upload(&stream, mask.view()).expect("mask fits"));
    let surface = match isosurface::extract(&stream, &on_device, mask.as_ref(), params) {
        Ok(surface) => surface,
        Err(error) => panic!("{error}"),
    };
    let mesh = surface.download(&stream).expect("mesh can be downloaded");
    mesh.validate().expect("all indices are in range");
    ExtractedSurface {
        mesh,
        non_finite_cells: surface.non_finite_cells,
        topology: surface.topology,
    }
}
