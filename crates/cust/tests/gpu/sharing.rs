//! Multiple streams, threads and devices.

use std::sync::Arc;
use std::time::Duration;

use cust::memory::AsyncCopyDestination;
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;

use crate::{gpu, kernels};

#[test]
fn events_synchronize_streams() {
    let Some(_context) = gpu(0) else { return };
    let n = 1 << 20;
    let module = kernels();
    let vecadd = module.get_function("vecadd").unwrap();
    let (first, second) = (
        Stream::new_non_blocking(None).unwrap(),
        Stream::new_non_blocking(None).unwrap(),
    );
    let done = Event::new(EventFlags::DISABLE_TIMING).unwrap();
    let mut values = DeviceBuffer::<f32>::zeroed(n).unwrap();
    values.set_32(1f32.to_bits()).unwrap();
    let (p, grid) = (values.as_device_ptr(), (n as u32) / 256);
    for _ in 0..10 {
        // SAFETY: vecadd in place, with one element per thread; the events order the streams.
        unsafe {
            launch!(vecadd<<<grid, 256, 0, first>>>(p, p, p, n)).unwrap();
            done.record(&first).unwrap();
            second
                .wait_event(&done, StreamWaitEventFlags::DEFAULT)
                .unwrap();
            launch!(vecadd<<<grid, 256, 0, second>>>(p, p, p, n)).unwrap();
            done.record(&second).unwrap();
            first
                .wait_event(&done, StreamWaitEventFlags::DEFAULT)
                .unwrap();
        }
    }
    first.synchronize().unwrap();
    second.synchronize().unwrap();
    assert!(
        values
            .as_host_vec()
            .unwrap()
            .iter()
            .all(|value| *value == (1u32 << 20) as f32)
    );
    let (sender, receiver) = std::sync::mpsc::channel();
    first
        .add_callback(Box::new(move || sender.send(7).unwrap()))
        .unwrap();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(10)), Ok(7));
}

#[test]
fn many_threads_share_a_device() {
    let Some(context) = gpu(0) else { return };
    cust::memory::set_release_threshold(context.device(), 64 << 20).unwrap();
    let vecadd = Arc::new(kernels().get_function_owned("vecadd").unwrap());
    std::thread::scope(|scope| {
        for thread in 0..8u32 {
            let (context, vecadd) = (context.clone(), Arc::clone(&vecadd));
            scope.spawn(move || {
                let stream = {
                    let _current = context.enter().unwrap();
                    Stream::new_non_blocking(None).unwrap()
                };
                for round in 0..50u32 {
                    let value = (thread * 1000 + round) as f32;
                    let n = 1000usize;
                    let host = vec![value; n];
                    let mut sum = vec![0f32; n];
                    // SAFETY: one stream per thread, synchronized before the host reads or drops
                    // anything.
                    unsafe {
                        let a = DeviceBuffer::from_slice_async(&host, &stream).unwrap();
                        let p = a.as_device_ptr();
                        launch!(vecadd<<<4, 256, 0, stream>>>(p, p, p, n)).unwrap();
                        a.async_copy_to(&mut sum, &stream).unwrap();
                    }
                    stream.synchronize().unwrap();
                    assert!(
                        sum.iter().all(|sum| *sum == 2.0 * value),
                        "thread {thread}, round {round}"
                    );
                }
            });
        }
    });
}

#[test]
fn two_devices_copy_to_each_other() {
    let (Some(first), Some(second)) = (gpu(0), gpu(1)) else {
        return;
    };
    // Device 1 is current now; every object uses its own context.
    let peer_buffer = DeviceBuffer::from_slice(&[1.5f32; 1000]).unwrap();
    let (mut buffer, stream, module) = {
        let _current = first.enter().unwrap();
        (
            DeviceBuffer::<f32>::zeroed(1000).unwrap(),
            Stream::new_non_blocking(None).unwrap(),
            kernels(),
        )
    };
    buffer.copy_from(&peer_buffer).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), vec![1.5; 1000]);
    // SAFETY: both sides live until the stream is synchronized.
    unsafe {
        buffer.set_zero_async(&stream).unwrap();
        buffer.async_copy_from(&peer_buffer, &stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), vec![1.5; 1000]);
    if first.device().can_access_peer(second.device()).unwrap() {
        first.enable_peer_access(&second).unwrap();
        first.enable_peer_access(&second).unwrap();
        let vecadd = module.get_function("vecadd").unwrap();
        let (local, remote) = (buffer.as_device_ptr(), peer_buffer.as_device_ptr());
        // SAFETY: vecadd(remote, local, local, n) on device 0, which has access to device 1 now.
        unsafe { launch!(vecadd<<<4, 256, 0, stream>>>(remote, local, local, buffer.len())) }
            .unwrap();
        stream.synchronize().unwrap();
        assert_eq!(buffer.as_host_vec().unwrap(), vec![3.0; 1000]);
    } else {
        eprintln!("no peer access between the devices: only copies were tested");
    }
}
