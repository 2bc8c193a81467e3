//! Figure 3 of Zhao et al. (2016): occupancy by threads per block, for its two GPUs by its
//! equation, and the speed of the field's kernel on a device that is there.

use crate::{phantom::Phantom, support::Outcome};
use ferrovox::{
    device::{Device, DeviceKind, LaunchOverride},
    occupancy::{BlockConfig, Gpu, KernelResources, OccupancyModel, PaperModel},
    skeleton::potential_field::FieldVariant,
};
use std::fmt::Write;

/// Zhao et al.'s (2016) GPUs, by its parts of the figure.
const GPUS: [(&str, &str); 2] = [("3(a)", "FX 5800"), ("3(b)", "GTX 580")];

/// Zhao et al.'s (2016) kernel: registers, and bytes of shared memory.
const KERNEL: [u32; 2] = [42, 1548];

/// Registers with which the equation gives the falls that Zhao et al. (2016) show for 3(a).
const FEW_REGISTERS: u32 = 16;

/// Threads beyond whole warps at which the figure falls.
const FALLS: [u32; 2] = [193, 321];

/// The most threads of a block.
const MOST: u32 = 512;

/// The largest block that the field's kernel is launched with.
const MAX_MEASURED: u32 = 256;

/// Sizes of blocks: whole warps, and where the figure falls.
fn blocks() -> impl Iterator<Item = u32> {
    (1..=MOST).filter(|threads| threads % 32 == 0 || FALLS.contains(threads))
}

/// Occupancies in per cent, for both GPUs: by the equation with Zhao et al.'s (2016) kernel, and
/// with few registers.
///
/// # Errors
/// None that can happen with Zhao et al.'s (2016) figures.
pub fn equation() -> Outcome<String> {
    let mut text = String::from(
        "figures 3(a) and 3(b): occupancy by threads per block, in per cent, by equation (2)\n",
    );
    writeln!(
        text,
        "{:>7}  {:>24}  {:>24}",
        "", "3(a) FX 5800", "3(b) GTX 580"
    )?;
    let [registers, shared] = KERNEL;
    writeln!(
        text,
        "threads  {0:>11} {1:>12}  {0:>11} {1:>12}",
        format!("{registers} regs"),
        format!("{FEW_REGISTERS} regs")
    )?;
    for threads in blocks() {
        write!(text, "{threads:>7}")?;
        for (_, name) in GPUS {
            let model = PaperModel::new(Gpu::named(name)?.limits());
            let at = |kernel: KernelResources| -> Outcome<f64> {
                let occupancy = model.occupancy(&kernel, &BlockConfig::new(threads))?;
                Ok(100.0 * occupancy.fraction())
            };
            let documents = at(KernelResources::new(registers).with_static_shared(shared))?;
            let few = at(KernelResources::new(FEW_REGISTERS))?;
            write!(text, "  {documents:>11.2} {few:>12.2}")?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

/// The time of Zhao et al.'s (2016) kernel, a target for each thread, on a device in blocks of each
/// size.
///
/// # Errors
/// Those of the device.
pub fn measured(device: &Device, width: usize, sample: u64, runs: usize) -> Outcome<String> {
    if device.kind() == DeviceKind::Cpu {
        return Ok(format!("figure 3 on {device}: a CPU has no occupancy\n"));
    }
    let stream = device.stream()?;
    let phantom = Phantom::new(&stream, width)?;
    let mut text = format!(
        "figure 3 on {device}: the kernel `simple` on the phantom of width {width}, by threads per block\n"
    );
    for threads in (32..=MAX_MEASURED).step_by(32) {
        device.set_launch_override(LaunchOverride {
            block: Some(threads),
            ..LaunchOverride::default()
        })?;
        let timed = phantom.time(FieldVariant::Simple, sample, runs);
        device.set_launch_override(LaunchOverride::default())?;
        writeln!(text, "{threads:>7}  {:>11.3} ms", timed?.spread.median_ms)?;
    }
    Ok(text)
}
