//! The phantom in the model's place, and the time that its force field takes.

use crate::support::{self, Outcome};
use ferrovox::{
    device::{DeviceKind, Stream},
    grid::DeviceMask,
    skeleton::potential_field::{
        self, BoundaryForce, FieldVariant, Precision, SurfaceNeighbours, VoxelClasses, classify,
        field,
    },
    synthetic::{HUMAN_HEIGHT, human},
};
use measure::Spread;
use std::time::Instant;

/// Seconds after which a measurement is not repeated.
const PATIENCE: f64 = 4.0;

/// The phantom's voxels on a device.
pub struct Phantom<'a> {
    stream: &'a Stream,
    pub classes: VoxelClasses,
}

/// A time, and of which part it was measured.
pub struct Timed {
    pub spread: Spread,
    /// How many of all targets there were, if it is extrapolated.
    pub sample: Option<[u64; 2]>,
}

impl<'a> Phantom<'a> {
    pub fn new(stream: &'a Stream, width: usize) -> Outcome<Self> {
        let volume = human(stream, [width, width, HUMAN_HEIGHT])?;
        let solid = DeviceMask::above(stream, &volume, 0.0)?;
        let classes = classify(stream, &solid, SurfaceNeighbours::Corners)?;
        Ok(Self { stream, classes })
    }

    /// Pairs of a source and a target: forces next to the surface are means of others.
    pub fn pairs(&self) -> u64 {
        self.classes.counts.surface * self.classes.counts.interior
    }

    /// The time of the force field as Zhao et al. (2016) make it: exponent 2, f32. On a CPU of no
    /// more pairs than `sample`, from which that of all follows.
    pub fn time(&self, variant: FieldVariant, sample: u64, runs: usize) -> Outcome<Timed> {
        let params = potential_field::Params {
            exponent: 2.0,
            precision: Precision::F32,
            boundary: BoundaryForce::Mean,
            surface: SurfaceNeighbours::Corners,
            variant,
            ..potential_field::Params::default()
        };
        let stream = self.stream;
        let on_cpu = stream.device().kind() == DeviceKind::Cpu;
        if !on_cpu || self.pairs() <= sample {
            let spread = by_events(stream, runs, || {
                field::force_field(stream, &self.classes, &params)?;
                Ok(())
            })?;
            return Ok(Timed {
                spread,
                sample: None,
            });
        }
        let sources = field::Sources::from_surface(stream, &self.classes)?;
        let targets = sample / self.classes.counts.surface.max(1);
        let mask = self.middle(targets.max(1))?;
        let [part, all] = [mask.count(stream)?, self.classes.counts.interior];
        let spread = by_events(stream, runs, || {
            field::forces_at_voxels(stream, &sources, mask.copy(stream)?, &params)?;
            Ok(())
        })?;
        let scale = all as f64 / part as f64;
        Ok(Timed {
            spread: Spread {
                median_ms: spread.median_ms * scale,
                min_ms: spread.min_ms * scale,
                max_ms: spread.max_ms * scale,
                ..spread
            },
            sample: Some([part, all]),
        })
    }

    /// About so many neighbouring interior voxels: those around the middle one.
    fn middle(&self, wanted: u64) -> Outcome<DeviceMask> {
        let interior = &self.classes.interior;
        let mut words = interior.download(self.stream)?;
        let first = (self.classes.counts.interior / 2).saturating_sub(wanted / 2);
        let mut before = 0;
        for word in &mut words {
            let here = u64::from(word.count_ones());
            if before + here <= first || before >= first + wanted {
                *word = 0;
            }
            before += here;
        }
        let (dims, geometry) = (interior.dims(), *interior.geometry());
        Ok(DeviceMask::from_words(self.stream, &words, dims, geometry)?)
    }
}

/// Times on the device's clock: fewer runs where they take long.
fn by_events(
    stream: &Stream,
    runs: usize,
    mut work: impl FnMut() -> Outcome<()>,
) -> Outcome<Spread> {
    let start = Instant::now();
    work()?;
    stream.synchronize()?;
    let seconds = start.elapsed().as_secs_f64();
    let enough = (PATIENCE / seconds.max(1e-6)) as usize;
    support::by_events(stream, runs.min(enough).max(1), 1, work)
}
