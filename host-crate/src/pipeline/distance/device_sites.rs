//! The sites of a distance map on a device.

use super::sites::{LabelSites, SiteInput};
use crate::{
    device::Stream,
    distance::{
        self, DistanceError, DistanceMap, DistanceParams, SignConvention, Sites, SquaredMap,
        SquaredValue,
    },
    grid::{AnyDeviceVolume, DeviceMask, DevicePoints},
    with_device_volume,
};

/// The sites, and what signed distances require.
pub(super) struct DeviceSites {
    sites: SiteBuffers,
    sign: DeviceSign,
}

/// Masks that determine the signs of distances.
enum DeviceSign {
    Unsigned,
    /// Voxels whose distances are negated.
    Negated(DeviceMask),
    /// Voxels that are not sites. Each site gets the negated distance to the nearest of them.
    Opposite(DeviceMask),
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
        convention: Option<SignConvention>,
    ) -> Result<Self, DistanceError> {
        let mut sign = DeviceSign::Unsigned;
        let sites = match site_input {
            SiteInput::Voxels(voxels) => {
                let mask = voxels.mask.upload(stream)?;
                SiteBuffers::Voxels(match convention {
                    None if voxels.is_inside => mask.surface(stream)?,
                    None => mask,
                    Some(SignConvention::Surface) => {
                        let surface = mask.surface(stream)?;
                        sign = DeviceSign::Negated(mask);
                        surface
                    }
                    Some(SignConvention::Enclosed) => {
                        sign = DeviceSign::Negated(DeviceMask::enclosed_by(stream, &mask)?);
                        mask
                    }
                    Some(SignConvention::Opposite) => {
                        let outside = mask.complement(stream)?;
                        if outside.count(stream)? == 0 {
                            return Err(DistanceError::NoVoxelsOutside);
                        }
                        sign = DeviceSign::Opposite(outside);
                        mask
                    }
                })
            }
            SiteInput::Points(points) => SiteBuffers::Points(points.upload(stream)?),
            SiteInput::Crossings {
                volume,
                level,
                inside: level_side,
            } => {
                let volume = AnyDeviceVolume::upload(stream, volume)?;
                if convention.is_some() {
                    sign = DeviceSign::Negated(volume.inside(stream, *level, *level_side)?);
                }
                SiteBuffers::Points(volume.crossings(stream, *level)?)
            }
            SiteInput::Labels(LabelSites { labels, inside }) => {
                if let Some(inside) = inside {
                    sign = DeviceSign::Negated(inside.upload(stream)?);
                }
                SiteBuffers::Labels(AnyDeviceVolume::upload(stream, labels)?)
            }
        };
        Ok(Self { sites, sign })
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

    /// Computes the distance map, with the signs of the convention.
    pub fn map(
        &self,
        stream: &Stream,
        params: &DistanceParams,
    ) -> Result<DistanceMap, DistanceError> {
        let mut map = match (&self.sites, &self.sign) {
            (SiteBuffers::Labels(labels), _) => {
                with_device_volume!(labels, volume => distance::transform_labels(stream, volume, params))?
            }
            (SiteBuffers::Voxels(inside), DeviceSign::Opposite(outside)) => {
                distance::transform_opposite(stream, inside, outside, params)?
            }
            (SiteBuffers::Voxels(sites), _) => {
                distance::transform(stream, Sites::Voxels(sites), params)?
            }
            (SiteBuffers::Points(sites), _) => {
                distance::transform(stream, Sites::Points(sites), params)?
            }
        };
        if let DeviceSign::Negated(inside) = &self.sign {
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
