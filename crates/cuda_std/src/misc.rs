//! Clocks, breakpoints, profiler counters and compiler hints.

/// Breaks into the debugger. Without a debugger the kernel ends with an error. On the CPU it does
/// nothing, because debuggers there break on source lines.
#[inline(always)]
pub fn breakpoint() {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: a breakpoint has no precondition.
    unsafe {
        core::arch::asm!("brkpt;", options(nostack));
    }
}

/// Limits the kernel to `REGISTERS` 32-bit registers per thread, so that more threads fit on a
/// multiprocessor. Excess values are spilled to memory, which is slow: compare the figures of
/// `cargo xtask ptx` before and after.
///
/// Call it once, in the kernel itself or in an inlined function. `cuda_builder` turns it into a
/// directive of the kernel.
#[inline(always)]
pub fn max_registers<const REGISTERS: u32>() {
    const {
        assert!(
            REGISTERS >= 16 && REGISTERS <= 255,
            "a thread has 16 to 255 registers"
        );
    }
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: an assembler comment.
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
                // SAFETY: a register move.
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
                // SAFETY: an assembler comment.
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
    /// Returns `value` in a form that the optimiser cannot see through.
    ///
    /// LLVM's strength reduction replaces each product with a loop variable by a running sum, which
    /// costs a register and an addition per product, whereas multiply-add is one instruction. It
    /// leaves opaque values alone. On the device this is a move that the assembler removes; on
    /// x86-64 it emits nothing, but loops over such values and small constants are still
    /// vectorised.
    opaque u32 "mov.b32 {}, {};" reg32 "/* {0:e} */"
}

opaque! {
    /// Returns `value` in a form that the optimiser cannot see through, like [`opaque`], for 64
    /// bits.
    opaque_u64 u64 "mov.b64 {}, {};" reg64 "/* {0:r} */"
}

/// Returns `value`, which must be equal in all lanes of the warp, without the assembler knowing
/// that it is warp-uniform.
///
/// The assembler keeps uniform values in uniform registers, which some instructions cannot read and
/// would copy each time. All lanes of the warp must call it together. On the CPU it does nothing.
#[inline(always)]
#[must_use]
pub fn non_uniform(value: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let same: u32;
        // SAFETY: exchanges equal values between the lanes.
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

/// Splits 64 bits into the low and the high word.
///
/// On the device this is a separate move that is not merged with later instructions. Use it for the
/// bits of an `f64`: LLVM 22 merges storing the low half into a `st.b32` of a 64-bit float
/// register, which stored all ones on an H200.
#[inline(always)]
#[must_use]
pub fn split_u64(bits: u64) -> [u32; 2] {
    #[cfg(target_arch = "nvptx64")]
    {
        let (low, high): (u32, u32);
        // SAFETY: a register move.
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

/// Increments profiler counter `COUNTER` (0 to 7) once per warp. On the CPU it does nothing.
///
/// The instruction takes a constant, hence the const parameter; [`profiler_counter`] is Rust-CUDA's
/// form.
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

/// Increments profiler counter `counter` (0 to 7) once per warp. On the CPU it does nothing.
///
/// # Panics
///
/// If `counter` exceeds 7.
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

/// Returns the multiprocessor's cycle counter; on the CPU, nanoseconds. Only differences within one
/// thread are meaningful.
#[inline(always)]
#[must_use]
pub fn clock() -> u64 {
    #[cfg(target_arch = "nvptx64")]
    {
        let cycles;
        // SAFETY: reading a clock has no precondition. Not `pure`, so that two reads are not
        // merged.
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
