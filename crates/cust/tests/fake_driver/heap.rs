//! The heap of a module: the host writes the structure that `cuda_std` reads.

use std::ffi::CString;
use std::mem::offset_of;

use cuda_std::heap::{Heap, SYMBOL};
use cust::error::CudaError;
use cust::prelude::*;

use crate::context;
use crate::fake;

/// Returns the heap as a kernel sees it.
fn read_heap(module: &Module) -> Heap {
    let name = CString::new(SYMBOL).unwrap();
    let mut words = [0u64; 3];
    module
        .get_global::<[u64; 3]>(&name)
        .unwrap()
        .copy_to(&mut words)
        .unwrap();
    assert_eq!(
        [
            offset_of!(Heap, start),
            offset_of!(Heap, bytes),
            offset_of!(Heap, used),
            size_of::<Heap>()
        ],
        [0, 8, 16, 24]
    );
    Heap {
        start: words[0],
        bytes: words[1],
        used: words[2],
    }
}

/// Simulates an allocation in a kernel.
fn allocate(module: &Module, bytes: u64) {
    let name = CString::new(SYMBOL).unwrap();
    let heap = read_heap(module);
    module
        .get_global::<[u64; 3]>(&name)
        .unwrap()
        .copy_from(&[heap.start, heap.bytes, heap.used + bytes])
        .unwrap();
}

#[test]
fn set_heap_and_reset_write_the_heap_structure() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let owner = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    assert_eq!(read_heap(&module), Heap::default());
    let heap = module.set_heap(1 << 20).unwrap();
    let start = read_heap(&module).start;
    assert_eq!(read_heap(&module), Heap::new(start, 1 << 20));
    assert_eq!((fake.allocation_device(start), start % 16), (0, 0));
    allocate(&module, 4096);
    assert_eq!((heap.used(), heap.bytes()), (Ok(4096), 1 << 20));
    // failed allocations count too; the reset clears both halves of the number
    allocate(&module, u64::MAX / 2);
    heap.reset(&stream).unwrap();
    assert_eq!(read_heap(&module), Heap::new(start, 1 << 20));

    // A second heap replaces the first; dropping the first does not remove the second.
    let larger = module.set_heap(2 << 20).unwrap();
    drop(heap);
    let start = read_heap(&module).start;
    assert_eq!(read_heap(&module), Heap::new(start, 2 << 20));
    assert_eq!(fake.allocation_device(start), 0);
    // on any thread, without a current context, and after the module's owner is dropped
    drop((owner, stream));
    std::thread::spawn(move || drop(larger)).join().unwrap();
    assert_eq!((read_heap(&module), fake.blocks()), (Heap::default(), 0));
    let last = module.set_heap(16).unwrap();
    drop(module);
    drop(last);
    assert_eq!((fake.blocks(), fake.retain_count(0)), (0, 0));
}

#[test]
fn a_heap_that_cannot_be_allocated_is_an_error() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    assert_eq!(
        module.set_heap(65 << 20).unwrap_err(),
        CudaError::OutOfMemory
    );
    assert_eq!(read_heap(&module), Heap::default());
    // without a heap every allocation fails
    let none = module.set_heap(0).unwrap();
    assert_eq!((read_heap(&module), none.used()), (Heap::default(), Ok(0)));
    drop(none);
    assert_eq!(fake.blocks(), 0);
}
