//! Length check of binary modules. The driver receives no length and reads up to the end stated by
//! the binary's headers.

use crate::error::{CudaError, CudaResult};

/// Checks that a cubin or fatbin is at least as long as its headers state.
///
/// # Errors
/// [`CudaError::InvalidImage`] if it is shorter, or is not a cubin or fatbin.
pub(crate) fn check(bytes: &[u8]) -> CudaResult<()> {
    let length = if bytes.starts_with(b"\x7fELF") {
        elf_length(bytes)
    } else {
        fatbin_length(bytes)
    };
    match length {
        Some(length) if length <= bytes.len() as u64 => Ok(()),
        _ => Err(CudaError::InvalidImage),
    }
}

/// Returns the end of the section and program headers of a 64-bit little-endian ELF file.
fn elf_length(bytes: &[u8]) -> Option<u64> {
    let table_end = |offset_at: usize, size_at: usize, count_at: usize| {
        let rows = u64::from(u16_at(bytes, size_at)?) * u64::from(u16_at(bytes, count_at)?);
        u64_at(bytes, offset_at)?.checked_add(rows)
    };
    let program_headers = table_end(32, 54, 56)?;
    let section_headers = table_end(40, 58, 60)?;
    Some(program_headers.max(section_headers))
}

/// Returns the length of a fat binary. Header: magic 0xBA55ED50, version (u16), header size (u16),
/// payload size (u64).
fn fatbin_length(bytes: &[u8]) -> Option<u64> {
    if bytes.get(..4)? != 0xBA55_ED50u32.to_le_bytes() {
        return None;
    }
    u64_at(bytes, 8)?.checked_add(u64::from(u16_at(bytes, 6)?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fatbin(payload: u64, present: usize) -> Vec<u8> {
        let mut bytes = 0xBA55_ED50u32.to_le_bytes().to_vec();
        bytes.extend([1, 0, 16, 0]);
        bytes.extend(payload.to_le_bytes());
        bytes.resize(16 + present, 0);
        bytes
    }

    #[test]
    fn a_truncated_fat_binary_is_rejected() {
        assert_eq!(check(&fatbin(8, 8)), Ok(()));
        assert_eq!(check(&fatbin(8, 7)), Err(CudaError::InvalidImage));
        assert_eq!(check(&fatbin(u64::MAX, 7)), Err(CudaError::InvalidImage));
    }

    #[test]
    fn an_elf_file_without_its_section_headers_is_rejected() {
        let mut elf = vec![0u8; 64];
        elf[..4].copy_from_slice(b"\x7fELF");
        elf[40..48].copy_from_slice(&64u64.to_le_bytes());
        elf[58..60].copy_from_slice(&64u16.to_le_bytes());
        elf[60..62].copy_from_slice(&2u16.to_le_bytes());
        assert_eq!(check(&elf), Err(CudaError::InvalidImage));
        elf.resize(64 + 128, 0);
        assert_eq!(check(&elf), Ok(()));
    }

    #[test]
    fn other_formats_are_rejected() {
        for bytes in [&b""[..], b"\x7fEL", b"\x7fELF", b"hello, this is no module"] {
            assert_eq!(check(bytes), Err(CudaError::InvalidImage));
        }
    }
}
