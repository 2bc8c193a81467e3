//! Figure 3 of Zhao et al. (2016): occupancy by threads per block, computed by equation (2) for the
//! paper's two GPUs, and the measured time of the force-field kernel on a device.

use crate::{phantom::Phantom, support::Outcome};
use ferrovox::{
    device::{Device, DeviceKind, LaunchOverride},
    occupancy::{BlockConfig, Gpu, KernelResources, OccupancyModel, PaperModel},
    skeleton::potential_field::FieldVariant,
};
use std::fmt::Write;

/// GPUs of Zhao et al. (2016), by part of the figure.
const GPUS: [(&str, &str); 2] = [("3(a)", "FX 5800"), ("3(b)", "GTX 580")];

/// Registers and bytes of shared memory of the kernel of Zhao et al. (2016).
const KERNEL: [u32; 2] = [42, 1548];

/// Number of registers for which the equation reproduces the drops shown in figure 3(a).
const FEW_REGISTERS: u32 = 16;

/// Block sizes just above whole warps at which the figure drops.
const DROPS: [u32; 2] = [193, 321];

/// Maximum number of threads per block.
const MAX_BLOCK: u32 = 512;

/// Maximum block size with which the force-field kernel is launched.
const MAX_MEASURED: u32 = 256;

/// Returns the block sizes: whole warps, and those at which the figure drops.
fn blocks() -> impl Iterator<Item = u32> {
    (1..=MAX_BLOCK).filter(|threads| threads % 32 == 0 || DROPS.contains(threads))
}

/// Returns the occupancies in per cent for both GPUs by the equation, with the kernel of Zhao et
/// al. (2016) and with few registers.
///
/// # Errors
/// Errors of the occupancy model, which do not occur for the kernels of this module.
pub fn occupancy_by_equation() -> Outcome<String> {
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
            let published = at(KernelResources::new(registers).with_static_shared(shared))?;
            let few_registers = at(KernelResources::new(FEW_REGISTERS))?;
            write!(text, "  {published:>11.2} {few_registers:>12.2}")?;
        }
        writeln!(text)?;
    }
    Ok(text)
}

/// Returns the time of the one-target-per-thread kernel on a device, for each block size.
///
/// # Errors
/// Errors of the device.
pub fn measured_times(device: &Device, width: usize, sample: u64, runs: usize) -> Outcome<String> {
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
