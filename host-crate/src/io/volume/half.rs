//! Floats of 16 bits (IEEE 754 binary16).

/// Returns the value of the bits of a 16-bit float, exactly.
pub(in crate::io) fn half_to_f32(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 0x1F);
    let fraction = u32::from(half & 0x3FF);
    match exponent {
        0 => {
            let size = fraction as f32 / (1 << 24) as f32;
            f32::from_bits(size.to_bits() | sign)
        }
        0x1F => f32::from_bits(sign | 0x7F80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::half_to_f32;

    #[test]
    fn halves_are_converted_exactly() {
        for (half, value) in [
            (0x0000, 0.0),
            (0x0001, 5.960_464_5e-8),
            (0x03FF, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3C00, 1.0),
            (0x3555, 0.333_251_95),
            (0xC000, -2.0),
            (0x7BFF, 65504.0),
            (0x7C00, f32::INFINITY),
            (0xFC00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half_to_f32(half), value, "{half:#06x}");
        }
        assert!(half_to_f32(0x7E00).is_nan());
        assert!(half_to_f32(0x8000).is_sign_negative());
    }
}
