//! LZ4 blocks.

/// Decompresses a block and appends it to `out`, up to a length of `end`. The error describes the
/// mistake.
pub(in crate::io) fn decompress(bytes: &[u8], end: usize, out: &mut Vec<u8>) -> Result<(), String> {
    let base = out.len();
    let mut rest = bytes;
    while !rest.is_empty() {
        let token = take(&mut rest, 1)?[0];
        let literals = read_length(&mut rest, token >> 4)?;
        if out.len() + literals > end {
            return Err("an LZ4 block is too long".to_owned());
        }
        out.extend_from_slice(take(&mut rest, literals)?);
        if rest.is_empty() {
            break;
        }
        let distance = take(&mut rest, 2)?;
        let distance = usize::from(u16::from_le_bytes([distance[0], distance[1]]));
        let length = read_length(&mut rest, token & 15)? + 4;
        copy_match(out, base, distance, length, end)?;
    }
    Ok(())
}

/// Splits `count` bytes from the start of `rest`.
fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], String> {
    let (taken, after) = rest
        .split_at_checked(count)
        .ok_or("an LZ4 block ends early")?;
    *rest = after;
    Ok(taken)
}

/// Returns the length that starts with four bits of the token; bytes follow if all are set.
fn read_length(rest: &mut &[u8], nibble: u8) -> Result<usize, String> {
    let mut length = usize::from(nibble);
    if nibble == 15 {
        loop {
            let more = take(rest, 1)?[0];
            length += usize::from(more);
            if more != 255 {
                break;
            }
        }
    }
    Ok(length)
}

/// Appends a copy of the `length` bytes that start `distance` bytes before the end of `out`, but
/// not before `base`; the ranges may overlap. The length of `out` must not exceed `end`.
pub(in crate::io) fn copy_match(
    out: &mut Vec<u8>,
    base: usize,
    distance: usize,
    length: usize,
    end: usize,
) -> Result<(), String> {
    if distance == 0 || distance > out.len() - base || out.len() + length > end {
        return Err("a match is out of range".to_owned());
    }
    let start = out.len() - distance;
    let mut left = length;
    // A longer match repeats the bytes between.
    while left > 0 {
        let step = left.min(out.len() - start);
        out.extend_from_within(start..start + step);
        left -= step;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::decompress;

    #[test]
    fn literals_and_overlapping_matches_are_expanded() {
        // "abc", six bytes at distance 3, and a last literal.
        let block = [0x32, b'a', b'b', b'c', 3, 0, 0x10, b'x'];
        let mut out = Vec::new();
        decompress(&block, 100, &mut out).unwrap();
        assert_eq!(out, b"abcabcabcx");
        assert!(decompress(&block, 5, &mut Vec::new()).is_err());
        assert!(decompress(&[0x32, b'a', b'b', b'c', 4, 0], 100, &mut Vec::new()).is_err());
    }
}
