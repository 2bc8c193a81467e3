//! Bit operations that are one instruction on the device, where `leading_zeros` takes two.

/// Returns the number of zeros above the highest set bit, or `u32::MAX` if no bit is set (PTX
/// `bfind.shiftamt`).
///
/// ```
/// use cuda_std::bits::bfind_shiftamt;
///
/// assert_eq!(bfind_shiftamt(0x8000_0000), 0);
/// assert_eq!(bfind_shiftamt(5), 29);
/// assert_eq!(bfind_shiftamt(0), u32::MAX);
/// ```
#[inline(always)]
#[must_use]
pub fn bfind_shiftamt(x: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let zeros: u32;
        // SAFETY: a pure computation.
        unsafe {
            core::arch::asm!(
                "bfind.shiftamt.u32 {}, {};",
                out(reg32) zeros,
                in(reg32) x,
                options(pure, nomem, nostack)
            );
        }
        zeros
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        if x == 0 { u32::MAX } else { x.leading_zeros() }
    }
}

/// Returns a number shifted right, which is 0 for shifts of 32 and more (PTX `shr.u32`).
///
/// ```
/// use cuda_std::bits::shift_right;
///
/// assert_eq!(shift_right(0x8000_0000, 31), 1);
/// assert_eq!(shift_right(0x8000_0000, 32), 0);
/// ```
#[inline(always)]
#[must_use]
pub fn shift_right(x: u32, shift: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let shifted: u32;
        // SAFETY: a pure computation.
        unsafe {
            core::arch::asm!(
                "shr.u32 {}, {}, {};",
                out(reg32) shifted,
                in(reg32) x,
                in(reg32) shift,
                options(pure, nomem, nostack)
            );
        }
        shifted
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        if shift < 32 { x >> shift } else { 0 }
    }
}

/// Returns the position of the highest set bit, or `u32::MAX` if no bit is set (PTX `bfind`).
///
/// ```
/// use cuda_std::bits::bfind;
///
/// assert_eq!(bfind(0x8000_0000), 31);
/// assert_eq!(bfind(5), 2);
/// assert_eq!(bfind(0), u32::MAX);
/// ```
#[inline(always)]
#[must_use]
pub fn bfind(x: u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let at: u32;
        // SAFETY: a pure computation.
        unsafe {
            core::arch::asm!(
                "bfind.u32 {}, {};",
                out(reg32) at,
                in(reg32) x,
                options(pure, nomem, nostack)
            );
        }
        at
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        if x == 0 {
            u32::MAX
        } else {
            31 - x.leading_zeros()
        }
    }
}
