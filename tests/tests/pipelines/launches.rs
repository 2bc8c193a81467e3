//! Every launch of every pipeline is configured in one place: by the occupancy calculator, or by a
//! launch override.

use crate::workloads;
use ferrovox::{
    device::{
        BlockSizeSource, CpuOptions, Device, DeviceError, DeviceKind, LaunchOverride, LaunchRecord,
        Recording,
    },
    occupancy::block_size_among,
};
use ferrovox_tests::devices;
use simt::Mode;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use test_cases::shard;

/// Voxels along each side.
const SIDE: usize = 20;

/// Runs a pipeline; returns its result and its launches.
fn run(
    device: &Device,
    workload: &workloads::Workload,
) -> Result<(Vec<u8>, Vec<LaunchRecord>), String> {
    device.record_launches(Recording::Shapes);
    let result = device
        .stream()
        .map_err(|error| error.to_string())
        .and_then(|stream| {
            let mut run = (workload.prepare)(&stream, SIDE).map_err(|error| error.to_string())?;
            run(true).map_err(|error| error.to_string())
        });
    let launches = device.take_launches().map_err(|error| error.to_string())?;
    device.record_launches(Recording::Off);
    Ok((result?, launches))
}

#[test]
fn calculator_configures_every_launch() {
    for test in devices::fast() {
        let device = &test.device;
        let mut kernels = BTreeSet::new();
        for workload in &workloads::ALL {
            let (result, launches) = run(device, workload)
                .unwrap_or_else(|error| panic!("{} on {}: {error}", workload.name, test.label));
            assert!(
                !result.is_empty() && !launches.is_empty(),
                "{}",
                workload.name
            );
            for launch in launches {
                assert_eq!(
                    launch.block_size_source,
                    BlockSizeSource::Calculator,
                    "{launch:?}"
                );
                if let Some(kernel) = device.kernel_resources(&launch.kernel).unwrap() {
                    // the largest block with the maximum number of active threads: no block of this
                    // size or smaller has more
                    let best = block_size_among(
                        device.limits(),
                        &kernel,
                        launch.threads,
                        |_| launch.dynamic_shared_bytes,
                        |threads| launch.threads.is_multiple_of(threads),
                    );
                    assert_eq!(launch.threads, best, "{launch:?}");
                } else {
                    assert_eq!(launch.threads, 1, "{launch:?}");
                }
                kernels.insert(launch.kernel);
            }
        }
        eprintln!("{}: {} kernels were launched", test.label, kernels.len());
        assert!(kernels.len() > 40, "{kernels:?}");
    }
}

/// Blocks of one thread, of less and more than a warp, of whole warps, and larger than most
/// launches allow.
#[test]
fn any_block_size_gives_the_same_result() {
    for test in devices::fast() {
        let device = &test.device;
        for (number, workload) in workloads::ALL.iter().enumerate() {
            let (expected, _) = run(device, workload).unwrap();
            for block in shard([1, 33, 96, 128, 250, 512], number) {
                device
                    .set_launch_override(LaunchOverride {
                        block: Some(block),
                        ..Default::default()
                    })
                    .unwrap();
                let label = format!("{} on {} in blocks of {block}", workload.name, test.label);
                let (found, launches) = match run(device, workload) {
                    Ok(done) => done,
                    // a kernel with too many registers for the GPU: reported clearly, and nothing
                    // runs
                    Err(error) if error.contains("cannot run in blocks of") => {
                        assert!(block >= 250, "{label}: {error}");
                        continue;
                    }
                    Err(error) => panic!("{label}: {error}"),
                };
                assert!(found == expected, "{label}: another result");
                for launch in &launches {
                    assert_eq!(
                        launch.block_size_source,
                        BlockSizeSource::LaunchOverride,
                        "{label}: {launch:?}"
                    );
                    assert!((1..=block).contains(&launch.threads), "{label}: {launch:?}");
                }
                assert!(
                    launches.iter().any(|launch| launch.threads == block),
                    "{label}: no launch took it"
                );
            }
            device
                .set_launch_override(LaunchOverride::default())
                .unwrap();
        }
    }
}

#[test]
fn launch_override_can_target_one_kernel() {
    for test in devices::fast() {
        let device = &test.device;
        device
            .set_launch_override(LaunchOverride {
                kernel: Some("fill_gyroid".into()),
                block: Some(96),
                max_registers: Some(24),
                extra_shared_bytes: 10_000,
            })
            .unwrap();
        let fields = workloads::ALL
            .iter()
            .find(|workload| workload.name == "fields")
            .unwrap();
        let (found, launches) = run(device, fields).unwrap();
        device
            .set_launch_override(LaunchOverride::default())
            .unwrap();
        assert!(found == run(device, fields).unwrap().0);
        for launch in &launches {
            let is_it = launch.kernel == "fill_gyroid";
            let expected = if is_it {
                BlockSizeSource::LaunchOverride
            } else {
                BlockSizeSource::Calculator
            };
            assert_eq!(launch.block_size_source, expected, "{launch:?}");
            assert_eq!(launch.dynamic_shared_bytes, if is_it { 10_000 } else { 0 });
        }
        let error = device.set_launch_override(LaunchOverride {
            kernel: Some("fill_giroid".into()),
            ..Default::default()
        });
        let error = error.unwrap_err();
        assert!(matches!(error, DeviceError::Occupancy(_)));
        assert!(
            error.to_string().contains("did you mean fill_gyroid"),
            "{error}"
        );
    }
}

/// A block that the driver cannot run is an error with a reason, and the device remains usable.
#[test]
fn invalid_block_size_is_an_error() {
    for test in devices::fast() {
        let device = &test.device;
        if device.kind() == DeviceKind::Cpu {
            continue;
        }
        device
            .set_launch_override(LaunchOverride {
                block: Some(1024),
                extra_shared_bytes: device.limits().shared_bytes_per_block_opt_in,
                ..Default::default()
            })
            .unwrap();
        let scan = workloads::ALL
            .iter()
            .find(|workload| workload.name == "scan")
            .unwrap();
        let error = run(device, scan).unwrap_err();
        device
            .set_launch_override(LaunchOverride::default())
            .unwrap();
        assert!(error.contains("cannot run in blocks of"), "{error}");
        run(device, scan).unwrap();
    }
}

#[test]
fn launches_are_timed_on_request() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        test.device.record_launches(Recording::Times);
        let fields = workloads::ALL
            .iter()
            .find(|workload| workload.name == "fields")
            .unwrap();
        (fields.prepare)(&stream, SIDE).unwrap()(false).unwrap();
        let launches = test.device.take_launches().unwrap();
        test.device.record_launches(Recording::Off);
        assert_eq!(launches.len(), 3);
        assert!(
            launches
                .iter()
                .all(|launch| launch.time.is_some_and(|time| time.as_nanos() > 0)),
            "{launches:?}"
        );
        assert!(test.device.take_launches().unwrap().is_empty());
    }
}

#[test]
fn checked_cpu_block_size_is_set_by_the_program() {
    let options = CpuOptions {
        mode: Mode::Fast,
        block: 64,
    };
    let device = Device::cpu_with(options);
    let (_, launches) = run(&device, &workloads::ALL[0]).unwrap();
    assert!(
        launches
            .iter()
            .all(|launch| launch.block_size_source == BlockSizeSource::CpuOptions)
    );
}

/// Only the module that chooses blocks passes launches to a driver or to the executor.
#[test]
fn only_one_module_launches_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if !root.join("host-crate/src").is_dir() {
        test_cases::report_skip(format_args!("the sources are not beside this program"));
        return;
    }
    let mut sources = Vec::new();
    for folder in ["host-crate/src", "host-crate/benches", "cli/src"] {
        collect(&root.join(folder), &mut sources);
    }
    assert!(sources.len() > 100);
    for path in sources {
        let shown = path
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        if shown.starts_with("host-crate/src/device/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for word in ["launch_on_cpu", "LaunchShape", "cust::", "cuda_driver::"] {
            assert!(
                !text.contains(word),
                "{shown} names {word}: launches go through Stream::launch"
            );
        }
    }
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(path);
        }
    }
}
