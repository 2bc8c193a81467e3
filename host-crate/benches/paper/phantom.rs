//! The phantom that replaces the model, and the time of its force field.

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

/// Duration in seconds above which a measurement is not repeated.
const MAX_REPEATED_SECONDS: f64 = 4.0;

/// Voxels of the phantom on a device.
pub struct Phantom<'a> {
    stream: &'a Stream,
    pub classes: VoxelClasses,
}

/// Measured time, and the sample it was measured on.
pub struct Timing {
    pub spread: Spread,
    /// Number of targets measured, and of all targets, if the time is extrapolated.
    pub sample: Option<[u64; 2]>,
}

impl<'a> Phantom<'a> {
    pub fn new(stream: &'a Stream, width: usize) -> Outcome<Self> {
        let volume = human(stream, [width, width, HUMAN_HEIGHT])?;
        let solid = DeviceMask::above(stream, &volume, 0.0)?;
        let classes = classify(stream, &solid, SurfaceNeighbours::Corners)?;
        Ok(Self { stream, classes })
    }

    /// Returns the number of (source, target) pairs; boundary forces are means of others.
    pub fn pairs(&self) -> u64 {
        self.classes.counts.surface * self.classes.counts.interior
    }

    /// Times the force field as in Zhao et al. (2016): exponent 2, f32. On a CPU, at most `sample`
    /// pairs are measured and the total is extrapolated.
    pub fn time(&self, variant: FieldVariant, sample: u64, runs: usize) -> Outcome<Timing> {
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
            let spread = device_times(stream, runs, || {
                field::force_field(stream, &self.classes, &params)?;
                Ok(())
            })?;
            return Ok(Timing {
                spread,
                sample: None,
            });
        }
        let sources = field::Sources::from_surface(stream, &self.classes)?;
        let targets = sample / self.classes.counts.surface.max(1);
        let mask = self.central_sample(targets.max(1))?;
        let [part, all] = [mask.count(stream)?, self.classes.counts.interior];
        let spread = device_times(stream, runs, || {
            field::forces_at_voxels(stream, &sources, mask.copy(stream)?, &params)?;
            Ok(())
        })?;
        let scale = all as f64 / part as f64;
        Ok(Timing {
            spread: Spread {
                median_ms: spread.median_ms * scale,
                min_ms: spread.min_ms * scale,
                max_ms: spread.max_ms * scale,
                ..spread
            },
            sample: Some([part, all]),
        })
    }

    /// Returns a mask of about `count` consecutive interior voxels around the middle one.
    fn central_sample(&self, count: u64) -> Outcome<DeviceMask> {
        let interior = &self.classes.interior;
        let mut words = interior.download(self.stream)?;
        let first = (self.classes.counts.interior / 2).saturating_sub(count / 2);
        let mut before = 0;
        for word in &mut words {
            let word_count = u64::from(word.count_ones());
            if before + word_count <= first || before >= first + count {
                *word = 0;
            }
            before += word_count;
        }
        let (dims, geometry) = (interior.dims(), *interior.geometry());
        Ok(DeviceMask::from_words(self.stream, &words, dims, geometry)?)
    }
}

/// Measures device times; long measurements are repeated less often.
fn device_times(
    stream: &Stream,
    runs: usize,
    mut work: impl FnMut() -> Outcome<()>,
) -> Outcome<Spread> {
    let start = Instant::now();
    work()?;
    stream.synchronize()?;
    let seconds = start.elapsed().as_secs_f64();
    let enough = (MAX_REPEATED_SECONDS / seconds.max(1e-6)) as usize;
    support::time_by_events(stream, runs.min(enough).max(1), 1, work)
}
