//! The derive macro of `DeviceCopy` on all supported types. Rejected types are doc tests of the
//! trait.

// The types defined here are used only for their trait implementations.
#![allow(dead_code)]

use std::marker::PhantomData;

use cust::DeviceCopy;
use cust::memory::{DeviceBuffer, DevicePointer};

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C)]
struct Named {
    index: [u32; 3],
    value: f32,
    inside: bool,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, packed)]
struct Tuple(u8, u64, Named);

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C, align(32))]
struct Generic<'a, T: PartialEq, U, const N: usize>
where
    U: Default,
{
    values: [T; N],
    other: U,
    next: DevicePointer<u8>,
    lifetime: PhantomData<&'a ()>,
    inner: Option<std::num::NonZeroU32>,
}

#[derive(Clone, Copy, DeviceCopy)]
struct Unit;

#[derive(Clone, Copy, DeviceCopy)]
#[repr(u16)]
enum Axis {
    X = 1,
    Y,
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
enum Shape<T> {
    Point,
    Ball(T),
    Box { low: [T; 3], high: [T; 3] },
}

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
union Bits {
    number: u32,
    float: f32,
}

mod elsewhere {
    // user types with these names must not conflict with the expansion
    #[derive(Clone, Copy, cust::DeviceCopy)]
    #[repr(C)]
    pub struct Field(pub DeviceCopy);

    #[derive(Clone, Copy, cust::memory::DeviceCopy)]
    #[repr(transparent)]
    pub struct DeviceCopy(pub u8);
}

fn may_be_copied<T: DeviceCopy>() {}

#[test]
fn all_kinds_of_types_derive_device_copy() {
    may_be_copied::<Named>();
    may_be_copied::<Tuple>();
    may_be_copied::<Generic<'_, Wrapped, f32, 3>>();
    may_be_copied::<Unit>();
    may_be_copied::<Axis>();
    may_be_copied::<Shape<Shape<f32>>>();
    may_be_copied::<Bits>();
    may_be_copied::<elsewhere::Field>();
    // without memory no driver is needed
    assert_eq!(
        DeviceBuffer::<Named>::from_slice(&[])
            .unwrap()
            .as_host_vec(),
        Ok(vec![])
    );
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceCopy)]
#[repr(transparent)]
struct Wrapped(f64);
