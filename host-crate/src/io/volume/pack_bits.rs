//! Run-length code of TIFF and DICOM: a count, and either as many bytes or one to repeat.

/// Decodes runs until `out` is full; `None` if the bytes end before.
pub(super) fn unpack<'o>(
    mut bytes: &[u8],
    mut out: impl Iterator<Item = &'o mut u8>,
) -> Option<()> {
    let mut next = out.next();
    while next.is_some() {
        let (&control, rest) = bytes.split_first()?;
        bytes = rest;
        match control as i8 {
            -128 => {}
            count @ 0.. => {
                let literal = bytes.get(..count as usize + 1)?;
                bytes = &bytes[count as usize + 1..];
                for byte in literal {
                    let Some(out_byte) = next else { break };
                    *out_byte = *byte;
                    next = out.next();
                }
            }
            count => {
                let (&byte, rest) = bytes.split_first()?;
                bytes = rest;
                for _ in 0..1 - i32::from(count) {
                    let Some(out_byte) = next else { break };
                    *out_byte = byte;
                    next = out.next();
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn literals_and_runs_are_expanded() {
        // The example of the TIFF specification for PackBits.
        let packed = [
            0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7,
            0xAA,
        ];
        let mut out = [0; 24];
        unpack(&packed, out.iter_mut()).unwrap();
        let expected = [
            0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0x22,
        ];
        assert_eq!(out[..14], expected);
        assert_eq!(out[14..], [0xAA; 10]);
        assert!(unpack(&packed, [0; 25].iter_mut()).is_none());
    }
}
