//! Memory of the medial method per object voxel: bytes that are allocated and written, counted by
//! the allocator, and the peak of the process. Memory that is requested as zeroed pages counts as
//! written only where lists are extended or moved.

use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial,
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Allocator that counts the bytes of memory which its users must write.
struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Number of bytes allocated without being zeroed by the system.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

// SAFETY: all calls are passed on to the system's allocator.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        WRITTEN.fetch_add(layout.size() as u64, Relaxed);
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        WRITTEN.fetch_add(size.saturating_sub(layout.size()) as u64, Relaxed);
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Returns the bytes written per object voxel, and the number of endpoints, for a thick ring with
/// thin spikes inside and outside.
fn bytes_per_voxel(spikes: usize) -> (f64, usize) {
    let dims = [150, 150, 30];
    let is_set = |x: usize, y: usize, z: usize| {
        let [x, y, z] = [x as f64 - 75.0, y as f64 - 75.0, z as f64 - 15.0];
        let distance = x.hypot(y);
        let is_ring = (distance - 45.0).hypot(z) < 12.0;
        let is_spike = (0..spikes).any(|spike| {
            let angle = std::f64::consts::TAU * spike as f64 / spikes as f64;
            let [along, across] = [
                x * angle.cos() + y * angle.sin(),
                y * angle.cos() - x * angle.sin(),
            ];
            along > 0.0 && along < 72.0 && distance > 12.0 && across.hypot(z) < 1.6
        });
        is_ring || is_spike
    };
    let volume = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(is_set(x, y, z))
    })
    .unwrap();
    let params = medial::Params::default();
    // threads and caches are created by the first call
    medial::extract(&[], &volume, &params, Monitor::new()).unwrap();
    let before = WRITTEN.load(Relaxed);
    let skeletons = medial::extract(&[], &volume, &params, Monitor::new()).unwrap();
    let written = WRITTEN.load(Relaxed) - before;
    assert!(skeletons.is_certified());
    let voxels = skeletons.labels[0].components[0].voxels;
    let degrees = skeletons.labels[0].skeleton.degrees();
    let ends = degrees.iter().filter(|&&degree| degree == 1).count();
    (written as f64 / voxels as f64, ends)
}

/// Lock of the tests, which measure the memory of the whole process.
static PROCESS: Mutex<()> = Mutex::new(());

/// Branches must not cost memory in proportion to the object: a list that is filled for each of
/// them would add 16 bytes per voxel and branch.
#[test]
fn bytes_written_do_not_grow_with_the_branches() {
    let _process = PROCESS.lock().unwrap_or_else(|error| error.into_inner());
    let (without, ends) = bytes_per_voxel(0);
    let (with, spikes) = bytes_per_voxel(12);
    println!("{without:.1} bytes per voxel with {ends} ends, {with:.1} with {spikes}");
    assert!(ends == 0 && spikes >= 24, "{ends} and {spikes} ends");
    assert!(without < MAX_BYTES, "{without} bytes per voxel");
    assert!(
        with < without + MAX_BYTES_FOR_BRANCHES,
        "{with} instead of {without} bytes per voxel"
    );
}

/// Bytes written per voxel of an object without branches; 200 were measured.
const MAX_BYTES: f64 = 210.0;
/// Further bytes per voxel for 24 branches. None were measured; two lists of 16 bytes per voxel
/// exceed the limit.
const MAX_BYTES_FOR_BRANCHES: f64 = 24.0;

/// The stages of a thick component with a tunnel need at most 24 bytes per voxel, and the graph of
/// blocks, whose size hardly depends on the component, some tens of megabytes.
#[cfg(target_os = "linux")]
#[test]
fn peak_memory_is_small() {
    let _process = PROCESS.lock().unwrap_or_else(|error| error.into_inner());
    let volume = Volume::from_fn([256, 256, 72], Geometry::default(), |x, y, z| {
        let [x, y, z] = [x as f64 - 128.0, y as f64 - 128.0, z as f64 - 36.0];
        u8::from((x.hypot(y) - 91.0).hypot(z) < 34.0)
    })
    .unwrap();
    let params = medial::Params::default();
    let before = memory_of_process("VmRSS");
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let skeletons = medial::extract(&[], &volume, &params, Monitor::new()).unwrap();
    let bytes = memory_of_process("VmHWM") - before;
    let component = &skeletons.labels[0].components[0];
    assert_eq!((component.tunnels, skeletons.is_certified()), (1, true));
    let limit = MAX_PEAK_BYTES_PER_VOXEL * component.voxels + MAX_PEAK_BYTES;
    println!(
        "{bytes} bytes for {} voxels, at most {limit}",
        component.voxels
    );
    assert!(bytes < limit, "{bytes} bytes, more than {limit}");
}

/// Returns an entry of the status of the process, in bytes.
#[cfg(target_os = "linux")]
fn memory_of_process(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    1024 * kib
}

/// Maximum peak memory per voxel.
#[cfg(target_os = "linux")]
const MAX_PEAK_BYTES_PER_VOXEL: u64 = 24;
/// Maximum peak memory independent of the component; 67 MB were measured.
#[cfg(target_os = "linux")]
const MAX_PEAK_BYTES: u64 = 75_000_000;
