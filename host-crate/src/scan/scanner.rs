//! What scans on a stream: kernels and the memory that they share.

use super::{
    ScanError, ScanKind, ScanMethod, ScanOf, ScanParams, ScanValue,
    element::{TileArgs, sealed::Sealed},
};
use crate::device::{Buffer, DeviceError, Launch, LaunchPlan, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::{
    operator::Operator,
    scan::{ScanJob, look_back::HEADER},
};
use std::{cmp::Ordering, marker::PhantomData};

/// Elements of a tile for a block of one thread, which reads them twice: they fit its first cache.
const TILE_OF_ONE: u32 = 1 << 13;
/// The last number that a scan can have in the tags of its tiles.
const LAST_EPOCH: u32 = (1 << 30) - 1;

/// Scans on one stream, one after the other. It keeps the memory that tiles use among themselves (8
/// bytes for each tile, 16 if values have 64 bits), so that scans after the first allocate nothing
/// and launch one kernel.
pub struct Scanner<'s> {
    pub(super) stream: &'s Stream,
    /// The counter and what tiles publish.
    pub(super) states: Buffer<u64>,
    /// The last scan's total.
    pub(super) total: Buffer<u64>,
    /// The number of the last scan; 0 if the states must be erased first.
    pub(super) epoch: u32,
    /// What the counter is at after the last scan.
    pub(super) next_number: u32,
}

/// The total of a scan: all elements combined, after [`ScanParams::initial`]. It is on the device
/// until it is asked for.
pub struct Total<'a, V> {
    stream: &'a Stream,
    buffer: &'a Buffer<u64>,
    value: PhantomData<V>,
}

impl<'a, V: ScanValue> Total<'a, V> {
    /// The total as a kernel reads it: one element.
    pub fn view(&self) -> View<'a, V> {
        // the buffer has 16 bytes, of which the scan writes a `V` first; any bytes are a `V`
        View::for_launch(self.buffer.pointer().cast(), 1)
    }

    /// The total on the host. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the scan or anything before it on the stream failed.
    pub fn download(&self) -> Result<V, DeviceError> {
        let words = self.stream.download(self.buffer)?;
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        Ok(bytemuck::pod_read_unaligned(&bytes[..size_of::<V>()]))
    }
}

impl<'s> Scanner<'s> {
    /// For scans on `stream`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`].
    pub fn new(stream: &'s Stream) -> Result<Self, DeviceError> {
        Ok(Self {
            stream,
            states: stream.alloc(0)?,
            total: stream.zeros(2)?,
            epoch: 0,
            next_number: 0,
        })
    }

    /// The exclusive scan of `input`.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn exclusive<I, V, O>(
        &mut self,
        operator: O,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        self.scan(operator, input, output, &ScanParams::default())
    }

    /// The inclusive scan of `input`.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn inclusive<I, V, O>(
        &mut self,
        operator: O,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        let params = ScanParams {
            kind: ScanKind::Inclusive,
            ..Default::default()
        };
        self.scan(operator, input, output, &params)
    }

    /// Replaces `data` by its exclusive scan.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn exclusive_in_place<V, O>(
        &mut self,
        operator: O,
        data: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        V: ScanOf<V, O> + ScanValue,
        O: Operator<V>,
    {
        self.scan_in_place(operator, data, &ScanParams::default())
    }

    /// Replaces `data` by its inclusive scan.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn inclusive_in_place<V, O>(
        &mut self,
        operator: O,
        data: &mut Buffer<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        V: ScanOf<V, O> + ScanValue,
        O: Operator<V>,
    {
        let params = ScanParams {
            kind: ScanKind::Inclusive,
            ..Default::default()
        };
        self.scan_in_place(operator, data, &params)
    }

    /// The scan of `input`, in time linear in its length. Nothing is waited for but
    /// [`Total::download`].
    ///
    /// # Errors
    /// [`ScanError::OutputTooSmall`], [`ScanError::LengthsDiffer`], [`ScanError::NoSuchScan`],
    /// [`ScanError::Device`] for buffers of another device, for want of memory, or if the device
    /// fails.
    pub fn scan<I, V, O>(
        &mut self,
        _operator: O,
        input: &Buffer<I>,
        output: &mut Buffer<V>,
        params: &ScanParams<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        check_lengths(input.len(), output.len())?;
        self.stream.check_device(input)?;
        self.stream.check_device(output)?;
        // SAFETY: both have the same length and are of this device.
        unsafe { self.scan_views::<I, V, O>(input.view(), output.view_mut(), params) }
    }

    /// Replaces `data` by its scan.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_in_place<V, O>(
        &mut self,
        _operator: O,
        data: &mut Buffer<V>,
        params: &ScanParams<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        V: ScanOf<V, O> + ScanValue,
        O: Operator<V>,
    {
        self.stream.check_device(data)?;
        let (pointer, len) = (data.pointer(), data.len());
        // SAFETY: the same elements are read and written, each by one thread that reads it before
        // it writes it; the borrow is exclusive.
        unsafe {
            let input = View::for_launch(pointer.cast_const(), len);
            self.scan_views::<V, V, O>(input, ViewMut::for_launch(pointer, len), params)
        }
    }

    /// # Safety
    /// Both views have the same length and are of this stream's device. They are the same memory or
    /// do not overlap, and nothing else uses the output.
    pub(super) unsafe fn scan_views<I, V, O>(
        &mut self,
        input: View<'_, I>,
        output: ViewMut<'_, V>,
        params: &ScanParams<V>,
    ) -> Result<Total<'_, V>, ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        // the buffer has 16 bytes, and a `V` no more
        let total = ViewMut::for_launch(self.total.pointer().cast(), 1);
        if params.method == ScanMethod::ThreePass {
            // SAFETY: the caller's promise.
            let done = unsafe {
                <I as Sealed<V, O>>::three_pass(self.stream, input, params, output, total)
            };
            done.ok_or_else(|| ScanError::NoSuchScan {
                method: params.method.name(),
                element: last_name::<I>(),
                operator: last_name::<O>(),
            })??;
            return Ok(self.total());
        }
        let shape = <I as Sealed<V, O>>::SHAPE;
        let shaped = |blocks: u32| {
            Launch::pieces(blocks.into())
                .at_most_threads(shape.max_threads)
                .dynamic_shared_bytes_per_thread(shape.slots * shape.items * size_of::<I>() as u32)
        };
        let plan = <I as Sealed<V, O>>::plan(self.stream, shaped(1))?;
        let tiling = Tiling::new(input.len(), plan, shape.items, shape.look_back_threads)?;
        let initial = params.initial.unwrap_or_else(<I as Sealed<V, O>>::initial);
        let job = self.begin(tiling, V::WORDS, params.kind)?;
        let args = TileArgs {
            input,
            output,
            initial,
            job,
            states: self.states.view_mut(),
            total,
        };
        let launch = shaped(tiling.blocks);
        // SAFETY: the caller's promise; the states have room for each tile and bear no tag of this
        // scan, and the counter is where the job says.
        let launched = unsafe { <I as Sealed<V, O>>::launch(self.stream, launch, args) };
        if let Err(error) = launched {
            // how many numbers were taken is not known
            self.epoch = 0;
            return Err(error.into());
        }
        Ok(self.total())
    }

    pub(super) fn total<V>(&self) -> Total<'_, V> {
        Total {
            stream: self.stream,
            buffer: &self.total,
            value: PhantomData,
        }
    }

    /// The next scan's numbers: a new tag, and the counter where the last scan left it. So nothing
    /// is erased between scans.
    pub(super) fn begin(
        &mut self,
        tiling: Tiling,
        parts: usize,
        kind: ScanKind,
    ) -> Result<ScanJob, DeviceError> {
        let words = HEADER + tiling.tiles as usize * parts;
        if self.states.len() < words {
            // a growing sequence of inputs should not allocate each time
            let words = words.max(self.states.len() * 3 / 2);
            self.states = self.stream.zeros(words)?;
            (self.epoch, self.next_number) = (0, 0);
        } else if self.epoch == 0 || self.epoch == LAST_EPOCH {
            self.stream.fill_with_zero(&mut self.states)?;
            (self.epoch, self.next_number) = (0, 0);
        }
        self.epoch += 1;
        let counter_start = self.next_number;
        self.next_number = counter_start.wrapping_add(tiling.numbers());
        Ok(ScanJob {
            count: tiling.count,
            tile: tiling.tile,
            tiles: tiling.tiles,
            counter_start,
            epoch: self.epoch,
            inclusive: (kind == ScanKind::Inclusive).into(),
            one_tile_per_block: tiling.one_tile_per_block().into(),
        })
    }
}

/// Whether an output has as many elements as its input.
pub(super) fn check_lengths(input: usize, output: usize) -> Result<(), ScanError> {
    match output.cmp(&input) {
        Ordering::Less => Err(ScanError::OutputTooSmall { input, output }),
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(ScanError::LengthsDiffer { input, output }),
    }
}

/// A type's name without its path.
pub(super) fn last_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

/// An input cut into tiles, and the blocks that work on them.
#[derive(Clone, Copy)]
pub(super) struct Tiling {
    count: u64,
    tile: u64,
    tiles: u32,
    pub blocks: u32,
}

impl Tiling {
    /// Tiles of `items` elements for each thread of a block, but for `idle_threads` of them.
    pub fn new(
        count: usize,
        plan: LaunchPlan,
        items: u32,
        idle_threads: u32,
    ) -> Result<Self, ScanError> {
        let tile = match plan.threads {
            // none is an error that the launch will report
            0 | 1 => u64::from(TILE_OF_ONE),
            // too few to spare any
            threads if threads <= idle_threads => u64::from(items) * u64::from(threads),
            threads => u64::from(items) * u64::from(threads - idle_threads),
        };
        let tiles = (count as u64).div_ceil(tile).max(1);
        let tiles = u32::try_from(tiles).map_err(|_| ScanError::TooMany { count, tile })?;
        Ok(Self {
            count: count as u64,
            tile,
            tiles,
            blocks: tiles.min(plan.resident_blocks),
        })
    }

    /// Whether each block has one tile.
    fn one_tile_per_block(self) -> bool {
        self.blocks == self.tiles
    }

    /// How many numbers the blocks take: one for each tile, and if they take more than one each,
    /// one more to learn that there is none left.
    fn numbers(self) -> u32 {
        if self.one_tile_per_block() {
            self.tiles
        } else {
            self.tiles.wrapping_add(self.blocks)
        }
    }
}
