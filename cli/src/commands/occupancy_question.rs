//! What `ferrovox occupancy` is asked: which kernel, with which block, on which device.

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

/// What the question is about.
pub struct Question {
    /// The device's name, where it has one.
    pub device: String,
    /// The device itself, if it is here.
    pub live: Option<Device>,
    /// Whether the number of multiprocessors is the device's own, or was given.
    pub has_multiprocessors: bool,
    pub model: Box<dyn OccupancyModel>,
    pub kernel: Kernel,
    pub block: BlockConfig,
    /// Whether the block size is the best one, not one that was given.
    pub is_best: bool,
}

/// The kernel, with what is known of it.
pub struct Kernel {
    pub name: Option<String>,
    /// The capability that it was assembled for.
    pub assembled_for: Option<ComputeCapability>,
    pub resources: KernelResources,
    pub recorded: Option<RecordedResources>,
}

pub fn question(args: &OccupancyArgs) -> anyhow::Result<Question> {
    let Asked {
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
    let dynamic = |threads: u32| dynamic(args, threads);
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
    let most = limits.threads_per_block;
    let best = || best_block(&*model, &kernel.resources, &config(most), dynamic, |_| true);
    let (threads, is_best) = match args.block {
        Some(threads) => (threads, false),
        // where nothing runs, one warp says why
        None => best().map_or((32, false), |best| (best.threads, true)),
    };
    let block = config(threads);
    Ok(Question {
        device,
        live,
        has_multiprocessors,
        model,
        kernel,
        block,
        is_best,
    })
}

/// The dynamic shared memory of a block. More than can be counted is more than there is.
pub fn dynamic(args: &OccupancyArgs, threads: u32) -> u32 {
    let by_thread = args.dynamic_per_thread.saturating_mul(threads);
    args.dynamic.saturating_add(by_thread)
}

/// The device that a question is about.
struct Asked {
    device: String,
    limits: DeviceLimits,
    has_multiprocessors: bool,
    live: Option<Device>,
}

fn device(args: &OccupancyArgs) -> anyhow::Result<Asked> {
    let mut asked = match (args.cc, args.device.as_deref()) {
        (Some(capability), _) => of_capability(capability)?,
        (None, name) => named(name.unwrap_or("auto"))?,
    };
    if let Some(count) = args.multiprocessors {
        asked.limits = asked.limits.with_multiprocessors(count);
        asked.has_multiprocessors = true;
    }
    Ok(asked)
}

/// A capability, with as many multiprocessors as a GPU of it that is known.
fn of_capability(capability: ComputeCapability) -> anyhow::Result<Asked> {
    let limits = DeviceLimits::of(capability)?;
    let gpu = Gpu::of(capability);
    Ok(Asked {
        device: match gpu {
            Some(gpu) => format!("{capability}, as {}", gpu.name),
            None => capability.to_string(),
        },
        limits: gpu.map_or(limits, Gpu::limits),
        has_multiprocessors: gpu.is_some(),
        live: None,
    })
}

fn named(name: &str) -> anyhow::Result<Asked> {
    let is_live = matches!(name, "auto" | "cpu" | "cuda") || name.starts_with("cuda:");
    if !is_live {
        let gpu = Gpu::named(name).with_context(|| format!("--device {name}"))?;
        return Ok(Asked {
            device: gpu.name.to_owned(),
            limits: gpu.limits(),
            has_multiprocessors: true,
            live: None,
        });
    }
    let device = match name {
        "auto" => Device::cuda(0)
            .context("no device was named: give --cc 9.0, or --device with the name of a GPU")?,
        _ => Device::from_str(name).with_context(|| format!("--device {name}"))?,
    };
    if device.kind() == DeviceKind::Cpu {
        bail!(
            "the CPU runs a block of one thread on each of its threads; name a GPU, or give --cc"
        );
    }
    Ok(Asked {
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
        (Some(path), name) => of_ptxas(path, name.as_deref())?,
        (None, Some(name)) => {
            let found = recorded_kernel(name, capability)?;
            let recorded = KernelResources::from(found.resources);
            // a device that is here has compiled it itself
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
    // what is typed in stands above what is known
    let resources = &mut kernel.resources;
    resources.registers = args.regs.unwrap_or(resources.registers);
    resources.static_shared_bytes = args.smem.unwrap_or(resources.static_shared_bytes);
    resources.barriers = args.barriers.unwrap_or(resources.barriers);
    Ok(kernel)
}

/// The kernel of that name in what the assembler printed, or the only one.
fn of_ptxas(path: &Path, name: Option<&str>) -> anyhow::Result<Kernel> {
    let shown = path.display();
    let text = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map(|_| text)
            .context("the standard input")?
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
            "{shown}: there are {} kernels; choose with --kernel: {}",
            names.len(),
            names.join(", ")
        ),
        None => kernels.into_iter().next().context("no kernel")?,
    };
    Ok(Kernel {
        name: Some(found.name),
        assembled_for: found.capability,
        resources: found.resources.into(),
        recorded: Some(found.resources),
    })
}
