//! Library calls that the command-line program does not make, or of which it outputs only a part.

mod distances;
mod isosurfaces;
mod scans;
mod skeletons;
mod solids;

use crate::record::Record;
use anyhow::Result;
use ferrovox::device::{Device, Stream};

/// A group of related calls.
pub struct Case {
    /// The name, unique among all cases.
    pub name: &'static str,
    /// The calls, for `--list`.
    pub description: &'static str,
    /// `true` if the output depends on the type of the device.
    pub by_kind: bool,
    /// Makes the calls and records the hashes of their results.
    pub run: fn(&mut Record, &Devices) -> Result<()>,
}

/// The devices of a case.
pub struct Devices {
    /// A stream on the device.
    pub stream: Stream,
    /// Three devices of the same type; some may be identical.
    pub all: Vec<Device>,
}

/// All cases.
#[rustfmt::skip]
pub const CASES: &[Case] = &[
    case("scan-integers", "scan::Scanner: operators, types, kinds, methods", scans::integers),
    case("scan-counts", "scan::Scanner: small types into large ones", scans::counts),
    case("scan-extremes", "scan::Scanner: Min and Max, of floats too", scans::extremes),
    by_kind("scan-floats", "scan::Scanner: sums of floats", scans::floats),
    case("scan-in-place", "scan::Scanner: in place", scans::in_place),
    case("scan-checked", "scan::Scanner: checked sums, overflow", scans::checked),
    case("scan-across", "scan::across: methods, chunks, operators", scans::across),
    by_kind("scan-across-floats", "scan::across: sums of floats", scans::across_floats),
    case("isosurface-extract", "isosurface::extract: types, methods, all parameters, index widths", isosurfaces::extract),
    case("isosurface-parts", "isosurface::extract_parts and extract_slabs", isosurfaces::parts),
    case("isosurface-within", "isosurface::extract_within_budget, extract_to_host and for_each_part", isosurfaces::within),
    case("distance-masks", "distance::DeviceMask and Mask: all constructors", distances::masks),
    case("distance-map", "distance::transform: methods, bounds, nearest sites, sign", distances::maps),
    case("distance-points-map", "distance::transform of DevicePoints", distances::points),
    case("distance-slabs", "distance::Slabs", distances::slabs),
    case("distance-squared", "distance::transform_squared and transform_labels_squared", distances::squared),
    case("distance-label-map", "distance::transform_labels of every type", distances::labels),
    case("skeleton-classes", "skeleton: classify, fill_cavities, components, euler_number", skeletons::classes),
    by_kind("skeleton-field", "skeleton::field: force_field with all options, forces at points", skeletons::fields),
    case("voxelize-masks", "voxelize::voxelize and voxelize_on_grid", solids::voxelized),
    case("fields-spheres", "synthetic: sphere, quantised spheres, metaballs", solids::fields),
];

type Run = fn(&mut Record, &Devices) -> Result<()>;

const fn case(name: &'static str, description: &'static str, run: Run) -> Case {
    Case {
        name,
        description,
        by_kind: false,
        run,
    }
}

const fn by_kind(name: &'static str, description: &'static str, run: Run) -> Case {
    Case {
        name,
        description,
        by_kind: true,
        run,
    }
}

/// Runs the selected cases.
pub fn run(record: &mut Record, device: &Device, is_wanted: impl Fn(&str) -> bool) {
    for case in CASES.iter().filter(|case| is_wanted(case.name)) {
        record.begin(case.name, case.by_kind);
        let result = Devices::new(device).and_then(|devices| (case.run)(record, &devices));
        record.end(result);
    }
}

impl Devices {
    fn new(device: &Device) -> Result<Self> {
        let count = Device::cuda_count().unwrap_or(0);
        let all = match device.id().as_str() {
            "cpu" => vec![Device::cpu(); 3],
            _ => (0..3)
                .map(|index| Device::cuda(index % count))
                .collect::<Result<_, _>>()?,
        };
        Ok(Self {
            stream: device.stream()?,
            all,
        })
    }
}
