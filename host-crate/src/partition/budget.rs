//! From bytes of memory to heights of slabs.

use crate::device::{Device, DeviceError, DeviceKind, Stream};
use std::ops::Range;

/// A memory budget in which the work cannot be done, not even in the smallest parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a memory budget of {budget} bytes is too small: {needed} bytes are needed; allow as many, or take a smaller volume"
)]
pub struct TooLittleMemory {
    /// Bytes that are needed.
    pub needed: u64,
    /// Bytes of the budget: a limit that was given, or what is free.
    pub budget: u64,
}

/// The last number from 1 to `most` that fits, if all before one do; 1 if none does.
pub(crate) fn last_that_fits(most: u64, fits: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (1, most);
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

/// Devices that take memory, with the host, whose own is that of each device that is the CPU.
#[derive(Clone, Copy)]
pub(crate) struct Sharing<'a>(pub &'a [Device]);

impl Sharing<'_> {
    /// How many work in the host's memory: the host, and each device that is the CPU.
    pub fn host(self) -> u64 {
        let is_cpu = |device: &&Device| device.kind() == DeviceKind::Cpu;
        1 + self.0.iter().filter(is_cpu).count() as u64
    }

    /// How many work in a device's memory: a device may be named more than once.
    pub fn of(self, device: &Device) -> u64 {
        if device.kind() == DeviceKind::Cpu {
            return self.host();
        }
        let same = self.0.iter().filter(|other| other.id() == device.id());
        same.count().max(1) as u64
    }

    /// Half of what the smallest memory has free, the host's among them.
    pub fn half_of_free(self) -> Result<u64, DeviceError> {
        let mut least = Device::cpu().memory()?.free;
        for device in self.0 {
            least = least.min(device.memory()?.free);
        }
        Ok(least / 2)
    }

    /// Half of what is free, for each device that takes from the same memory: that of the one that
    /// has least.
    pub fn half_of_free_each(self) -> Result<u64, DeviceError> {
        let mut least = u64::MAX;
        for device in self.0 {
            least = least.min(device.memory()?.free / 2 / self.of(device));
        }
        Ok(least)
    }
}

/// How much memory pieces may take.
#[derive(Clone, Copy)]
pub(crate) struct Budget<'a> {
    /// What works on them.
    pub stream: &'a Stream,
    /// Bytes on the device; `None` is what there is.
    pub device: Option<u64>,
    /// Bytes of one piece's result.
    pub result: u64,
    /// Whether results stay on the device, so that each leaves less for the next.
    pub keeps: bool,
}

impl Budget<'_> {
    fn has_room(&self, taken: u64, wanted: u64) -> bool {
        match self.device {
            Some(bytes) => taken.saturating_add(wanted) <= bytes,
            None => self.stream.require(wanted).is_ok(),
        }
    }

    /// What it comes to.
    fn too_little<E>(&self) -> Result<OverBudget<E>, DeviceError> {
        let given = match self.device {
            Some(bytes) => bytes,
            None => self.stream.device().memory()?.free,
        };
        Ok(OverBudget::TooLittle { given })
    }
}

/// Why there is no next piece.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum OverBudget<E> {
    /// Even the smallest takes more than there is.
    TooLittle {
        /// Bytes that there are.
        given: u64,
    },
    /// Something else.
    Failed(E),
}

/// What a piece takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Need {
    /// Bytes while it is made.
    pub scratch: u64,
    /// Bytes of its result.
    pub result: u64,
}

/// What can be made piece by piece: the planes of a range.
pub(crate) trait Pieces {
    /// A piece that is counted: it holds its scratch memory, and can be made.
    type Counted;
    /// What can go wrong.
    type Error: From<DeviceError>;

    /// Bytes that a piece takes while it is counted and made, beside its result.
    fn scratch(&self, piece: Range<u32>) -> Result<u64, Self::Error>;

    /// Counts a piece. Says also how many bytes its result will have.
    fn count(&self, piece: Range<u32>) -> Result<(Self::Counted, u64), Self::Error>;

    /// What one plane takes by itself.
    fn need(&self, plane: u32) -> Result<Need, Self::Error> {
        let piece = plane..plane + 1;
        let scratch = self.scratch(piece.clone())?;
        let (_, result) = self.count(piece)?;
        Ok(Need { scratch, result })
    }
}

/// Counts a range in pieces that fit the budget, as high as they may be, and gives each to `emit`.
///
/// A piece is first taken for as large as its scratch twice. What it needs is known when it is
/// counted; where that is too much, half of it is counted anew. The piece after one that is small
/// is twice as high, if it is likely to fit.
///
/// # Errors
/// [`OverBudget::TooLittle`] if one plane alone does not fit.
pub(crate) fn within_budget<P: Pieces, E: From<P::Error>>(
    pieces: &P,
    range: Range<u32>,
    budget: &Budget<'_>,
    mut emit: impl FnMut(P::Counted, Range<u32>) -> Result<(), E>,
) -> Result<(), OverBudget<E>> {
    let failed = |error: P::Error| OverBudget::Failed(E::from(error));
    let too_little = || match budget.too_little() {
        Ok(over) => over,
        Err(error) => failed(error.into()),
    };
    let mut kept = 0u64;
    let mut start = range.start;
    let mut height = range.end - range.start;
    while start < range.end {
        height = height.min(range.end - start);
        let piece = start..start + height;
        let scratch = pieces.scratch(piece.clone()).map_err(failed)?;
        if height > 1 && !budget.has_room(kept, scratch.saturating_mul(2)) {
            height = height.div_ceil(2);
            continue;
        }
        if !budget.has_room(kept, scratch) {
            return Err(too_little());
        }
        let (counted, result) = pieces.count(piece.clone()).map_err(failed)?;
        if result > budget.result || !budget.has_room(kept + scratch, result) {
            drop(counted);
            if height == 1 {
                return Err(too_little());
            }
            height = height.div_ceil(2);
            continue;
        }
        emit(counted, piece).map_err(OverBudget::Failed)?;
        if budget.keeps {
            kept += result;
        }
        start += height;
        // the next may be higher, if it is likely to fit
        let likely = (scratch + result).saturating_mul(3);
        if budget.has_room(kept, likely) && result.saturating_mul(3) <= budget.result {
            height = height.saturating_mul(2);
        }
    }
    Ok(())
}

/// The least [`Budget::device`] that is enough for a range, plane by plane.
pub(crate) fn least<P: Pieces>(
    pieces: &P,
    range: Range<u32>,
    keeps: bool,
) -> Result<u64, P::Error> {
    let (mut least, mut kept) = (0, 0);
    for plane in range {
        let need = pieces.need(plane)?;
        least = least.max(kept + need.scratch + need.result);
        if keeps {
            kept += need.result;
        }
    }
    Ok(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_that_fits() {
        for most in 1..20 {
            for limit in 0..25 {
                assert_eq!(last_that_fits(most, |n| n <= limit), limit.clamp(1, most));
            }
        }
    }

    #[test]
    fn the_host_shares_with_the_cpu() {
        let devices = [Device::cpu(), Device::cpu()];
        let sharing = Sharing(&devices);
        assert_eq!((sharing.host(), sharing.of(&devices[0])), (3, 3));
        assert_eq!(Sharing(&[]).host(), 1);
    }

    /// Planes with results of these sizes; two bytes of scratch for each, and one for the piece.
    struct Planes(Vec<u64>);

    impl Pieces for Planes {
        type Counted = u64;
        type Error = DeviceError;

        fn scratch(&self, piece: Range<u32>) -> Result<u64, DeviceError> {
            Ok(2 * piece.len() as u64 + 1)
        }

        fn count(&self, piece: Range<u32>) -> Result<(u64, u64), DeviceError> {
            let all = self.0[piece.start as usize..piece.end as usize]
                .iter()
                .sum();
            Ok((all, all))
        }
    }

    proptest! {
        #[test]
        fn pieces_are_everything_within_the_budget(
            planes in prop::collection::vec(0u64..40, 1..60),
            more in 0u64..200,
            keeps in any::<bool>(),
        ) {
            let stream = Device::cpu().stream().unwrap();
            let planes = Planes(planes);
            let all = 0..planes.0.len() as u32;
            let least = least(&planes, all.clone(), keeps).unwrap();
            let run = |bytes: u64| {
                let budget = Budget { stream: &stream, device: Some(bytes), result: u64::MAX, keeps };
                let (mut next, mut kept) = (0, 0);
                let done = within_budget(&planes, all.clone(), &budget, |counted, piece| {
                    assert_eq!(piece.start, next);
                    assert!(kept + planes.scratch(piece.clone()).unwrap() + counted <= bytes);
                    next = piece.end;
                    kept += if keeps { counted } else { 0 };
                    Ok::<_, DeviceError>(())
                });
                (done.is_ok(), next)
            };
            prop_assert_eq!(run(least + more), (true, all.end));
            prop_assert!(!run(least - 1).0);
        }
    }
}
