//! PTX instructions, as macros over the parts of their names.
//!
//! Each is an `asm!` on the device and the equivalent operation of [`cpu`](super::cpu) on the CPU.
//! `$space` is empty for a generic address, `".global"` or `".shared"`; shared addresses are
//! converted first.

/// Converts a generic address to one within `$space`.
#[cfg(target_arch = "nvptx64")]
macro_rules! window {
    ("", $ptr:expr) => {
        $ptr
    };
    (".global", $ptr:expr) => {
        // Generic and global addresses are the same.
        $ptr
    };
    (".shared", $ptr:expr) => {{
        let offset: u64;
        core::arch::asm!(
            "cvta.to.shared.u64 {}, {};",
            out(reg64) offset,
            in(reg64) $ptr,
            options(pure, nomem, nostack)
        );
        offset
    }};
}

/// `ld.ORDER.SCOPE.SPACE.TYPE`.
macro_rules! load {
    ($order:literal $scope:literal $space:tt $kind:literal $reg:ident, $ptr:expr, $cpu_order:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let out;
            core::arch::asm!(
                concat!("ld.", $order, ".", $scope, $space, ".", $kind, " {}, [{}];"),
                out($reg) out,
                in(reg64) $crate::atomic::ptx::window!($space, $ptr),
                options(nostack)
            );
            out
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::atomic::cpu::Word::load($ptr, $cpu_order)
    }};
}

/// `st.ORDER.SCOPE.SPACE.TYPE`.
macro_rules! store {
    ($order:literal $scope:literal $space:tt $kind:literal $reg:ident, $ptr:expr, $value:expr, $cpu_order:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        core::arch::asm!(
            concat!("st.", $order, ".", $scope, $space, ".", $kind, " [{}], {};"),
            in(reg64) $crate::atomic::ptx::window!($space, $ptr),
            in($reg) $value,
            options(nostack)
        );
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::atomic::cpu::Word::store($ptr, $value, $cpu_order)
    }};
}

/// `atom.ORDER.SCOPE.SPACE.OPERATION.TYPE` with one operand; `$cpu` is the equivalent method of
/// `Word`.
macro_rules! fetch {
    ($order:literal $scope:literal $space:tt $operation:literal $reg:ident, $ptr:expr, $value:expr, $cpu:ident, $cpu_order:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let out;
            core::arch::asm!(
                concat!("atom.", $order, ".", $scope, $space, ".", $operation, " {}, [{}], {};"),
                out($reg) out,
                in(reg64) $crate::atomic::ptx::window!($space, $ptr),
                in($reg) $value,
                options(nostack)
            );
            out
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::atomic::cpu::Word::$cpu($ptr, $value, $cpu_order)
    }};
}

/// `atom.ORDER.SCOPE.SPACE.cas.TYPE`: stores the new value if the old one equals `$expected`, and
/// evaluates to the old value.
macro_rules! compare_and_swap {
    ($order:literal $scope:literal $space:tt $kind:literal $reg:ident, $ptr:expr, $expected:expr, $new:expr, $cpu_order:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        {
            let out;
            core::arch::asm!(
                concat!("atom.", $order, ".", $scope, $space, ".cas.", $kind, " {}, [{}], {}, {};"),
                out($reg) out,
                in(reg64) $crate::atomic::ptx::window!($space, $ptr),
                in($reg) $expected,
                in($reg) $new,
                options(nostack)
            );
            out
        }
        #[cfg(not(target_arch = "nvptx64"))]
        $crate::atomic::cpu::Word::compare_and_swap($ptr, $expected, $new, $cpu_order)
    }};
}

#[cfg(target_arch = "nvptx64")]
pub(super) use window;
pub(super) use {compare_and_swap, fetch, load, store};
