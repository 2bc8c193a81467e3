//! Device for which the code is compiled.

/// Compute capability, oldest first.
///
/// The discriminant is the version number times 100: 700 for 7.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u32)]
#[allow(missing_docs, reason = "the names say what there is to say")]
pub enum ComputeCapability {
    Compute35 = 350,
    Compute37 = 370,
    Compute50 = 500,
    Compute52 = 520,
    Compute53 = 530,
    Compute60 = 600,
    Compute61 = 610,
    Compute62 = 620,
    Compute70 = 700,
    Compute72 = 720,
    Compute75 = 750,
    Compute80 = 800,
    Compute86 = 860,
    Compute87 = 870,
    Compute89 = 890,
    Compute90 = 900,
    Compute100 = 1000,
    Compute103 = 1030,
    Compute120 = 1200,
    Compute121 = 1210,
}

impl ComputeCapability {
    /// All compute capabilities, oldest first.
    pub const ALL: [Self; 20] = {
        use ComputeCapability::*;
        [
            Compute35, Compute37, Compute50, Compute52, Compute53, Compute60, Compute61, Compute62,
            Compute70, Compute72, Compute75, Compute80, Compute86, Compute87, Compute89, Compute90,
            Compute100, Compute103, Compute120, Compute121,
        ]
    };

    /// Returns the compute capability named by the environment variable `CUDA_ARCH` when this crate
    /// was compiled, such as `"700"`; `cuda_builder` sets it. Without it, as on the CPU, the result
    /// is [`Compute70`](Self::Compute70), the minimum that this crate supports.
    ///
    /// The value is a constant, so comparisons with it are resolved at compile time. A number
    /// between two known capabilities gives the lower one.
    #[must_use]
    pub const fn from_cuda_arch_env() -> Self {
        match option_env!("CUDA_ARCH") {
            Some(text) => Self::parse(text),
            None => Self::Compute70,
        }
    }

    /// Returns the newest capability that does not exceed the number at the start of `text`.
    const fn parse(text: &str) -> Self {
        let (bytes, mut number, mut i) = (text.as_bytes(), 0, 0);
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            number = number * 10 + (bytes[i] - b'0') as u32;
            i += 1;
        }
        assert!(i > 0, "CUDA_ARCH must be a number such as 700");
        let mut found = Self::ALL[0];
        let mut next = 1;
        while next < Self::ALL.len() && Self::ALL[next] as u32 <= number {
            found = Self::ALL[next];
            next += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::ComputeCapability as C;

    #[test]
    fn numbers_are_parsed() {
        assert_eq!(C::parse("700"), C::Compute70);
        assert_eq!(C::parse("900"), C::Compute90);
        assert_eq!(C::parse("900a"), C::Compute90);
        assert_eq!(C::parse("880"), C::Compute87);
        assert_eq!(C::parse("9990"), C::Compute121);
        assert!(C::ALL.is_sorted());
    }
}
