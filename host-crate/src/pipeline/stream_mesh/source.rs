//! Slabs from a file, each plane read once.
//!
//! A slab is of planes along z, as they are in the file, or of planes along y, of which a row of
//! each z is one: these are planes along z of the same volume with y and z exchanged.

use super::{SampleConversion, SlabAxis, StreamError, StreamOptions};
use crate::{
    grid::{Sample, SampleSummary, SampleType, f64_to_f32, i32_to_f32, less_level},
    io::{FileError, VolumeReader},
    isosurface::{VolumeSlab, partition::SlabPartition},
    memory::{self, OutOfMemory},
};
use std::{
    ops::Range,
    sync::mpsc::{Receiver, SyncSender},
    time::{Duration, Instant},
};

/// What is known of the samples that have been read.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub summary: SampleSummary,
    pub inexact: usize,
}

impl Seen {
    const NOTHING: Self = Self {
        summary: SampleSummary {
            count: 0,
            non_finite: 0,
            min: None,
            max: None,
            mean: None,
        },
        inexact: 0,
    };

    fn see<S: Sample>(&mut self, samples: &[S]) {
        self.summary = self.summary.join(SampleSummary::of(samples));
    }
}

/// How planes of a file are read: of samples as they are, or converted, less what is to be taken
/// from them.
pub(super) type Opening<T> =
    for<'r, 'v> fn(&'r mut VolumeReader<'v>, SlabAxis, &StreamOptions) -> Planes<'r, T>;

/// Reads planes into a slice that is as long as they are.
pub(super) type Planes<'r, T> =
    Box<dyn FnMut(Range<usize>, &mut [T], &mut Seen) -> Result<(), FileError> + Send + 'r>;

/// Samples as they are in the file.
pub(super) fn direct<'r, T: Sample>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    _options: &StreamOptions,
) -> Planes<'r, T> {
    if along == SlabAxis::Y {
        return converted::<T, T>(reader, along, |sample| (sample, true));
    }
    // each plane is asked for once
    reader.set_overlap(0);
    Box::new(move |z, out, seen| {
        reader.read_planes_into(z, out)?;
        seen.see(out);
        Ok(())
    })
}

pub(super) fn from_i32<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, f32> {
    match options.conversion {
        SampleConversion::Subtract(offset) => converted(reader, along, move |sample: i32| {
            less_level(sample.into(), offset)
        }),
        _ => converted(reader, along, i32_to_f32),
    }
}

pub(super) fn from_f64<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, f32> {
    match options.conversion {
        SampleConversion::Subtract(offset) => {
            converted(reader, along, move |sample| less_level(sample, offset))
        }
        _ => converted(reader, along, f64_to_f32),
    }
}

/// Samples that are converted: those of one z at a time. `convert` also returns whether the
/// conversion is exact.
fn converted<'r, S: Sample, T: Sample>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    convert: impl Fn(S) -> (T, bool) + Send + 'r,
) -> Planes<'r, T> {
    let mut stored: Vec<S> = Vec::new();
    reader.set_overlap(0);
    Box::new(move |planes, out, seen| {
        let [nx, ny, nz] = reader.dims();
        if nx == 0 || ny == 0 || nz == 0 {
            return Ok(());
        }
        // how many are not exact
        let put = |out: &mut [T], stored: &[S]| -> usize {
            let pairs = out.iter_mut().zip(stored);
            let inexact = pairs.map(|(out, &sample)| {
                let (value, exact) = convert(sample);
                *out = value;
                usize::from(!exact)
            });
            inexact.sum()
        };
        match along {
            SlabAxis::Z => {
                for (z, out) in planes.zip(out.chunks_exact_mut(nx * ny)) {
                    resize(&mut stored, nx * ny)
                        .map_err(|error| FileError::new(reader.path(), error.into()))?;
                    reader.read_planes_into(z..z + 1, &mut stored)?;
                    seen.inexact += put(out, &stored);
                    seen.see(&stored);
                }
            }
            SlabAxis::Y => {
                resize(&mut stored, planes.len() * nx)
                    .map_err(|error| FileError::new(reader.path(), error.into()))?;
                for z in 0..nz {
                    reader.read_samples_into((z * ny + planes.start) * nx, &mut stored)?;
                    seen.see(&stored);
                    let rows = out.chunks_exact_mut(nx).skip(z).step_by(nz);
                    for (out, row) in rows.zip(stored.chunks_exact(nx)) {
                        seen.inexact += put(out, row);
                    }
                }
            }
        }
        Ok(())
    })
}

/// Reads samples of any type as the indicator function of the selection of the options.
pub(super) fn indicator<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    options: &StreamOptions,
) -> Planes<'r, u8> {
    match options.conversion {
        SampleConversion::Indicator(selection) => {
            let is_selected = selection.predicate(reader.sample_type());
            chosen(reader, along, is_selected)
        }
        _ => chosen(reader, along, |sample| sample != 0.0),
    }
}

/// A mask of samples of any type: zero or not.
pub(super) fn mask<'r>(reader: &'r mut VolumeReader<'_>, along: SlabAxis) -> Planes<'r, u8> {
    match reader.sample_type() {
        SampleType::U8 => direct(reader, along, &StreamOptions::default()),
        _ => chosen(reader, along, |sample| sample != 0.0),
    }
}

/// 1 where a sample of any type is one that `is_inside`.
fn chosen<'r>(
    reader: &'r mut VolumeReader<'_>,
    along: SlabAxis,
    is_inside: impl Fn(f64) -> bool + Copy + Send + 'r,
) -> Planes<'r, u8> {
    fn kept<S: Sample>(is_inside: impl Fn(f64) -> bool) -> impl Fn(S) -> (u8, bool) {
        move |sample| (u8::from(is_inside(sample.to_f64())), true)
    }
    match reader.sample_type() {
        SampleType::U8 => converted(reader, along, kept::<u8>(is_inside)),
        SampleType::I8 => converted(reader, along, kept::<i8>(is_inside)),
        SampleType::U16 => converted(reader, along, kept::<u16>(is_inside)),
        SampleType::I16 => converted(reader, along, kept::<i16>(is_inside)),
        SampleType::I32 => converted(reader, along, kept::<i32>(is_inside)),
        SampleType::F32 => converted(reader, along, kept::<f32>(is_inside)),
        SampleType::F64 => converted(reader, along, kept::<f64>(is_inside)),
    }
}

/// What memory is for that holds a slab.
const SLAB: &str = "a slab of the volume";

/// Makes a list as long as that.
fn resize<T: Sample>(list: &mut Vec<T>, len: usize) -> Result<(), OutOfMemory> {
    memory::try_reserve(SLAB, list, len.saturating_sub(list.len()))?;
    list.resize(len, T::zeroed());
    Ok(())
}

/// The samples of a slab, and its mask.
pub(super) struct Filled<T> {
    pub samples: Vec<T>,
    /// Empty without a mask.
    pub mask: Vec<u8>,
    pub slab: VolumeSlab,
    /// Which slab it is.
    pub number: usize,
}

impl<T> Default for Filled<T> {
    fn default() -> Self {
        Self {
            samples: Vec::new(),
            mask: Vec::new(),
            slab: VolumeSlab {
                cells: 0..0,
                planes: 0..0,
            },
            number: 0,
        }
    }
}

/// Planes that follow each other, of which the last are kept for the next slab.
struct Forward<'r, T> {
    read: Planes<'r, T>,
    tail: Vec<T>,
}

impl<T: Sample> Forward<'_, T> {
    fn fill(
        &mut self,
        planes: Range<usize>,
        next: usize,
        plane: usize,
        out: &mut Vec<T>,
        seen: &mut Seen,
    ) -> Result<(), StreamError> {
        let again = next.saturating_sub(planes.start) * plane;
        resize(out, planes.len() * plane)?;
        out[..again].copy_from_slice(&self.tail[self.tail.len() - again..]);
        (self.read)(next..planes.end, &mut out[again..], seen)?;
        // the next slab begins at most three planes before this one's end
        let keep = planes.len().min(3) * plane;
        self.tail.clear();
        memory::try_extend(SLAB, &mut self.tail, &out[out.len() - keep..])?;
        Ok(())
    }
}

/// The slabs of a file, in order.
pub(super) struct Slabs<'r, T> {
    partition: SlabPartition,
    volume: Forward<'r, T>,
    mask: Option<Forward<'r, u8>>,
    /// The plane after the last that was read.
    next: usize,
    seen: Seen,
}

impl<'r, T: Sample> Slabs<'r, T> {
    pub fn new(
        partition: SlabPartition,
        volume: Planes<'r, T>,
        mask: Option<Planes<'r, u8>>,
    ) -> Self {
        let forward = |read| Forward {
            read,
            tail: Vec::new(),
        };
        Self {
            partition,
            volume: Forward {
                read: volume,
                tail: Vec::new(),
            },
            mask: mask.map(forward),
            next: 0,
            seen: Seen::NOTHING,
        }
    }

    /// What has been read.
    pub fn seen(&self) -> Seen {
        self.seen
    }

    /// The next slab is the first again.
    pub fn start_again(&mut self) {
        self.next = 0;
        self.seen = Seen::NOTHING;
        self.volume.tail.clear();
        if let Some(mask) = &mut self.mask {
            mask.tail.clear();
        }
    }

    /// Reads a slab, the next after the last.
    pub fn fill(&mut self, slab: &VolumeSlab, filled: &mut Filled<T>) -> Result<(), StreamError> {
        let (planes, plane) = (slab.planes.clone(), self.partition.plane_len());
        let (next, seen) = (self.next, &mut self.seen);
        self.volume
            .fill(planes.clone(), next, plane, &mut filled.samples, seen)?;
        if let Some(mask) = &mut self.mask {
            let mut of_mask = Seen::NOTHING;
            mask.fill(planes, next, plane, &mut filled.mask, &mut of_mask)?;
        }
        self.next = slab.planes.end;
        filled.slab = slab.clone();
        Ok(())
    }

    /// Reads all slabs, and gives them to the workers in turn. Returns how long it read; stops when
    /// a worker is gone.
    pub fn read_all(
        &mut self,
        height: u32,
        emptied: Receiver<Filled<T>>,
        workers: &[SyncSender<Filled<T>>],
    ) -> Result<Duration, StreamError> {
        let mut reading = Duration::ZERO;
        for (number, slab) in self.partition.slabs_of_height(height).enumerate() {
            let Ok(mut filled) = emptied.recv() else {
                return Ok(reading);
            };
            let start = Instant::now();
            self.fill(&slab, &mut filled)?;
            filled.number = number;
            reading += start.elapsed();
            if workers[number % workers.len()].send(filled).is_err() {
                return Ok(reading);
            }
        }
        self.read_rest(&mut reading)?;
        Ok(reading)
    }

    /// Reads a volume without cells: its samples are counted all the same, and damage is reported.
    fn read_rest(&mut self, reading: &mut Duration) -> Result<(), StreamError> {
        let start = Instant::now();
        let (planes, plane) = (
            self.partition.padded.stored.nz as usize,
            self.partition.plane_len(),
        );
        let (mut samples, mut mask) = (Vec::new(), Vec::new());
        while self.next < planes {
            let z = self.next..self.next + 1;
            resize(&mut samples, plane)?;
            (self.volume.read)(z.clone(), &mut samples, &mut self.seen)?;
            if let Some(of_mask) = &mut self.mask {
                resize(&mut mask, plane)?;
                (of_mask.read)(z, &mut mask, &mut Seen { ..Seen::NOTHING })?;
            }
            self.next += 1;
        }
        *reading += start.elapsed();
        Ok(())
    }
}
