//! Functions called by instrumented code on the CPU. They record, for checked mode, the accesses
//! that do not go through views.
//!
//! Only the expansions of `#[kernel]` and `#[instrument]` call them.

use core::mem::MaybeUninit;
use simt::Access;
use simt::memory::{self, AccessPath};

/// Pointer to accessed memory.
pub trait MemoryOperand: Copy {
    /// Returns the address and the size in bytes.
    fn byte_range(self) -> (usize, usize);
}

macro_rules! memory_operands {
    ($($pointer:tt)+) => {
        $(
            impl<T> MemoryOperand for *$pointer T {
                #[inline(always)]
                fn byte_range(self) -> (usize, usize) {
                    (self.addr(), size_of::<T>())
                }
            }

            impl<T> MemoryOperand for *$pointer [T] {
                #[inline(always)]
                fn byte_range(self) -> (usize, usize) {
                    (self.cast::<T>().addr(), self.len() * size_of::<T>())
                }
            }

            impl MemoryOperand for *$pointer str {
                #[inline(always)]
                fn byte_range(self) -> (usize, usize) {
                    (self.cast::<u8>().addr(), (self as *$pointer [u8]).len())
                }
            }
        )+
    };
}

memory_operands!(const mut);

#[cold]
#[inline(never)]
#[track_caller]
fn record(access: Access, by: AccessPath, byte_range: (usize, usize)) {
    memory::record_access(access, by, byte_range.0, byte_range.1);
}

macro_rules! accesses {
    ($($(#[$doc:meta])* $name:ident $by:ident: $($access:ident)+;)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            ///
            /// The caller performs the access next, so the memory is valid for it.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn $name<P: MemoryOperand>(place: P) -> P {
                if memory::is_any_launch_checked() {
                    $(record(Access::$access, AccessPath::$by, place.byte_range());)+
                }
                place
            }
        )+
    };
}

accesses! {
    /// Records a read through a raw pointer.
    read_pointer Pointer: Read;
    /// Records a read through a reference, an index or a name.
    read Reference: Read;
    /// Records a write through a raw pointer.
    write_pointer Pointer: Write;
    /// Records a write through a reference, an index or a name.
    write Reference: Write;
    /// Records a read and a write through a raw pointer.
    update_pointer Pointer: Read Write;
    /// Records a read and a write through a reference, an index or a name.
    update Reference: Read Write;
    /// Records an atomic operation.
    atomic Pointer: Atomic;
    /// Records an atomic store.
    atomic_store Pointer: AtomicStore;
}

/// Records that a reference is taken to the target of a raw pointer.
///
/// # Safety
///
/// The memory at `place` is valid.
#[inline(always)]
pub unsafe fn borrow<P: MemoryOperand>(place: P) -> P {
    if memory::is_any_launch_checked() {
        let (address, bytes) = place.byte_range();
        memory::record_borrow(address, bytes);
    }
    place
}

/// Records that the memory at `place` is passed to another function.
#[inline(always)]
#[track_caller]
pub fn argument_passed<T: ?Sized>(place: *const T) {
    if memory::is_any_launch_checked() {
        memory::record_argument_passed(place.cast::<u8>().addr());
    }
}

/// Records that an instrumented function received the memory at `place`. Called at its start.
#[inline(always)]
pub fn argument_received<T: ?Sized>(place: *const T) {
    if memory::is_any_launch_checked() {
        memory::record_argument_received(place.cast::<u8>().addr());
    }
}

/// Records a loop iteration. Called at the start of the loop body.
#[inline(always)]
#[track_caller]
pub fn loop_iteration() {
    if memory::is_any_launch_checked() {
        memory::record_step();
    }
}

/// A place whose type only the compiler knows: the receiver of a method named `write`, or a
/// variable that may be a pointer.
pub struct Probe<T>(*const T);

impl<T> Probe<T> {
    /// Creates a probe of the place.
    ///
    /// # Safety
    ///
    /// While the probe lives, `place` points to an initialised variable.
    #[inline(always)]
    pub const unsafe fn new(place: *const T) -> Self {
        Self(place)
    }
}

/// Probe of a `MaybeUninit`, whose method `write` writes it.
pub trait ProbeMaybeUninit {
    /// Records the write. Called before the method.
    fn before_write(&self);
}

impl<T> ProbeMaybeUninit for Probe<MaybeUninit<T>> {
    #[inline(always)]
    #[track_caller]
    fn before_write(&self) {
        if memory::is_any_launch_checked() {
            record(Access::Write, AccessPath::Reference, self.0.byte_range());
        }
    }
}

/// Probe of a raw pointer that is passed to another function.
pub trait ProbePointer {
    /// Records the pointer as passed. Called before the function.
    fn before_passing(&self);
}

macro_rules! pointers {
    ($($pointer:tt)+) => {
        $(
            impl<T> ProbePointer for Probe<*$pointer T> {
                #[inline(always)]
                #[track_caller]
                fn before_passing(&self) {
                    // SAFETY: the probe holds the address of a variable whose value the caller
                    // passes on.
                    argument_passed(unsafe { self.0.read() });
                }
            }
        )+
    };
}

pointers!(const mut);

/// Fallback for all other types, which records nothing. (Method resolution prefers the candidate
/// that needs fewer references.)
pub trait ProbeOther {
    /// Records nothing. Called before the method.
    #[inline(always)]
    fn before_write(&self) {}

    /// Records nothing. Called before the function.
    #[inline(always)]
    fn before_passing(&self) {}
}

impl<T> ProbeOther for &Probe<T> {}
