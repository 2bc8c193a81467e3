//! From samples to a mesh on the host, in one call.

use ferrovox::{
    device::Device,
    grid::{DeviceSample, DeviceVolume, Geometry, Sample, Volume},
    isosurface::{self, IsosurfaceParams, TopologyCounts},
    mesh::TriangleMesh,
};

/// A mesh, and what the pipeline said of it.
pub struct Extracted {
    /// The mesh.
    pub mesh: TriangleMesh,
    /// How many cells were left out for non-finite corners.
    pub non_finite_cells: u64,
    /// What ambiguous cells were found to be.
    pub topology: TopologyCounts,
}

/// The isosurface of `samples` with unit spacing.
pub fn mesh_of<T: DeviceSample + Sample>(
    device: &Device,
    samples: &[T],
    dims: [usize; 3],
    params: &IsosurfaceParams,
) -> TriangleMesh {
    let volume = Volume::new(samples.to_vec(), dims, Geometry::default()).expect("lengths agree");
    mesh_of_volume(device, &volume, None, params).mesh
}

/// The isosurface of a volume, with a mask if there is one.
pub fn mesh_of_volume<T: DeviceSample + Sample>(
    device: &Device,
    volume: &Volume<T>,
    mask: Option<&Volume<u8>>,
    params: &IsosurfaceParams,
) -> Extracted {
    let stream = device.stream().expect("a stream");
    let on_device = DeviceVolume::upload(&stream, volume.view()).expect("room for the volume");
    let mask =
        mask.map(|mask| DeviceVolume::upload(&stream, mask.view()).expect("room for the mask"));
    let surface = match isosurface::extract(&stream, &on_device, mask.as_ref(), params) {
        Ok(surface) => surface,
        Err(error) => panic!("{error}"),
    };
    let mesh = surface.download(&stream).expect("the mesh comes back");
    mesh.validate().expect("no index is out of range");
    Extracted {
        mesh,
        non_finite_cells: surface.non_finite_cells,
        topology: surface.topology,
    }
}
