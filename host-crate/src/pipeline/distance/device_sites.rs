//! The sites of a distance map on a device.

use super::sites::SiteInput;
use crate::{
    device::Stream,
    distance::{self, DistanceError, DistanceMap, DistanceParams, Sites, SquaredMap, SquaredValue},
    grid::{AnyDeviceVolume, DeviceMask, DevicePoints, Points},
    with_device_volume,
};

/// The sites, and the mask of the inside for signed distances.
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
    /// Uploads the sites.
    pub fn new(
        stream: &Stream,
        site_input: &SiteInput,
        signed: bool,
    ) -> Result<Self, DistanceError> {
        let mut inside = None;
        let sites = match site_input {
            SiteInput::Voxels(voxels) => {
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
            SiteInput::Points(points) => SiteBuffers::Points(points.upload(stream)?),
            SiteInput::Crossings {
                volume,
                level,
                inside: level_side,
            } => {
                let volume = AnyDeviceVolume::upload(stream, volume)?;
                if signed {
                    inside = Some(volume.inside(stream, *level, *level_side)?);
                }
                SiteBuffers::Points(volume.crossings(stream, *level)?)
            }
            SiteInput::Labels(labels) => {
                SiteBuffers::Labels(AnyDeviceVolume::upload(stream, labels)?)
            }
        };
        Ok(Self { sites, inside })
    }

    /// Uploads points without an inside.
    pub fn from_points(stream: &Stream, points: &Points) -> Result<Self, DistanceError> {
        Ok(Self {
            sites: SiteBuffers::Points(points.upload(stream)?),
            inside: None,
        })
    }

    /// Returns the sites, or `None` for labels, where every voxel has its own.
    pub fn sites(&self) -> Option<Sites<'_>> {
        match &self.sites {
            SiteBuffers::Voxels(sites) => Some(Sites::Voxels(sites)),
            SiteBuffers::Points(sites) => Some(Sites::Points(sites)),
            SiteBuffers::Labels(_) => None,
        }
    }

    /// Returns the number of sites, or for labels the number of voxels with a face neighbour of
    /// another label.
    ///
    /// # Errors
    /// [`DistanceError::NoSites`], except for labels: [`map`](Self::map) fails if there is only
    /// one.
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

    /// Computes the distance map, signed if the inside is known.
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

    /// Computes squared distances to voxels or to other labels.
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
