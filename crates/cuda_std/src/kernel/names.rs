//! Entry point names of generic kernels, and the compile-time checks of `#[kernel]`.

/// A type for which a generic kernel can be built, with its part of the entry point's name.
///
/// `NAME` must equal the last segment of the type's path as written in `#[kernel(T = [...])]`; the
/// macro asserts it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot name an entry point",
    note = "implement `cuda_std::KernelType` for it, with `NAME` equal to the type's own name"
)]
pub trait KernelType: Copy + Send + Sync + 'static {
    /// Name of the type, such as `"u8"`.
    const NAME: &'static str;
}

macro_rules! kernel_type {
    ($($ty:ident)+) => {
        $(
            impl KernelType for $ty {
                const NAME: &'static str = stringify!($ty);
            }
        )+
    };
}

kernel_type!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool);

/// Requirement on kernel parameters. The blanket implementation makes it equivalent to `Copy`, with
/// a better error message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel's parameter: it is not `Copy`",
    label = "not `Copy`",
    note = "an argument is copied to the device byte by byte: pass a number, a raw pointer, a View or a `#[repr(C)]` `Copy` struct"
)]
#[doc(hidden)]
pub trait CopyParameter {}

impl<T: Copy> CopyParameter for T {}

#[doc(hidden)]
#[inline(always)]
pub const fn assert_parameter_is_copy<T: CopyParameter>() {}

#[doc(hidden)]
pub const fn assert_type_name<T: KernelType>(written: &str) {
    assert!(
        same(T::NAME, written),
        "a type listed in #[kernel(...)] has a KernelType::NAME that differs from its listed name"
    );
}

/// Returns the index of the combination `names` in `listed`.
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub const fn position(names: &[&str], listed: &[&[&str]]) -> Option<usize> {
    let mut i = 0;
    while i < listed.len() {
        let mut equal = listed[i].len() == names.len();
        let mut j = 0;
        while equal && j < names.len() {
            equal = same(listed[i][j], names[j]);
            j += 1;
        }
        if equal {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// Composes an entry point name: `classify_cells_u8` for `classify_cells` and `["u8"]`.
#[doc(hidden)]
#[cfg(not(target_arch = "nvptx64"))]
pub fn generic_entry(kernel: &str, types: &[&str]) -> super::EntryName {
    let mut name = String::from(kernel);
    for ty in types {
        name.push('_');
        name.push_str(ty);
    }
    super::EntryName::Owned(name)
}

/// Returns `a == b`; `==` is not const for `str` yet.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_compared_whole() {
        let listed: &[&[&str]] = &[&["f32", "u32"], &["u8", "u32"]];
        assert_eq!(position(&["u8", "u32"], listed), Some(1));
        assert_eq!(position(&["u8"], &[&["u8", "u32"]]), None);
        assert_eq!(position(&["u8"], &[&["u16"]]), None);
    }

    #[test]
    fn generic_entry_joins_with_underscores() {
        assert_eq!(generic_entry("pack", &["u8", "u32"]), "pack_u8_u32");
    }
}
