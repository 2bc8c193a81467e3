//! The heap of a module's kernels: what the host writes is what `cuda_std` reads.

use std::ffi::CString;
use std::mem::offset_of;

use cuda_std::heap::{Heap, SYMBOL};
use cust::error::CudaError;
use cust::prelude::*;

use crate::context;
use crate::fake;

/// What a kernel would find.
fn found(module: &Module) -> Heap {
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

/// As a kernel would take some of it.
fn take(module: &Module, bytes: u64) {
    let name = CString::new(SYMBOL).unwrap();
    let heap = found(module);
    module
        .get_global::<[u64; 3]>(&name)
        .unwrap()
        .copy_from(&[heap.start, heap.bytes, heap.used + bytes])
        .unwrap();
}

#[test]
fn a_module_gets_a_heap_in_one_line() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let owner = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    assert_eq!(found(&module), Heap::default());
    let heap = module.set_heap(1 << 20).unwrap();
    let start = found(&module).start;
    assert_eq!(found(&module), Heap::new(start, 1 << 20));
    assert_eq!((fake.device_of(start), start % 16), (0, 0));
    take(&module, 4096);
    assert_eq!((heap.used(), heap.bytes()), (Ok(4096), 1 << 20));
    // what was asked for counts, also where it was not there; the reset sees both halves of the
    // number
    take(&module, u64::MAX / 2);
    heap.reset(&stream).unwrap();
    assert_eq!(found(&module), Heap::new(start, 1 << 20));

    // Another one takes its place; the first does not take that away.
    let larger = module.set_heap(2 << 20).unwrap();
    drop(heap);
    let start = found(&module).start;
    assert_eq!(found(&module), Heap::new(start, 2 << 20));
    assert_eq!(fake.device_of(start), 0);
    // On any thread, with nothing current, and with the module's owner gone.
    drop((owner, stream));
    std::thread::spawn(move || drop(larger)).join().unwrap();
    assert_eq!((found(&module), fake.blocks()), (Heap::default(), 0));
    let last = module.set_heap(16).unwrap();
    drop(module);
    drop(last);
    assert_eq!((fake.blocks(), fake.owners(0)), (0, 0));
}

#[test]
fn a_heap_that_cannot_be_had_is_an_error() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let _context = context(0);
    let module = Module::from_ptx("// vecadd", &[]).unwrap();
    assert_eq!(
        module.set_heap(65 << 20).unwrap_err(),
        CudaError::OutOfMemory
    );
    assert_eq!(found(&module), Heap::default());
    // none at all: every allocation fails
    let none = module.set_heap(0).unwrap();
    assert_eq!((found(&module), none.used()), (Heap::default(), Ok(0)));
    drop(none);
    assert_eq!(fake.blocks(), 0);
}
