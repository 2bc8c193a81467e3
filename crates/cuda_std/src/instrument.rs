//! What instrumented code calls: it tells checked mode of accesses that no view makes. On the CPU
//! only.
//!
//! `#[kernel]` and `#[instrument]` write these calls, and nobody else does.

use core::mem::MaybeUninit;
use simt::Access;
use simt::memory::{self, AccessPath};

/// A pointer to what is accessed.
pub trait MemoryOperand: Copy {
    /// Where it begins, and how many bytes it has.
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
            /// The caller makes the access next, so the place is valid for it.
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
    /// Before a read by a raw pointer.
    read_pointer Pointer: Read;
    /// Before a read in any other way.
    read Reference: Read;
    /// Before a write by a raw pointer.
    write_pointer Pointer: Write;
    /// Before a write in any other way.
    write Reference: Write;
    /// Before a read and a write by a raw pointer.
    update_pointer Pointer: Read Write;
    /// Before a read and a write in any other way.
    update Reference: Read Write;
    /// Before an atomic operation.
    atomic Pointer: Atomic;
    /// Before an atomic write.
    atomic_store Pointer: AtomicStore;
}

/// Where a reference is taken to what a raw pointer points to.
///
/// # Safety
///
/// The place is valid.
#[inline(always)]
pub unsafe fn borrow<P: MemoryOperand>(place: P) -> P {
    if memory::is_any_launch_checked() {
        let (address, bytes) = place.byte_range();
        memory::record_borrow(address, bytes);
    }
    place
}

/// Where what lies at `place` is passed to another function.
#[inline(always)]
#[track_caller]
pub fn argument_passed<T: ?Sized>(place: *const T) {
    if memory::is_any_launch_checked() {
        memory::record_argument_passed(place.cast::<u8>().addr());
    }
}

/// At the beginning of an instrumented function that was given what lies at `place`.
#[inline(always)]
pub fn argument_received<T: ?Sized>(place: *const T) {
    if memory::is_any_launch_checked() {
        memory::record_argument_received(place.cast::<u8>().addr());
    }
}

/// At the beginning of each turn of a loop.
#[inline(always)]
#[track_caller]
pub fn loop_iteration() {
    if memory::is_any_launch_checked() {
        memory::record_step();
    }
}

/// A place of which only the compiler knows the type: what a method `write` is called on, or a
/// variable that may be a pointer.
pub struct Probe<T>(*const T);

impl<T> Probe<T> {
    /// Of this place.
    ///
    /// # Safety
    ///
    /// While the probe lives, the place is that of a variable that holds a value.
    #[inline(always)]
    pub const unsafe fn new(place: *const T) -> Self {
        Self(place)
    }
}

/// It is one: the method writes it.
pub trait ProbeMaybeUninit {
    /// Before the call of the method.
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

/// It is a raw pointer, which is passed to another function.
pub trait ProbePointer {
    /// Before the call of the function.
    fn before_passing(&self);
}

macro_rules! pointers {
    ($($pointer:tt)+) => {
        $(
            impl<T> ProbePointer for Probe<*$pointer T> {
                #[inline(always)]
                #[track_caller]
                fn before_passing(&self) {
                    // SAFETY: `Probe` is made of the address of a variable, by who passes its value
                    // on.
                    argument_passed(unsafe { self.0.read() });
                }
            }
        )+
    };
}

pointers!(const mut);

/// It is something else: what the method does is not known. (Of two methods of one name the
/// compiler takes that which needs fewer references.)
pub trait ProbeOther {
    /// Before the call of the method.
    #[inline(always)]
    fn before_write(&self) {}

    /// Before the call of the function.
    #[inline(always)]
    fn before_passing(&self) {}
}

impl<T> ProbeOther for &Probe<T> {}
