//! Making the map: everything that happens on a device.

use super::distance_input::{Content, Input};
use crate::{
    args::{DistanceArgs, InsideName, SampleName},
    commands::distance_squared::{self, Squares},
    on_device::upload,
    phases::Phases,
};
use anyhow::Context;
use ferrovox::{
    device::{Device, DeviceError, Stream},
    distance::{
        self, DistanceError, DistanceMap, DistanceParams, Method, Nearest, NoSites, Sites, Square,
        SquaredMap,
    },
    grid::{
        AnyDeviceVolume, AnyVolume, DeviceMask, DevicePoints, DeviceVolume, Geometry, Volume,
        VolumeError,
    },
    with_device_volume,
};

/// The map on the host, and what is known of it.
pub struct Made {
    pub distances: Volume<f32>,
    /// The squared distances, if these were made.
    pub squares: Option<Squares>,
    pub nearest: Option<NearestOnHost>,
    pub sites: u64,
    /// Bytes that each device's buffers held at most.
    pub peaks: Vec<u64>,
}

impl Made {
    /// The least and the greatest finite distance.
    pub fn range(&self) -> Option<[f32; 2]> {
        let finite = self.distances.samples().iter().copied();
        finite
            .filter(|value| value.is_finite())
            .fold(None, |range, value| {
                let [low, high] = range.unwrap_or([value, value]);
                Some([value.min(low), value.max(high)])
            })
    }
}

/// The nearest site of each voxel. All ones where there is none.
pub enum NearestOnHost {
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl NearestOnHost {
    pub fn at(&self, index: usize) -> Option<u64> {
        match self {
            Self::U32(sites) => (sites[index] != u32::MAX).then(|| sites[index].into()),
            Self::U64(sites) => (sites[index] != u64::MAX).then_some(sites[index]),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::U32(sites) => sites.len(),
            Self::U64(sites) => sites.len(),
        }
    }

    /// As a volume: i32, or where that is too narrow f64; -1 where there is no site.
    pub fn to_volume(
        &self,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<AnyVolume, VolumeError> {
        let sites = (0..self.len()).map(|index| self.at(index));
        let narrow: Option<Vec<i32>> = sites
            .clone()
            .map(|site| site.map_or(Some(-1), |site| i32::try_from(site).ok()))
            .collect();
        match narrow {
            Some(narrow) => Ok(Volume::new(narrow, dims, geometry)?.into()),
            None => {
                let wide = sites.map(|site| site.map_or(-1.0, |site| site as f64));
                Ok(Volume::<f64>::new(wide.collect(), dims, geometry)?.into())
            }
        }
    }
}

/// Sites on a device, and what is inside if that is asked for.
pub struct Placed {
    sites: PlacedSites,
    inside: Option<DeviceMask>,
}

enum PlacedSites {
    Voxels(DeviceMask),
    Points(DevicePoints),
    Labels(AnyDeviceVolume),
}

impl Placed {
    /// For the library. Labels have none: every voxel has its own.
    pub fn sites(&self) -> Option<Sites<'_>> {
        match &self.sites {
            PlacedSites::Voxels(sites) => Some(Sites::Voxels(sites)),
            PlacedSites::Points(sites) => Some(Sites::Points(sites)),
            PlacedSites::Labels(_) => None,
        }
    }

    /// How many sites there are; of labels how many voxels are beside another.
    ///
    /// # Errors
    /// That there are none. (That there is one label, the map says.)
    pub fn count(&self, stream: &Stream) -> Result<u64, DistanceError> {
        let count = match &self.sites {
            PlacedSites::Voxels(sites) => sites.count(stream)?,
            PlacedSites::Points(sites) => sites.len() as u64,
            PlacedSites::Labels(labels) => {
                return Ok(with_device_volume!(labels, volume => DeviceMask::from_label_edges(stream, volume))?.count(stream)?);
            }
        };
        if count == 0 {
            return Err(DistanceError::NoSites);
        }
        Ok(count)
    }

    fn map(&self, stream: &Stream, params: &DistanceParams) -> Result<DistanceMap, DistanceError> {
        let mut map = match &self.sites {
            PlacedSites::Voxels(sites) => distance::map(stream, Sites::Voxels(sites), params)?,
            PlacedSites::Points(sites) => distance::map(stream, Sites::Points(sites), params)?,
            PlacedSites::Labels(labels) => {
                with_device_volume!(labels, volume => distance::label_map(stream, volume, params))?
            }
        };
        if let Some(inside) = &self.inside {
            distance::apply_sign(stream, &mut map, inside)?;
        }
        stream.synchronize()?;
        Ok(map)
    }

    /// Squared distances of sites that are voxels, and labels.
    pub fn squared_map<S: Square>(
        &self,
        stream: &Stream,
        params: &DistanceParams,
    ) -> Result<SquaredMap<S>, DistanceError> {
        match &self.sites {
            PlacedSites::Voxels(sites) => distance::squared_map(stream, sites, params),
            PlacedSites::Labels(labels) => {
                with_device_volume!(labels, volume => distance::squared_label_map(stream, volume, params))
            }
            PlacedSites::Points(_) => Err(DistanceError::SquaresWith {
                method: params.method,
            }),
        }
    }
}

/// Finds the sites, makes the map, and copies it to the host.
pub fn make(
    phases: &mut Phases,
    args: &DistanceArgs,
    devices: &[Device],
    input: &Input,
    params: &DistanceParams,
) -> anyhow::Result<Made> {
    let device = one(devices, args)?;
    let named = || input.name.clone();
    device.reset_peak_memory();
    let stream = device.stream()?;
    let (placed, sites) = phases
        .run("sites", || {
            let placed = place(&stream, args, input)?;
            let count = placed.count(&stream)?;
            Ok::<_, DistanceError>((placed, count))
        })
        .with_context(named)?;
    let mut params = *params;
    if !args.labels {
        // they were counted
        params.no_sites = NoSites::Infinity;
    }
    if args.dtype != SampleName::F32 && distance_squared::by_the_device(&params) {
        let squares = Squares::make(phases, args, &stream, &placed, &params, input)?;
        return Ok(Made {
            distances: squares.distances(params.max_distance, input)?,
            squares: Some(squares),
            nearest: None,
            sites,
            peaks: vec![device.memory_use().peak],
        });
    }
    let map = phases
        .run("map", || placed.map(&stream, &params))
        .with_context(named)?;
    if params.nearest && map.nearest.is_none() {
        let method = params.method;
        return Err(DistanceError::NoNearestWith { method }).with_context(named);
    }
    let (distances, nearest) = phases.run("download", || download(&stream, &map))?;
    Ok(Made {
        distances,
        squares: None,
        nearest,
        sites,
        peaks: vec![device.memory_use().peak],
    })
}

/// The device, where several cannot make the map together, nor keep it in slabs to a limit of memory.
pub fn one<'a>(devices: &'a [Device], args: &DistanceArgs) -> anyhow::Result<&'a Device> {
    anyhow::ensure!(
        devices.len() == 1,
        "{} devices: several make a map together by the method separable, from sites that are voxels, without --compare; name one \
         --device",
        devices.len()
    );
    let keeps_to_it = matches!(args.method(), Method::Cubes | Method::BruteForce);
    anyhow::ensure!(
        args.memory.is_none() || keeps_to_it && args.compare.is_none(),
        "--memory goes with the methods separable, cubes and brute-force, without --compare; leave it out"
    );
    Ok(&devices[0])
}

fn download(
    stream: &Stream,
    map: &DistanceMap,
) -> Result<(Volume<f32>, Option<NearestOnHost>), DeviceError> {
    let nearest = match &map.nearest {
        Some(Nearest::U32(sites)) => Some(NearestOnHost::U32(stream.download(sites)?)),
        Some(Nearest::U64(sites)) => Some(NearestOnHost::U64(stream.download(sites)?)),
        None => None,
    };
    Ok((map.download(stream)?, nearest))
}

/// Puts the sites on a device.
pub fn place(stream: &Stream, args: &DistanceArgs, input: &Input) -> Result<Placed, DistanceError> {
    match &input.content {
        Content::Mask(mask) => {
            let on_device = DeviceVolume::upload(stream, mask.view())?;
            let sites = DeviceMask::from_mask(stream, &on_device)?;
            let inside = match args.signed {
                true => Some(DeviceMask::enclosed_by(stream, &sites)?),
                false => None,
            };
            Ok(Placed {
                sites: PlacedSites::Voxels(sites),
                inside,
            })
        }
        Content::Level(volume, level) => of_level(stream, args, &upload(stream, &volume)?, *level),
        Content::Points(points, _) => {
            let sites = DevicePoints::upload(stream, points, input.dims, input.geometry)?;
            Ok(Placed {
                sites: PlacedSites::Points(sites),
                inside: None,
            })
        }
        Content::Labels(labels) => Ok(Placed {
            sites: PlacedSites::Labels(upload(stream, labels)?),
            inside: None,
        }),
    }
}

fn of_level(
    stream: &Stream,
    args: &DistanceArgs,
    volume: &AnyDeviceVolume,
    level: f32,
) -> Result<Placed, DistanceError> {
    let above = args.inside == InsideName::Above;
    let inside = |volume: &AnyDeviceVolume| match above {
        true => volume.above(stream, level),
        false => volume.below(stream, level),
    };
    if args.sub_voxel {
        return Ok(Placed {
            sites: PlacedSites::Points(volume.crossings(stream, level)?),
            inside: args.signed.then(|| inside(volume)).transpose()?,
        });
    }
    let inside = inside(volume)?;
    Ok(Placed {
        sites: PlacedSites::Voxels(inside.surface(stream)?),
        inside: args.signed.then_some(inside),
    })
}
