//! Division of slabs into pieces that fit a memory budget.

use super::memory_plan::MemoryError;
use crate::device::{Device, DeviceError, DeviceKind, Stream};
use std::ops::Range;

/// The error of a memory budget that is too small even for the smallest parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a memory budget of {budget} bytes is too small: {needed} bytes are needed; allow as many, or take a smaller volume"
)]
pub struct TooLittleMemory {
    /// Number of bytes needed.
    pub needed: u64,
    /// Number of bytes available: the limit of the caller, or the free memory.
    pub budget: u64,
}

/// Returns the largest number from 1 to `max` that `fits`, by bisection, or 1 if none does. `fits`
/// must be monotonic.
pub(crate) fn max_fitting(max: u64, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (1, max);
    while low < high {
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Counts the users of each memory: the host, and these devices. The CPU as a device uses the
/// host's memory.
#[derive(Clone, Copy)]
pub(crate) struct MemorySharing<'a>(pub &'a [Device]);

impl MemorySharing<'_> {
    /// Returns the number of users of the host's memory: the host, and each device that is the CPU.
    pub fn host_users(self) -> u64 {
        let is_cpu = |device: &&Device| device.kind() == DeviceKind::Cpu;
        1 + self.0.iter().filter(is_cpu).count() as u64
    }

    /// Returns the number of users of a device's memory: a device may be named more than once.
    pub fn users(self, device: &Device) -> u64 {
        if device.kind() == DeviceKind::Cpu {
            return self.host_users();
        }
        let same = self.0.iter().filter(|other| other.id() == device.id());
        same.count().max(1) as u64
    }

    /// Returns half of the smallest free memory among the host and the devices, in bytes.
    ///
    /// # Errors
    /// Errors of the driver when it is queried for its free memory.
    pub fn half_of_free(self) -> Result<u64, DeviceError> {
        let mut bytes = Device::cpu().memory()?.free;
        for device in self.0 {
            bytes = bytes.min(device.memory()?.free);
        }
        Ok(bytes / 2)
    }

    /// Returns the smallest share of a user among the devices, in bytes: half of a device's free
    /// memory, divided by its number of users.
    ///
    /// # Errors
    /// Errors of the driver when it is queried for its free memory.
    pub fn half_of_free_per_user(self) -> Result<u64, DeviceError> {
        let mut bytes = u64::MAX;
        for device in self.0 {
            bytes = bytes.min(device.memory()?.free / 2 / self.users(device));
        }
        Ok(bytes)
    }
}

/// Memory that pieces of a slab may use.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// Stream of the device that computes the pieces.
    pub stream: &'a Stream,
    /// Bytes of device memory; `None` for all that is free.
    pub device: Option<u64>,
    /// Maximum bytes of the result of one piece.
    pub result: u64,
    /// `true` if results stay on the device, so that each leaves less memory for the next.
    pub keeps_results: bool,
}

impl Budget<'_> {
    fn fits(&self, used: u64, additional: u64) -> bool {
        match self.device {
            Some(bytes) => used.saturating_add(additional) <= bytes,
            None => self.stream.require(additional).is_ok(),
        }
    }

    /// Returns the error of a budget in which no piece fits.
    fn too_little<E>(&self) -> Result<OverBudget<E>, DeviceError> {
        let budget = match self.device {
            Some(bytes) => bytes,
            None => self.stream.device().memory()?.free,
        };
        Ok(OverBudget::TooLittle { budget })
    }
}

/// Reason why the computation of pieces ended early.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OverBudget<E> {
    /// The smallest piece does not fit the budget.
    TooLittle {
        /// Bytes of the budget.
        budget: u64,
    },
    /// The computation failed for another reason.
    Failed(E),
}

/// Bytes that a piece needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PieceBytes {
    /// Bytes of scratch memory while the piece is computed.
    pub scratch: u64,
    /// Bytes of its result.
    pub result: u64,
}

/// A computation that can be divided into pieces: ranges of planes.
pub(crate) trait Pieces {
    /// A piece that is counted: it holds its scratch memory, and can be emitted.
    type CountedPart;
    /// Error of the computation.
    type Error: From<DeviceError> + MemoryError;

    /// Returns the bytes of scratch memory that a piece needs in addition to its result.
    fn scratch(&self, piece: Range<u32>) -> Result<u64, Self::Error>;

    /// Counts a piece, and returns the bytes of its result.
    fn count(&self, piece: Range<u32>) -> Result<(Self::CountedPart, u64), Self::Error>;

    /// Returns the bytes that one plane needs as a piece of its own.
    fn plane_bytes(&self, plane: u32) -> Result<PieceBytes, Self::Error> {
        let piece = plane..plane + 1;
        let scratch = self.scratch(piece.clone())?;
        let (_, result) = self.count(piece)?;
        Ok(PieceBytes { scratch, result })
    }
}

/// Counts a range in pieces that are as high as the budget permits, and passes each to `emit`.
///
/// Before counting, a piece is estimated to need twice its scratch memory. Its height is halved
/// until the estimate fits, and again if the counted result does not fit or memory runs out during
/// counting. The height is doubled after a piece that leaves enough memory.
///
/// # Errors
/// [`OverBudget::TooLittle`] if one plane alone does not fit.
pub(crate) fn within_budget<P: Pieces, E: From<P::Error>>(
    pieces: &P,
    range: Range<u32>,
    budget: &Budget<'_>,
    mut emit: impl FnMut(P::CountedPart, Range<u32>) -> Result<(), E>,
) -> Result<(), OverBudget<E>> {
    let failed = |error: P::Error| OverBudget::Failed(E::from(error));
    let too_little = || match budget.too_little() {
        Ok(over) => over,
        Err(error) => failed(error.into()),
    };
    let mut kept_bytes = 0u64;
    let mut start = range.start;
    let mut height = range.end - range.start;
    while start < range.end {
        height = height.min(range.end - start);
        let piece = start..start + height;
        let scratch = pieces.scratch(piece.clone()).map_err(failed)?;
        if height > 1 && !budget.fits(kept_bytes, scratch.saturating_mul(2)) {
            height = height.div_ceil(2);
            continue;
        }
        if !budget.fits(kept_bytes, scratch) {
            return Err(too_little());
        }
        let (counted, result) = match pieces.count(piece.clone()) {
            Ok(counted) => counted,
            Err(error) if height > 1 && error.is_out_of_memory() => {
                height = height.div_ceil(2);
                continue;
            }
            Err(error) => return Err(failed(error)),
        };
        if result > budget.result || !budget.fits(kept_bytes + scratch, result) {
            drop(counted);
            if height == 1 {
                return Err(too_little());
            }
            height = height.div_ceil(2);
            continue;
        }
        emit(counted, piece).map_err(OverBudget::Failed)?;
        if budget.keeps_results {
            kept_bytes += result;
        }
        start += height;
        // the next piece may be higher, if it is likely to fit
        let likely = (scratch + result).saturating_mul(3);
        if budget.fits(kept_bytes, likely) && result.saturating_mul(3) <= budget.result {
            height = height.saturating_mul(2);
        }
    }
    Ok(())
}

/// Returns the minimum [`Budget::device`] in which a range can be computed plane by plane.
pub(crate) fn min_device_bytes<P: Pieces>(
    pieces: &P,
    range: Range<u32>,
    keeps_results: bool,
) -> Result<u64, P::Error> {
    let (mut min_bytes, mut kept_bytes) = (0, 0);
    for plane in range {
        let plane = pieces.plane_bytes(plane)?;
        min_bytes = min_bytes.max(kept_bytes + plane.scratch + plane.result);
        if keeps_results {
            kept_bytes += plane.result;
        }
    }
    Ok(min_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::OutOfMemory;
    use proptest::prelude::*;

    #[test]
    fn bisection_finds_the_largest_fitting_number() {
        for max in 1..20 {
            for limit in 0..25 {
                assert_eq!(max_fitting(max, |n| n <= limit), limit.clamp(1, max));
            }
        }
    }

    #[test]
    fn cpu_devices_share_the_memory_of_the_host() {
        let devices = [Device::cpu(), Device::cpu()];
        let sharing = MemorySharing(&devices);
        assert_eq!((sharing.host_users(), sharing.users(&devices[0])), (3, 3));
        assert_eq!(MemorySharing(&[]).host_users(), 1);
    }

    /// Planes with results of these sizes, and scratch memory of two bytes per plane and one per
    /// piece. Counting a piece of more than `max_counted` planes runs out of memory.
    struct Planes {
        results: Vec<u64>,
        max_counted: usize,
    }

    impl Pieces for Planes {
        type CountedPart = u64;
        type Error = DeviceError;

        fn scratch(&self, piece: Range<u32>) -> Result<u64, DeviceError> {
            Ok(2 * piece.len() as u64 + 1)
        }

        fn count(&self, piece: Range<u32>) -> Result<(u64, u64), DeviceError> {
            if piece.len() > self.max_counted {
                return Err(DeviceError::from(OutOfMemory {
                    purpose: "a piece",
                    bytes: 1,
                }));
            }
            let planes = piece.start as usize..piece.end as usize;
            let total = self.results[planes].iter().sum();
            Ok((total, total))
        }
    }

    proptest! {
        #[test]
        fn pieces_cover_the_range_within_the_budget(
            planes in prop::collection::vec(0u64..40, 1..60),
            spare in 0u64..200,
            max_counted in 1usize..70,
            keeps_results in any::<bool>(),
        ) {
            let stream = Device::cpu().stream().unwrap();
            let planes = Planes { results: planes, max_counted };
            let range = 0..planes.results.len() as u32;
            let min_bytes = min_device_bytes(&planes, range.clone(), keeps_results).unwrap();
            let run = |bytes: u64| {
                let budget = Budget { stream: &stream, device: Some(bytes), result: u64::MAX, keeps_results };
                let (mut next, mut kept) = (0, 0);
                let done = within_budget(&planes, range.clone(), &budget, |counted, piece| {
                    assert_eq!(piece.start, next);
                    assert!(kept + planes.scratch(piece.clone()).unwrap() + counted <= bytes);
                    next = piece.end;
                    kept += if keeps_results { counted } else { 0 };
                    Ok::<_, DeviceError>(())
                });
                (done.is_ok(), next)
            };
            prop_assert_eq!(run(min_bytes + spare), (true, range.end));
            prop_assert!(!run(min_bytes - 1).0);
        }
    }
}
