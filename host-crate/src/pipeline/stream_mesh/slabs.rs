//! Reading of slabs from a volume file, each plane once.

use super::{
    StreamError,
    planes::{PURPOSE, Planes, ReadStatistics, resize},
};
use crate::{
    grid::Sample,
    isosurface::{VolumeSlab, partition::SlabPartition},
    memory,
};
use std::{
    ops::Range,
    sync::mpsc::{Receiver, SyncSender},
    time::{Duration, Instant},
};

/// Samples and mask of a slab.
pub(super) struct SlabBuffer<T> {
    pub samples: Vec<T>,
    /// Mask of the slab; empty without a mask.
    pub mask: Vec<u8>,
    pub slab: VolumeSlab,
    /// Number of the slab.
    pub number: usize,
}

impl<T> Default for SlabBuffer<T> {
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

/// Sequential reader of planes that keeps the last ones for the next slab.
struct PlaneStream<'r, T> {
    read: Planes<'r, T>,
    tail: Vec<T>,
}

impl<T: Sample> PlaneStream<'_, T> {
    fn fill(
        &mut self,
        planes: Range<usize>,
        next: usize,
        plane: usize,
        out: &mut Vec<T>,
        statistics: &mut ReadStatistics,
    ) -> Result<(), StreamError> {
        let kept = next.saturating_sub(planes.start) * plane;
        resize(out, planes.len() * plane)?;
        out[..kept].copy_from_slice(&self.tail[self.tail.len() - kept..]);
        (self.read)(next..planes.end, &mut out[kept..], statistics)?;
        // the next slab begins at most three planes before the end of this one
        let keep = planes.len().min(3) * plane;
        self.tail.clear();
        memory::try_extend(PURPOSE, &mut self.tail, &out[out.len() - keep..])?;
        Ok(())
    }
}

/// Reader of the slabs of a file, in order.
pub(super) struct Slabs<'r, T> {
    partition: SlabPartition,
    volume: PlaneStream<'r, T>,
    mask: Option<PlaneStream<'r, u8>>,
    /// Index of the next plane to read.
    next: usize,
    statistics: ReadStatistics,
}

impl<'r, T: Sample> Slabs<'r, T> {
    pub fn new(
        partition: SlabPartition,
        volume: Planes<'r, T>,
        mask: Option<Planes<'r, u8>>,
    ) -> Self {
        let stream = |read| PlaneStream {
            read,
            tail: Vec::new(),
        };
        Self {
            partition,
            volume: PlaneStream {
                read: volume,
                tail: Vec::new(),
            },
            mask: mask.map(stream),
            next: 0,
            statistics: ReadStatistics::EMPTY,
        }
    }

    /// Returns the statistics of the samples read so far.
    pub fn statistics(&self) -> ReadStatistics {
        self.statistics
    }

    /// Continues with the first slab.
    pub fn rewind(&mut self) {
        self.next = 0;
        self.statistics = ReadStatistics::EMPTY;
        self.volume.tail.clear();
        if let Some(mask) = &mut self.mask {
            mask.tail.clear();
        }
    }

    /// Reads a slab, which follows the previous one.
    pub fn fill(
        &mut self,
        slab: &VolumeSlab,
        filled: &mut SlabBuffer<T>,
    ) -> Result<(), StreamError> {
        let (planes, plane) = (slab.planes.clone(), self.partition.plane_len());
        let (next, statistics) = (self.next, &mut self.statistics);
        self.volume
            .fill(planes.clone(), next, plane, &mut filled.samples, statistics)?;
        if let Some(mask) = &mut self.mask {
            let mut mask_statistics = ReadStatistics::EMPTY;
            mask.fill(planes, next, plane, &mut filled.mask, &mut mask_statistics)?;
        }
        self.next = slab.planes.end;
        filled.slab = slab.clone();
        Ok(())
    }

    /// Reads all slabs and distributes them to the workers in turn. Returns the time spent reading.
    /// Stops early if a worker is gone.
    pub fn read_all(
        &mut self,
        height: u32,
        free_buffers: Receiver<SlabBuffer<T>>,
        workers: &[SyncSender<SlabBuffer<T>>],
    ) -> Result<Duration, StreamError> {
        let mut reading = Duration::ZERO;
        for (number, slab) in self.partition.slabs_with_height(height).enumerate() {
            let Ok(mut filled) = free_buffers.recv() else {
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
        self.read_remaining(&mut reading)?;
        Ok(reading)
    }

    /// Reads the planes that belong to no slab, for the statistics and to detect damage: those of a
    /// volume without cells.
    fn read_remaining(&mut self, reading: &mut Duration) -> Result<(), StreamError> {
        let start = Instant::now();
        let (planes, plane) = (
            self.partition.padded.stored.nz as usize,
            self.partition.plane_len(),
        );
        let (mut samples, mut mask) = (Vec::new(), Vec::new());
        while self.next < planes {
            let z = self.next..self.next + 1;
            resize(&mut samples, plane)?;
            (self.volume.read)(z.clone(), &mut samples, &mut self.statistics)?;
            if let Some(mask_stream) = &mut self.mask {
                resize(&mut mask, plane)?;
                (mask_stream.read)(
                    z,
                    &mut mask,
                    &mut ReadStatistics {
                        ..ReadStatistics::EMPTY
                    },
                )?;
            }
            self.next += 1;
        }
        *reading += start.elapsed();
        Ok(())
    }
}
