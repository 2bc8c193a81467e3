//! Headers and trailers of gzip members (RFC 1952).

/// First bytes of a member: signature and compression method.
pub(super) const SIGNATURE: [u8; 3] = [0x1f, 0x8b, 8];
/// Bytes of the trailer: checksum and length.
pub(super) const TRAILER: usize = 8;
/// Flags of a header.
const TEXT: u8 = 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;

/// Returns the length of the header at the start of `bytes`. Returns `None` for anything that is
/// no complete header, and for headers with a checksum, which are rare and left to the sequential
/// decoder.
pub(super) fn header_len(bytes: &[u8]) -> Option<usize> {
    let flags = *bytes.get(3)?;
    if !bytes.starts_with(&SIGNATURE) || flags & !(EXTRA | NAME | COMMENT | TEXT) != 0 {
        return None;
    }
    let mut len = 10;
    if flags & EXTRA != 0 {
        let extra = bytes.get(len..)?.first_chunk::<2>()?;
        len += 2 + usize::from(u16::from_le_bytes(*extra));
    }
    for flag in [NAME, COMMENT] {
        if flags & flag != 0 {
            len += bytes.get(len..)?.iter().position(|&byte| byte == 0)? + 1;
        }
    }
    (len <= bytes.len()).then_some(len)
}
