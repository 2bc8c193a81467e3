//! The nearest-site map (feature transform) on the host.

use crate::{
    device::{DeviceError, Stream},
    distance::{DistanceMap, NearestIndices},
    grid::{AnyVolume, Geometry, Volume, VolumeError},
    memory::{self, OutOfMemory},
};
use std::collections::HashMap;

/// The purpose named by out-of-memory errors.
const MEMORY_PURPOSE: &str = "nearest sites";

/// Index of the nearest site of each voxel; the maximum integer for voxels without a site.
pub(super) struct NearestSites {
    sites: SiteIndices,
    /// The number of the first point at each voxel, if the sites are points at voxel centres.
    points: Option<HashMap<u64, u64>>,
}

enum SiteIndices {
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl NearestSites {
    /// Copies the nearest sites of a map to the host. `voxels` holds the voxel of each point, if
    /// the sites are points at voxel centres.
    pub fn download(
        stream: &Stream,
        map: &DistanceMap,
        voxels: Option<&[u64]>,
    ) -> Result<Option<Self>, DeviceError> {
        let sites = match &map.nearest {
            Some(NearestIndices::U32(sites)) => SiteIndices::U32(stream.download(sites)?),
            Some(NearestIndices::U64(sites)) => SiteIndices::U64(stream.download(sites)?),
            None => return Ok(None),
        };
        let points = voxels.map(first_point_per_voxel).transpose()?;
        Ok(Some(Self { sites, points }))
    }

    /// Returns the nearest site of a voxel.
    pub fn get(&self, index: usize) -> Option<u64> {
        let site = match &self.sites {
            SiteIndices::U32(sites) => (sites[index] != u32::MAX).then(|| sites[index].into()),
            SiteIndices::U64(sites) => (sites[index] != u64::MAX).then_some(sites[index]),
        };
        match &self.points {
            Some(points) => points.get(&site?).copied(),
            None => site,
        }
    }

    fn len(&self) -> usize {
        match &self.sites {
            SiteIndices::U32(sites) => sites.len(),
            SiteIndices::U64(sites) => sites.len(),
        }
    }

    /// Converts to a volume of i32, or of f64 if indices exceed i32; -1 denotes no site.
    pub fn to_volume(
        &self,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<AnyVolume, VolumeError> {
        let sites = (0..self.len()).map(|index| self.get(index));
        let narrow = |site: Option<u64>| site.map_or(Some(-1), |site| i32::try_from(site).ok());
        if sites.clone().all(|site| narrow(site).is_some()) {
            let samples = sites.map(|site| narrow(site).unwrap_or(-1));
            return Ok(Volume::new(
                memory::try_collect(MEMORY_PURPOSE, samples)?,
                dims,
                geometry,
            )?
            .into());
        }
        let wide = sites.map(|site| site.map_or(-1.0, |site| site as f64));
        Ok(Volume::<f64>::new(memory::try_collect(MEMORY_PURPOSE, wide)?, dims, geometry)?.into())
    }
}

/// Returns the number of the first point at each voxel.
fn first_point_per_voxel(voxels: &[u64]) -> Result<HashMap<u64, u64>, OutOfMemory> {
    let mut first = HashMap::new();
    memory::try_reserve_map(MEMORY_PURPOSE, &mut first, voxels.len())?;
    for (number, &voxel) in voxels.iter().enumerate() {
        first.entry(voxel).or_insert(number as u64);
    }
    Ok(first)
}
