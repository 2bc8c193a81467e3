//! Clocks, breakpoints and profiler counters.

/// Stops in the debugger. Without one attached, the kernel ends with an error; on the CPU it does
/// nothing, as a debugger there breaks on source lines.
#[inline(always)]
pub fn breakpoint() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a breakpoint has no precondition.
    unsafe {
        core::arch::asm!("brkpt;", options(nostack));
    }
}

/// Limits the kernel to `REGISTERS` registers of 32 bits for each thread, so that more threads fit
/// on a multiprocessor. What does not fit into them is kept in memory, which is slow: compare the
/// figures of `cargo xtask ptx` before and after.
///
/// To be called in the kernel itself or in what is inlined into it, once. `cuda_builder` makes a
/// directive of the kernel of it.
#[inline(always)]
pub fn max_registers<const REGISTERS: u32>() {
    const {
        assert!(
            REGISTERS >= 16 && REGISTERS <= 255,
            "a thread has 16 to 255 registers"
        );
    }
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a comment.
    unsafe {
        core::arch::asm!("// ferrovox.limit: .maxnreg {}", const REGISTERS, options(nomem, nostack));
    }
}

macro_rules! opaque {
    ($(#[$doc:meta])* $name:ident $ty:ident $move:literal $class:ident $comment:literal) => {
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(value: $ty) -> $ty {
            #[cfg(target_arch = "nvptx64")]
            {
                let same: $ty;
                // SAFETY: a move between registers.
                unsafe {
                    core::arch::asm!(
                        $move,
                        out($class) same,
                        in($class) value,
                        options(pure, nomem, nostack)
                    );
                }
                same
            }
            #[cfg(all(target_arch = "x86_64", not(miri)))]
            {
                let mut same = value;
                // SAFETY: a comment.
                unsafe {
                    core::arch::asm!(
                        $comment,
                        inout(reg) same,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                same
            }
            #[cfg(not(any(target_arch = "nvptx64", all(target_arch = "x86_64", not(miri)))))]
            {
                value
            }
        }
    };
}

opaque! {
    /// A value of which the compiler is to know nothing.
    ///
    /// LLVM keeps a sum for each product of a loop's variable, to save the multiplication: that
    /// costs registers and an addition each, where the multiplication and the addition after it are
    /// one instruction. It leaves alone what comes from here. On the device this is a move, which
    /// the assembler removes again; on an x86-64 it is nothing, but a loop over such a value and
    /// small constants becomes vectors there.
    opaque u32 "mov.b32 {}, {};" reg32 "/* {0:e} */"
}

opaque! {
    /// As [`opaque`], for 64 bits.
    opaque_u64 u64 "mov.b64 {}, {};" reg64 "/* {0:r} */"
}

/// The same number, of which the assembler does not know that all lanes of the warp have it.
///
/// Of numbers that a whole warp has in common it makes registers of the warp, of which some
/// instructions take none: it copies them each time then. Whole warps call it, with one number; on
/// the CPU it does nothing.
#[inline(always)]
#[must_use]
pub fn non_uniform(value: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let same: u32;
        // SAFETY: lanes exchange equal numbers.
        unsafe {
            core::arch::asm!(
                "shfl.sync.idx.b32 {}, {}, 0, 0x1f, -1;",
                out(reg32) same,
                in(reg32) value,
                options(nostack)
            );
        }
        same
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        value
    }
}

/// The low and the high word of 64 bits.
///
/// On the device this is a move of its own, which nothing merges with what comes after. It is for
/// the bits of an `f64`: LLVM 22 makes `st.b32` of a register that holds an `f64` out of "store the
/// low half", and what then was found in memory on an H200 were not its low bits but all ones.
#[inline(always)]
#[must_use]
pub fn split_u64(bits: u64) -> [u32; 2] {
    #[cfg(target_arch = "nvptx64")]
    {
        let (low, high): (u32, u32);
        // SAFETY: a move between registers.
        unsafe {
            core::arch::asm!(
                "mov.b64 {{{}, {}}}, {};",
                out(reg32) low,
                out(reg32) high,
                in(reg64) bits,
                options(pure, nomem, nostack)
            );
        }
        [low, high]
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        [bits as u32, (bits >> 32) as u32]
    }
}

/// Adds one to the profiler's counter `COUNTER`, 0 to 7, once per warp. On the CPU it does nothing.
///
/// The instruction takes a constant, hence the const parameter; see [`profiler_counter`] for the
/// published form.
#[inline(always)]
pub fn profiler_event<const COUNTER: u32>() {
    const {
        assert!(COUNTER < 8, "there are eight profiler counters, 0 to 7");
    }
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: counting has no precondition.
    unsafe {
        core::arch::asm!("pmevent {};", const COUNTER, options(nostack));
    }
}

/// Adds one to the profiler's counter `counter`, 0 to 7, once per warp. On the CPU it does nothing.
///
/// # Panics
///
/// Where `counter` is more than 7.
#[inline(always)]
pub fn profiler_counter(counter: u32) {
    match counter {
        0 => profiler_event::<0>(),
        1 => profiler_event::<1>(),
        2 => profiler_event::<2>(),
        3 => profiler_event::<3>(),
        4 => profiler_event::<4>(),
        5 => profiler_event::<5>(),
        6 => profiler_event::<6>(),
        7 => profiler_event::<7>(),
        _ => panic!("there are eight profiler counters, 0 to 7"),
    }
}

/// Cycles of the multiprocessor's clock. Differences within one thread mean something; on the CPU
/// they are nanoseconds.
#[inline(always)]
#[must_use]
pub fn clock() -> u64 {
    #[cfg(target_arch = "nvptx64")]
    {
        let cycles;
        // SAFETY: reading a clock has no precondition. It is not `pure`, so that no two reads
        // become one.
        unsafe {
            core::arch::asm!("mov.u64 {}, %clock64;", out(reg64) cycles, options(nomem, nostack));
        }
        cycles
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
