//! Input of `ferrovox occupancy`: the device, the kernel and the block configuration.

use crate::args::{ModelName, OccupancyArgs};
use anyhow::{Context, bail};
use ferrovox::{
    device::{Device, DeviceKind, RecordedResources, recorded_kernel},
    occupancy::{
        BlockConfig, ComputeCapability, DeviceLimits, Gpu, HardwareModel, KernelResources,
        OccupancyError, OccupancyModel, PaperModel, best_block, from_ptxas,
    },
};
use std::{io::Read, path::Path, str::FromStr};

/// Resolved input of the calculation.
pub struct Input {
    /// Name of the device, or its compute capability.
    pub device: String,
    /// The device itself, if it is installed.
    pub live: Option<Device>,
    /// `true` if the number of multiprocessors is known, from the device or from the command line.
    pub has_multiprocessors: bool,
    pub model: Box<dyn OccupancyModel>,
    pub kernel: Kernel,
    pub block: BlockConfig,
    /// `true` if the block size was chosen by the calculator.
    pub is_best: bool,
}

/// Kernel and its resource usage.
pub struct Kernel {
    pub name: Option<String>,
    /// Capability that the kernel was assembled for.
    pub assembled_for: Option<ComputeCapability>,
    pub resources: KernelResources,
    pub recorded: Option<RecordedResources>,
}

/// Resolves the command-line options into the input of the calculation.
pub fn resolve_input(args: &OccupancyArgs) -> anyhow::Result<Input> {
    let SelectedDevice {
        device,
        limits,
        has_multiprocessors,
        live,
    } = device(args)?;
    let model: Box<dyn OccupancyModel> = match args.model {
        ModelName::Hardware => Box::new(HardwareModel::new(limits)),
        ModelName::Paper => Box::new(PaperModel::new(limits)),
    };
    let kernel = kernel(args, &limits, live.as_ref())?;
    let dynamic = |threads: u32| dynamic_shared_bytes(args, threads);
    let config = |threads: u32| {
        let block = BlockConfig::new(threads)
            .with_dynamic_shared(dynamic(threads))
            .with_carveout(args.carveout.unwrap_or_default());
        if args.no_opt_in {
            block.without_opt_in()
        } else {
            block
        }
    };
    let largest = limits.threads_per_block;
    let best = || {
        best_block(
            &*model,
            &kernel.resources,
            &config(largest),
            dynamic,
            |_| true,
        )
    };
    let (threads, is_best) = match args.block {
        Some(threads) => (threads, false),
        // if no block can run, a block of one warp produces the explanation
        None => best().map_or((32, false), |best| (best.threads, true)),
    };
    let block = config(threads);
    Ok(Input {
        device,
        live,
        has_multiprocessors,
        model,
        kernel,
        block,
        is_best,
    })
}

/// Returns the dynamic shared memory of a block of `threads` threads, saturating at `u32::MAX`.
pub fn dynamic_shared_bytes(args: &OccupancyArgs, threads: u32) -> u32 {
    let by_thread = args.dynamic_per_thread.saturating_mul(threads);
    args.dynamic.saturating_add(by_thread)
}

/// Device selected by the options.
struct SelectedDevice {
    device: String,
    limits: DeviceLimits,
    has_multiprocessors: bool,
    live: Option<Device>,
}

fn device(args: &OccupancyArgs) -> anyhow::Result<SelectedDevice> {
    let mut selected = match (args.cc, args.device.as_deref()) {
        (Some(capability), _) => device_with_capability(capability)?,
        (None, name) => device_by_name(name.unwrap_or("auto"))?,
    };
    if let Some(count) = args.multiprocessors {
        selected.limits = selected.limits.with_multiprocessors(count);
        selected.has_multiprocessors = true;
    }
    Ok(selected)
}

/// Returns a device of a capability, with the number of multiprocessors of its representative GPU.
fn device_with_capability(capability: ComputeCapability) -> anyhow::Result<SelectedDevice> {
    let limits = DeviceLimits::for_capability(capability)?;
    let gpu = Gpu::with_capability(capability);
    Ok(SelectedDevice {
        device: match gpu {
            Some(gpu) => format!("{capability}, as {}", gpu.name),
            None => capability.to_string(),
        },
        limits: gpu.map_or(limits, Gpu::limits),
        has_multiprocessors: gpu.is_some(),
        live: None,
    })
}

fn device_by_name(name: &str) -> anyhow::Result<SelectedDevice> {
    let is_live = matches!(name, "auto" | "cpu" | "cuda") || name.starts_with("cuda:");
    if !is_live {
        let gpu = Gpu::named(name).with_context(|| format!("--device {name}"))?;
        return Ok(SelectedDevice {
            device: gpu.name.to_owned(),
            limits: gpu.limits(),
            has_multiprocessors: true,
            live: None,
        });
    }
    let device = match name {
        "auto" => Device::cuda(0)
            .context("no GPU is available; give --cc 9.0, or --device with the name of a GPU")?,
        _ => Device::from_str(name).with_context(|| format!("--device {name}"))?,
    };
    if device.kind() == DeviceKind::Cpu {
        bail!(
            "occupancy is not defined for the CPU; give --device with the name of a GPU, or --cc"
        );
    }
    Ok(SelectedDevice {
        device: device.name(),
        limits: *device.limits(),
        has_multiprocessors: true,
        live: Some(device),
    })
}

fn kernel(
    args: &OccupancyArgs,
    limits: &DeviceLimits,
    live: Option<&Device>,
) -> anyhow::Result<Kernel> {
    let capability = limits.capability.unwrap_or(ComputeCapability::new(9, 0));
    let mut kernel = match (&args.ptxas, &args.kernel) {
        (Some(path), name) => kernel_from_ptxas(path, name.as_deref())?,
        (None, Some(name)) => {
            let found = recorded_kernel(name, capability)?;
            let recorded = KernelResources::from(found.resources);
            // an installed device has compiled the kernel itself
            let own = live
                .map(|device| device.kernel_resources(name))
                .transpose()?;
            let own = own
                .flatten()
                .map(|own| own.with_barriers(recorded.barriers));
            Kernel {
                name: Some(found.name),
                assembled_for: Some(own.map_or(found.capability, |_| capability)),
                resources: own.unwrap_or(recorded),
                recorded: Some(found.resources),
            }
        }
        (None, None) => Kernel {
            name: None,
            assembled_for: None,
            resources: KernelResources::new(0),
            recorded: None,
        },
    };
    // explicit options take precedence over recorded resources
    let resources = &mut kernel.resources;
    resources.registers = args.regs.unwrap_or(resources.registers);
    resources.static_shared_bytes = args.smem.unwrap_or(resources.static_shared_bytes);
    resources.barriers = args.barriers.unwrap_or(resources.barriers);
    Ok(kernel)
}

/// Reads the kernel named `name`, or the only kernel, from the output of the assembler.
fn kernel_from_ptxas(path: &Path, name: Option<&str>) -> anyhow::Result<Kernel> {
    let shown = path.display();
    let text = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map(|_| text)
            .context("cannot read standard input")?
    } else {
        std::fs::read_to_string(path).with_context(|| format!("{shown}"))?
    };
    let kernels = from_ptxas(&text).with_context(|| format!("{shown}"))?;
    let names: Vec<String> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    let found = match name {
        Some(name) => kernels
            .into_iter()
            .find(|kernel| kernel.name == name)
            .ok_or_else(|| OccupancyError::UnknownKernel {
                name: name.to_owned(),
                suggestions: names,
            })?,
        None if names.len() > 1 => bail!(
            "{shown} contains {} kernels; select one with --kernel: {}",
            names.len(),
            names.join(", ")
        ),
        None => kernels
            .into_iter()
            .next()
            .context("the output contains no kernel")?,
    };
    Ok(Kernel {
        name: Some(found.name),
        assembled_for: found.capability,
        resources: found.resources.into(),
        recorded: Some(found.resources),
    })
}
