//! Contexts beside the primary one, and each thread's stack.

use cust::context::legacy::{self, ContextStack};
use cust::context::{ContextHandle, CurrentContext};
use cust::error::CudaError;
use cust::prelude::*;

use crate::context;
use crate::fake;

fn create(ordinal: u32) -> legacy::Context {
    let device = Device::get_device(ordinal).unwrap();
    legacy::Context::create_and_push(ContextFlags::SCHED_AUTO, device).unwrap()
}

/// What is current, as a number.
fn current() -> Option<usize> {
    let current = CurrentContext::get_current().ok()?;
    Some(current.get_inner().addr())
}

#[test]
fn a_stack_of_contexts() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let primary = context(0);
    let (first, second) = (create(0), create(1));
    assert_eq!(fake.own_contexts(), 2);
    let of_first = Some(first.get_inner().addr());
    let of_second = Some(second.get_inner().addr());
    assert_eq!(current(), of_second);
    assert_eq!(
        CurrentContext::get_device().unwrap(),
        Device::get_device(1).unwrap()
    );
    let popped = ContextStack::pop().unwrap();
    assert_eq!(
        (Some(popped.get_inner().addr()), current()),
        (of_second, of_first)
    );
    ContextStack::push(&primary).unwrap();
    assert_eq!(current(), Some(primary.as_raw().addr()));
    ContextStack::pop().unwrap();
    ContextStack::pop().unwrap();
    assert_eq!(current(), Some(primary.as_raw().addr()));
    ContextStack::pop().unwrap();
    assert_eq!(
        (current(), ContextStack::pop().err()),
        (None, Some(CudaError::InvalidContext))
    );
    let version = first.get_api_version().unwrap();
    assert_eq!((version.major(), version.minor()), (3, 2));
    assert_eq!(second.get_unowned().get_api_version(), Ok(version));
    assert_eq!(primary.get_api_version(), Ok(version));
    legacy::Context::drop(first).unwrap();
    drop(second);
    // what came from the stack keeps it
    assert_eq!(fake.own_contexts(), 1);
    drop(popped);
    assert_eq!(fake.own_contexts(), 0);
}

/// Memory that the host uses would be gone with its context: safe code must not be able to do that.
#[test]
fn what_was_made_in_a_context_keeps_it() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let own = create(1);
    let mut unified = UnifiedBuffer::new(&1u8, 10).unwrap();
    let buffer = DeviceBuffer::from_slice(&[5u32]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    legacy::Context::drop(own).unwrap();
    ContextStack::pop().unwrap();
    assert_eq!((current(), fake.own_contexts()), (None, 1));
    unified[9] += 1;
    assert_eq!(unified[8..], [1, 2]);
    stream.synchronize().unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [5]);
    drop((unified, stream));
    assert_eq!(fake.own_contexts(), 1);
    drop(buffer);
    assert_eq!((fake.own_contexts(), fake.blocks()), (0, 0));
}

#[test]
fn a_context_goes_to_other_threads() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let own = create(0);
    let handle = own.get_unowned();
    let other = handle.clone();
    let buffer = std::thread::spawn(move || {
        CurrentContext::set_current(&other).unwrap();
        DeviceBuffer::from_slice(&[1u8, 2]).unwrap()
    })
    .join()
    .unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [1, 2]);
    drop((own, buffer));
    ContextStack::pop().unwrap();
    ContextStack::push(&handle).unwrap();
    assert_eq!(fake.own_contexts(), 1);
    ContextStack::pop().unwrap();
    drop(handle);
    assert_eq!(fake.own_contexts(), 0);
}

/// A context that is to be restored must be there.
#[test]
fn what_was_current_is_kept_until_it_is_restored() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let primary = context(0);
    let own = create(1);
    let guard = primary.enter().unwrap();
    drop(own);
    assert_eq!(
        (current(), fake.own_contexts()),
        (Some(primary.as_raw().addr()), 1)
    );
    drop(guard);
    // it was restored, and then went with its last owner, and from the stack
    assert_eq!(
        (current(), fake.own_contexts()),
        (Some(primary.as_raw().addr()), 0)
    );
}
