//! A kernel with a race, and how checked mode finds it. Needs neither a GPU nor PTX, only the
//! executor.

use cuda_std::{prelude::*, shared_view};
use simt::{LaunchShape, Mode};

const TILE: usize = 64;

/// Reverses each tile of `x` into `y`. Without the barrier a thread may read an element before its
/// neighbour has written it.
///
/// # Safety
/// Launched with blocks of `TILE` threads; `y` is not used otherwise.
#[kernel]
unsafe fn reverse_tiles(x: View<u32>, y: ViewMut<u32>, with_barrier: bool) {
    let tile = shared_view![u32; TILE];
    let thread = thread::thread_idx_x() as usize;
    let i = thread::index_1d() as usize;
    tile.write(thread, x.read(i));
    if with_barrier {
        thread::sync_threads();
    }
    y.write(i, tile.read(TILE - 1 - thread));
}

fn run(mode: Mode, with_barrier: bool) -> Result<Vec<u32>, simt::LaunchError> {
    let x: Vec<u32> = (0..4 * TILE as u32).collect();
    let mut y = vec![0; x.len()];
    let shape = LaunchShape {
        grid: 4.into(),
        block: (TILE as u32).into(),
        dynamic_shared_bytes: 0,
    };
    // SAFETY: blocks of TILE threads, and exclusive access to `y`.
    unsafe {
        cuda_std::launch_on_cpu::<reverse_tiles>(
            shape,
            mode,
            (View::from(&x[..]), ViewMut::from(&mut y[..]), with_barrier),
        )?;
    }
    Ok(y)
}

fn main() {
    let checked = Mode::Checked { seed: 7 };
    match run(checked, false) {
        Ok(_) => panic!("the race was not found"),
        Err(findings) => println!("without the barrier:\n{findings}\n"),
    }
    let reversed = run(checked, true).expect("with the barrier there is nothing to find");
    assert_eq!(reversed[..3], [63, 62, 61]);
    println!("with the barrier: no findings");
}
