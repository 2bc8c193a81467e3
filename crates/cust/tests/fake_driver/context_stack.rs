//! Explicitly created contexts and the context stack of each thread.

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

/// Returns the current context as a number.
fn current() -> Option<usize> {
    let current = CurrentContext::get_current().ok()?;
    Some(current.get_inner().addr())
}

#[test]
fn context_stack_push_and_pop() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let primary = context(0);
    let (first, second) = (create(0), create(1));
    assert_eq!(fake.explicit_contexts(), 2);
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
    // the popped reference keeps the context alive
    assert_eq!(fake.explicit_contexts(), 1);
    drop(popped);
    assert_eq!(fake.explicit_contexts(), 0);
}

/// Unified memory is freed with its context, so safe code must not be able to destroy the context
/// first.
#[test]
fn objects_keep_their_context_alive() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let own = create(1);
    let mut unified = UnifiedBuffer::new(&1u8, 10).unwrap();
    let buffer = DeviceBuffer::from_slice(&[5u32]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    legacy::Context::drop(own).unwrap();
    ContextStack::pop().unwrap();
    assert_eq!((current(), fake.explicit_contexts()), (None, 1));
    unified[9] += 1;
    assert_eq!(unified[8..], [1, 2]);
    stream.synchronize().unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [5]);
    drop((unified, stream));
    assert_eq!(fake.explicit_contexts(), 1);
    drop(buffer);
    assert_eq!((fake.explicit_contexts(), fake.blocks()), (0, 0));
}

#[test]
fn a_context_can_be_used_on_other_threads() {
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
    assert_eq!(fake.explicit_contexts(), 1);
    ContextStack::pop().unwrap();
    drop(handle);
    assert_eq!(fake.explicit_contexts(), 0);
}

/// The context restored by a guard must be alive.
#[test]
fn a_guard_keeps_the_previous_context_alive() {
    let Some((fake, _turn)) = fake::open() else {
        return;
    };
    let primary = context(0);
    let own = create(1);
    let guard = primary.enter().unwrap();
    drop(own);
    assert_eq!(
        (current(), fake.explicit_contexts()),
        (Some(primary.as_raw().addr()), 1)
    );
    drop(guard);
    // it was restored, and then destroyed with its last reference and removed from the stack
    assert_eq!(
        (current(), fake.explicit_contexts()),
        (Some(primary.as_raw().addr()), 0)
    );
}
