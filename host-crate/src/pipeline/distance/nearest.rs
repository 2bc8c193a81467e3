//! The nearest site of each voxel, on the host.

use crate::{
    device::{DeviceError, Stream},
    distance::{DistanceMap, NearestIndices},
    grid::{AnyVolume, Geometry, Volume, VolumeError},
    memory::{self, OutOfMemory},
};
use std::collections::HashMap;

/// What memory is for that holds nearest sites.
const SITES: &str = "nearest sites";

/// The nearest site of each voxel. All ones where there is none.
pub(super) struct NearestSites {
    sites: Numbers,
    /// The number of the first point at each voxel, where the sites are points.
    points: Option<HashMap<u64, u64>>,
}

enum Numbers {
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl NearestSites {
    /// Copies what a map has of them. `voxels` are those of the points, if the sites are points at
    /// centres of voxels.
    pub fn download(
        stream: &Stream,
        map: &DistanceMap,
        voxels: Option<&[u64]>,
    ) -> Result<Option<Self>, DeviceError> {
        let sites = match &map.nearest {
            Some(NearestIndices::U32(sites)) => Numbers::U32(stream.download(sites)?),
            Some(NearestIndices::U64(sites)) => Numbers::U64(stream.download(sites)?),
            None => return Ok(None),
        };
        let points = voxels.map(first_of_voxels).transpose()?;
        Ok(Some(Self { sites, points }))
    }

    /// The nearest site of a voxel.
    pub fn at(&self, index: usize) -> Option<u64> {
        let site = match &self.sites {
            Numbers::U32(sites) => (sites[index] != u32::MAX).then(|| sites[index].into()),
            Numbers::U64(sites) => (sites[index] != u64::MAX).then_some(sites[index]),
        };
        match &self.points {
            Some(points) => points.get(&site?).copied(),
            None => site,
        }
    }

    fn len(&self) -> usize {
        match &self.sites {
            Numbers::U32(sites) => sites.len(),
            Numbers::U64(sites) => sites.len(),
        }
    }

    /// As a volume: i32, or where that is too narrow f64; -1 where there is no site.
    pub fn to_volume(
        &self,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<AnyVolume, VolumeError> {
        let sites = (0..self.len()).map(|index| self.at(index));
        let narrow = |site: Option<u64>| site.map_or(Some(-1), |site| i32::try_from(site).ok());
        if sites.clone().all(|site| narrow(site).is_some()) {
            let samples = sites.map(|site| narrow(site).unwrap_or(-1));
            return Ok(Volume::new(memory::try_collect(SITES, samples)?, dims, geometry)?.into());
        }
        let wide = sites.map(|site| site.map_or(-1.0, |site| site as f64));
        Ok(Volume::<f64>::new(memory::try_collect(SITES, wide)?, dims, geometry)?.into())
    }
}

/// The number of the first point at each voxel.
fn first_of_voxels(voxels: &[u64]) -> Result<HashMap<u64, u64>, OutOfMemory> {
    let mut first = HashMap::new();
    memory::try_reserve_map(SITES, &mut first, voxels.len())?;
    for (number, &voxel) in voxels.iter().enumerate() {
        first.entry(voxel).or_insert(number as u64);
    }
    Ok(first)
}
