//! Devices, buffers, streams and their errors.

use ferrovox::device::{CpuOptions, Device, DeviceError, DeviceKind, Launch};
use ferrovox_kernels::{grid::Grid, rows::Rows, synthetic::fill_sphere};
use ferrovox_tests::devices;
use simt::Mode;

#[test]
fn devices_are_found_by_name() {
    assert_eq!("cpu".parse::<Device>().unwrap().kind(), DeviceKind::Cpu);
    assert!("auto".parse::<Device>().is_ok());
    for name in ["gpu", "", "cuda:", "cuda:x", "cpu:0", "cuda:-1"] {
        let error = name.parse::<Device>().unwrap_err();
        assert!(
            matches!(error, DeviceError::UnknownName { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains("cuda:0"));
    }
    for device in Device::all() {
        assert_eq!(device.id().parse::<Device>().unwrap().name(), device.name());
    }
}

#[test]
fn missing_device_is_an_error() {
    match (Device::cuda_count(), Device::cuda(4095).unwrap_err()) {
        (
            Ok(count),
            DeviceError::NoSuchDevice {
                index: 4095,
                count: reported,
            },
        ) => assert_eq!(reported, count),
        (Err(DeviceError::NoDriver { .. }), error @ DeviceError::NoDriver { .. }) => {
            assert!(error.to_string().contains("use the device cpu"), "{error}");
        }
        (count, error) => panic!("{count:?}: {error}"),
    }
}

#[test]
fn uploaded_data_is_downloaded_unchanged() {
    for test in devices::all() {
        let stream = test.device.stream().unwrap();
        for count in [0usize, 1, 1000, 1 << 20] {
            let numbers: Vec<u32> = (0..count as u32)
                .map(|i| i.wrapping_mul(2_654_435_761))
                .collect();
            let buffer = stream.upload(&numbers).unwrap();
            assert_eq!((buffer.len(), buffer.bytes()), (count, count * 4));
            assert_eq!(stream.download(&buffer).unwrap(), numbers, "{}", test.label);
        }
        let mut zeros = stream.zeros::<u64>(777).unwrap();
        assert!(
            stream
                .download(&zeros)
                .unwrap()
                .iter()
                .all(|&zero| zero == 0)
        );
        stream.write(&mut zeros, &[5; 777]).unwrap();
        assert!(
            stream
                .download(&zeros)
                .unwrap()
                .iter()
                .all(|&five| five == 5)
        );
        let error = stream.write(&mut zeros, &[1; 3]).unwrap_err();
        assert!(
            matches!(error, DeviceError::LengthMismatch { from: 3, to: 777 }),
            "{error}"
        );
    }
}

#[test]
fn excessive_allocation_is_an_error_with_byte_counts() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let total = test.device.memory().unwrap().total;
        // more than any machine has
        let bytes = (total as usize).saturating_mul(8).min(1 << 46);
        match stream.alloc::<u8>(bytes) {
            Err(DeviceError::OutOfMemory {
                requested, total, ..
            }) => {
                assert_eq!(requested, bytes as u64);
                assert!(total > 0);
            }
            Err(error) => panic!("{}: {error}", test.label),
            // a CPU may promise memory that it does not have
            Ok(_) => assert_eq!(test.device.kind(), DeviceKind::Cpu),
        }
        let error = stream.alloc::<u64>(usize::MAX / 4).unwrap_err();
        assert!(matches!(error, DeviceError::TooLarge { .. }), "{error}");
        // and the device remains usable
        assert_eq!(
            stream
                .download(&stream.upload(&[1u8, 2, 3]).unwrap())
                .unwrap(),
            [1, 2, 3]
        );
    }
}

#[test]
fn events_measure_the_work_between_them() {
    for test in devices::fast() {
        let stream = test.device.stream().unwrap();
        let grid = Grid {
            nx: 64,
            ny: 64,
            nz: 64,
        };
        let rows = Rows {
            nx: 64,
            ny: 64,
            nz: 64,
            chunk: 64,
            run: 1,
        };
        let mut samples = stream.alloc::<f32>(64 * 64 * 64).unwrap();
        let start = stream.record().unwrap();
        for _ in 0..4 {
            // SAFETY: `samples` holds the grid's samples, and `rows` is their extent.
            unsafe {
                let args = (grid, rows, [0.0; 3], 1.0, samples.view_mut());
                stream
                    .launch::<fill_sphere>(Launch::pieces(rows.chunks()), args)
                    .unwrap();
            }
        }
        let end = stream.record().unwrap();
        end.synchronize().unwrap();
        assert!(!end.since(&start).unwrap().is_zero(), "{}", test.label);
    }
}

/// An out-of-bounds write of a kernel is an error on the CPU, in fast and in checked mode, and
/// never undefined behaviour.
#[test]
fn out_of_bounds_kernel_access_is_an_error() {
    for options in [
        CpuOptions::default(),
        CpuOptions {
            mode: Mode::Checked { seed: 3 },
            block: 32,
        },
    ] {
        let stream = Device::cpu_with(options).stream().unwrap();
        let grid = Grid {
            nx: 8,
            ny: 8,
            nz: 8,
        };
        let rows = Rows {
            nx: 8,
            ny: 8,
            nz: 8,
            chunk: 8,
            run: 1,
        };
        let mut too_short = stream.alloc::<f32>(511).unwrap();
        // SAFETY: on the CPU views check their bounds, which this test relies on.
        let result = unsafe {
            let args = (grid, rows, [0.0; 3], 1.0, too_short.view_mut());
            stream.launch::<fill_sphere>(Launch::pieces(rows.chunks()), args)
        };
        let text = result.unwrap_err().to_string();
        assert!(
            text.contains("fill_sphere") && text.contains("511") && text.contains("analytic.rs"),
            "{text}"
        );
    }
}

#[test]
fn buffers_of_another_device_are_rejected() {
    let Ok(cuda) = Device::cuda(0) else {
        test_cases::report_skip(format_args!("one device only"));
        return;
    };
    let (on_cuda, on_cpu) = (cuda.stream().unwrap(), Device::cpu().stream().unwrap());
    let buffer = on_cuda.upload(&[1u8, 2]).unwrap();
    assert!(matches!(
        on_cpu.download(&buffer).unwrap_err(),
        DeviceError::WrongDevice { .. }
    ));
}
