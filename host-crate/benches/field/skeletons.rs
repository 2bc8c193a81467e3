//! Times entire skeletons.

use crate::support::Outcome;
use ferrovox::{
    device::{Device, Stream},
    grid::{DeviceMask, DeviceVolume},
    skeleton::potential_field::{self, Extraction},
    synthetic::{self, Capsule, HUMAN_HEIGHT},
};
use measure::{Record, Report, Spread};
use std::{
    str::FromStr,
    time::{Duration, Instant},
};

/// Solid whose skeleton is extracted.
#[derive(Clone, Copy, Debug)]
pub enum Object {
    /// Human phantom with the dimensions of Zhao et al. (2016): the given width and depth in
    /// voxels, 487 high.
    Human(usize),
    /// A four-legged animal in 85 × 31 × 54 voxels.
    Animal,
}

impl FromStr for Object {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let width = text
            .strip_prefix("human:")
            .and_then(|width| width.parse().ok());
        match (text, width) {
            ("animal", _) => Ok(Object::Animal),
            (_, Some(width)) => Ok(Object::Human(width)),
            _ => Err(format!(
                "unknown solid {text:?}; choose human:256 (or another width) or animal"
            )),
        }
    }
}

impl Object {
    fn dims(self) -> [usize; 3] {
        match self {
            Object::Human(width) => [width, width, HUMAN_HEIGHT],
            Object::Animal => [85, 31, 54],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Object::Human(_) => "human",
            Object::Animal => "animal",
        }
    }

    fn volume(self, stream: &Stream) -> Outcome<DeviceVolume<f32>> {
        Ok(match self {
            Object::Human(_) => synthetic::human(stream, self.dims())?,
            Object::Animal => {
                synthetic::capsules(stream, self.dims(), &animal(), 2.0, [1.0; 3], [0.0; 3])?
            }
        })
    }
}

/// Returns a body, a neck, a head, a tail and four legs.
fn animal() -> Vec<Capsule> {
    let part = |ends, radii| Capsule { ends, radii };
    let mut parts = vec![
        part([[22.0, 15.0, 32.0], [58.0, 15.0, 33.0]], [11.0, 10.0]),
        part([[58.0, 15.0, 35.0], [70.0, 15.0, 44.0]], [7.0, 5.0]),
        part([[70.0, 15.0, 44.0], [79.0, 15.0, 41.0]], [5.0, 4.0]),
        part([[12.0, 15.0, 36.0], [4.0, 15.0, 20.0]], [3.0, 2.5]),
    ];
    for x in [20.0, 56.0] {
        for y in [7.0, 23.0] {
            parts.push(part([[x, y, 26.0], [x, y, 5.0]], [5.0, 3.5]));
        }
    }
    parts
}

/// Times the skeleton of a solid, in total and by stage.
pub fn measure_skeleton(
    report: &mut Report,
    device: &Device,
    object: Object,
    params: &potential_field::Params,
    runs: usize,
) -> Outcome<()> {
    let stream = device.stream()?;
    let solid = DeviceMask::above(&stream, &object.volume(&stream)?, 0.0)?;
    let (mut totals, mut stages) = (Vec::new(), Vec::<(&str, Vec<Duration>)>::new());
    let mut last = None;
    for run in 0..=runs {
        let start = Instant::now();
        let extraction = potential_field::extract(&stream, &solid, params)?;
        // the first run is a warm-up
        if run > 0 {
            totals.push(start.elapsed());
            for (number, at) in extraction.timings.iter().enumerate() {
                if stages.len() <= number {
                    stages.push((at.stage, Vec::new()));
                }
                stages[number].1.push(at.time);
            }
        }
        last = Some(extraction);
    }
    let extraction = last.expect("at least one run");
    let [nx, ny, nz] = object.dims();
    let record = |measure: &str, note: String| Record {
        system: "ferrovox".into(),
        device: device.id(),
        measure: measure.into(),
        method: params.variant.name().into(),
        element: params.precision.name().into(),
        field: object.name().into(),
        size: format!("{nx}x{ny}x{nz}"),
        elements: (nx * ny * nz) as u64,
        note,
        ..Record::default()
    };
    let named = format!("skeleton, {}", object.name());
    report.add(record(&named, describe(&extraction)).with_times(Spread::from_durations(&totals)));
    for (name, times) in stages {
        report.add(
            record(&format!("- {name}"), String::new()).with_times(Spread::from_durations(&times)),
        );
    }
    Ok(())
}

/// Describes a skeleton.
fn describe(extraction: &Extraction) -> String {
    let unbalanced = extraction
        .certificate
        .iter()
        .filter(|one| !one.is_balanced())
        .count();
    let (counts, skeleton) = (extraction.counts, &extraction.skeleton);
    format!(
        "{} surface and {} inner voxels, {} nodes, {} edges, {} components, {} cycles, {unbalanced} unbalanced",
        counts.surface,
        counts.boundary + counts.interior,
        skeleton.nodes.len(),
        skeleton.edges.len(),
        skeleton.components().count,
        skeleton.cycles(),
    )
}
