//! The sites of a map on a device.

use super::sites::Found;
use crate::{
    device::Stream,
    distance::{self, DistanceError, DistanceMap, DistanceParams, Sites, SquaredMap, SquaredValue},
    grid::{AnyDeviceVolume, DeviceMask, DevicePoints, Points},
    with_device_volume,
};

/// Sites on a device, and what is inside if that is asked for.
pub(super) struct DeviceSites {
    sites: SiteBuffers,
    inside: Option<DeviceMask>,
}

enum SiteBuffers {
    Voxels(DeviceMask),
    Points(DevicePoints),
    Labels(AnyDeviceVolume),
}

impl DeviceSites {
    /// Puts the sites on a device.
    pub fn new(stream: &Stream, found: &Found, signed: bool) -> Result<Self, DistanceError> {
        let mut inside = None;
        let sites = match found {
            Found::Voxels(voxels) => {
                let mask = voxels.mask.upload(stream)?;
                match (voxels.is_inside, signed) {
                    (true, _) => {
                        let surface = mask.surface(stream)?;
                        inside = signed.then_some(mask);
                        SiteBuffers::Voxels(surface)
                    }
                    (false, true) => {
                        inside = Some(DeviceMask::enclosed_by(stream, &mask)?);
                        SiteBuffers::Voxels(mask)
                    }
                    (false, false) => SiteBuffers::Voxels(mask),
                }
            }
            Found::Points(points) => SiteBuffers::Points(points.upload(stream)?),
            Found::Crossings {
                volume,
                level,
                inside: side,
            } => {
                let volume = AnyDeviceVolume::upload(stream, volume)?;
                if signed {
                    inside = Some(volume.inside(stream, *level, *side)?);
                }
                SiteBuffers::Points(volume.crossings(stream, *level)?)
            }
            Found::Labels(labels) => SiteBuffers::Labels(AnyDeviceVolume::upload(stream, labels)?),
        };
        Ok(Self { sites, inside })
    }

    /// Points alone, without an inside.
    pub fn of_points(stream: &Stream, points: &Points) -> Result<Self, DistanceError> {
        Ok(Self {
            sites: SiteBuffers::Points(points.upload(stream)?),
            inside: None,
        })
    }

    /// The sites of a map. Labels have none: every voxel has its own.
    pub fn sites(&self) -> Option<Sites<'_>> {
        match &self.sites {
            SiteBuffers::Voxels(sites) => Some(Sites::Voxels(sites)),
            SiteBuffers::Points(sites) => Some(Sites::Points(sites)),
            SiteBuffers::Labels(_) => None,
        }
    }

    /// How many sites there are; of labels how many voxels are beside another.
    ///
    /// # Errors
    /// [`DistanceError::NoSites`]. (A single label is an error of the map.)
    pub fn count(&self, stream: &Stream) -> Result<u64, DistanceError> {
        let count = match &self.sites {
            SiteBuffers::Voxels(sites) => sites.count(stream)?,
            SiteBuffers::Points(sites) => sites.len() as u64,
            SiteBuffers::Labels(labels) => {
                let edges = with_device_volume!(labels, volume => DeviceMask::from_label_edges(stream, volume))?;
                return Ok(edges.count(stream)?);
            }
        };
        match count {
            0 => Err(DistanceError::NoSites),
            count => Ok(count),
        }
    }

    /// The map; with a sign, if what is inside is known.
    pub fn map(
        &self,
        stream: &Stream,
        params: &DistanceParams,
    ) -> Result<DistanceMap, DistanceError> {
        let mut map = match (&self.sites, self.sites()) {
            (SiteBuffers::Labels(labels), _) => {
                with_device_volume!(labels, volume => distance::transform_labels(stream, volume, params))?
            }
            (_, Some(sites)) => distance::transform(stream, sites, params)?,
            (_, None) => return Err(DistanceError::NoSites),
        };
        if let Some(inside) = &self.inside {
            distance::apply_sign(stream, &mut map, inside)?;
        }
        stream.synchronize()?;
        Ok(map)
    }

    /// Squared distances of sites that are voxels, and labels.
    pub fn squared_map<S: SquaredValue>(
        &self,
        stream: &Stream,
        params: &DistanceParams,
    ) -> Result<SquaredMap<S>, DistanceError> {
        match &self.sites {
            SiteBuffers::Voxels(sites) => distance::transform_squared(stream, sites, params),
            SiteBuffers::Labels(labels) => {
                with_device_volume!(labels, volume => distance::transform_labels_squared(stream, volume, params))
            }
            SiteBuffers::Points(_) => Err(DistanceError::SquaredUnsupported {
                method: params.method,
            }),
        }
    }
}
