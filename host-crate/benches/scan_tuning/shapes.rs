//! The sum of `u32` in every shape that there is a kernel for.

use crate::{Options, Outcome, Timer, Times, print, verify};
use ferrovox::device::{Buffer, Launch};
use ferrovox_kernels::scan::{
    TileJob,
    look_back::HEADER,
    tuning::{
        Ahead2, Ahead3, Ahead4, Ahead6, Ahead8, Rows4, Rows8, Staged4, Staged6, Staged8, TileShape,
        Turn2, Turn4, Turn4Near, Turn4One, Turn6, Turn8, tune_scan,
    },
};

/// Times all shapes, for each block size and pause.
pub fn measure(
    timer: &Timer,
    input: &Buffer<u32>,
    output: &mut Buffer<u32>,
    copy: Times,
    options: &Options,
) -> Outcome<()> {
    for &threads in &options.threads {
        for &pause in &options.pauses {
            let mut one = Shape {
                timer,
                input,
                output,
                copy,
                threads,
                pause,
            };
            one.measure::<Rows4>()?;
            one.measure::<Rows8>()?;
            one.measure::<Ahead2>()?;
            one.measure::<Ahead3>()?;
            one.measure::<Ahead4>()?;
            one.measure::<Ahead6>()?;
            one.measure::<Ahead8>()?;
            one.measure::<Staged4>()?;
            one.measure::<Staged6>()?;
            one.measure::<Staged8>()?;
            one.measure::<Turn2>()?;
            one.measure::<Turn4>()?;
            one.measure::<Turn4Near>()?;
            one.measure::<Turn4One>()?;
            one.measure::<Turn6>()?;
            one.measure::<Turn8>()?;
        }
    }
    Ok(())
}

struct Shape<'a> {
    timer: &'a Timer<'a>,
    input: &'a Buffer<u32>,
    output: &'a mut Buffer<u32>,
    copy: Times,
    threads: u32,
    pause: u32,
}

impl Shape<'_> {
    fn measure<S: TileShape>(&mut self) -> Outcome<()> {
        let (stream, input) = (self.timer.stream, self.input);
        let count = input.len() as u64;
        let launch = Launch::pieces(1)
            .at_most_threads(self.threads)
            .dynamic_shared_bytes_per_thread(S::SHARED_BYTES);
        let plan = stream.plan::<tune_scan<S>>(launch)?;
        let tile = match plan.threads {
            1 => 1 << 13,
            threads => u64::from(threads) * S::ITEMS as u64,
        };
        let tiles = count.div_ceil(tile) as u32;
        let blocks = tiles.min(plan.resident_blocks);
        let launch = Launch::pieces(blocks.into())
            .at_most_threads(self.threads)
            .dynamic_shared_bytes_per_thread(S::SHARED_BYTES);
        let mut job = TileJob {
            count,
            tile,
            tiles,
            first_number: 0,
            epoch: 0,
            inclusive: 0,
            pause: self.pause,
            one_each: (blocks == tiles).into(),
        };
        let mut states = stream.zeros::<u64>(HEADER + tiles as usize)?;
        let mut total = stream.zeros::<u32>(1)?;
        let scan = self.timer.time(|| {
            job.epoch += 1;
            let output = self.output.view_mut();
            let args = (
                input.view(),
                output,
                job,
                states.view_mut(),
                total.view_mut(),
            );
            // SAFETY: input and output have `count` elements, the states a word for each tile, and the numbers go on where the
            // last launch left them.
            unsafe { stream.launch::<tune_scan<S>>(launch, args)? };
            let extra = if job.one_each != 0 { 0 } else { blocks };
            job.first_number = job.first_number.wrapping_add(tiles).wrapping_add(extra);
            Ok(())
        })?;
        let what = format!(
            "{} {}x{} pause {}",
            S::NAME,
            plan.resident_blocks,
            plan.threads,
            self.pause
        );
        print(&what, scan, self.copy, input.bytes() * 2);
        if count <= 1 << 22 {
            verify(&stream.download(input)?, &stream.download(self.output)?)?;
        }
        Ok(())
    }
}
