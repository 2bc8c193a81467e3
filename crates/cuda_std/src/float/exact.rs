//! Correctly rounded functions: one or a few instructions on the device, `std` on the CPU.

/// Correctly rounded functions of one float type.
pub trait Exact: Copy {
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn round_ties_even(self) -> Self;
    fn sqrt(self) -> Self;
    fn mul_add(self, factor: Self, addend: Self) -> Self;
}

macro_rules! exact {
    ($float:ident $llvm:ident $floor:literal $ceil:literal $trunc:literal $round:literal $even:literal $sqrt:literal $fma:literal) => {
        #[cfg(target_arch = "nvptx64")]
        mod $llvm {
            unsafe extern "C" {
                #[link_name = $floor]
                pub safe fn floor(x: $float) -> $float;
                #[link_name = $ceil]
                pub safe fn ceil(x: $float) -> $float;
                #[link_name = $trunc]
                pub safe fn trunc(x: $float) -> $float;
                #[link_name = $round]
                pub safe fn round(x: $float) -> $float;
                #[link_name = $even]
                pub safe fn round_ties_even(x: $float) -> $float;
                #[link_name = $sqrt]
                pub safe fn sqrt(x: $float) -> $float;
                #[link_name = $fma]
                pub safe fn mul_add(x: $float, factor: $float, addend: $float) -> $float;
            }
        }

        #[cfg(not(target_arch = "nvptx64"))]
        use core::primitive::$float as $llvm;

        impl Exact for $float {
            #[inline(always)]
            fn floor(self) -> Self {
                $llvm::floor(self)
            }

            #[inline(always)]
            fn ceil(self) -> Self {
                $llvm::ceil(self)
            }

            #[inline(always)]
            fn trunc(self) -> Self {
                $llvm::trunc(self)
            }

            #[inline(always)]
            fn round(self) -> Self {
                $llvm::round(self)
            }

            #[inline(always)]
            fn round_ties_even(self) -> Self {
                $llvm::round_ties_even(self)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                $llvm::sqrt(self)
            }

            #[inline(always)]
            fn mul_add(self, factor: Self, addend: Self) -> Self {
                $llvm::mul_add(self, factor, addend)
            }
        }
    };
}

exact!(f32 float "llvm.floor.f32" "llvm.ceil.f32" "llvm.trunc.f32" "llvm.round.f32" "llvm.roundeven.f32" "llvm.sqrt.f32" "llvm.fma.f32");
exact!(f64 double "llvm.floor.f64" "llvm.ceil.f64" "llvm.trunc.f64" "llvm.round.f64" "llvm.roundeven.f64" "llvm.sqrt.f64" "llvm.fma.f64");
