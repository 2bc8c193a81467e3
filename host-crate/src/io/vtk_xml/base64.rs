//! Decoder of base64.

use crate::io::FileProblem;
use crate::io::vtk_xml::problems::{damaged, ends_early};
use crate::memory;

/// Decoder of base64, in which white space is ignored.
pub(super) struct Base64<'t> {
    rest: &'t [u8],
}

impl<'t> Base64<'t> {
    pub fn new(text: &'t [u8]) -> Self {
        Self { rest: text }
    }

    /// Decodes the next `count` bytes, which end with their own padding.
    pub fn decode(&mut self, count: usize) -> Result<Vec<u8>, FileProblem> {
        // Every four symbols encode three bytes.
        if self.rest.len() / 4 < count.div_ceil(3) {
            return Err(ends_early());
        }
        let mut out = Vec::new();
        memory::try_reserve("decoded base64", &mut out, count.next_multiple_of(3))?;
        while out.len() < count {
            let (mut bits, mut padding) = (0_u32, 0);
            for _ in 0..4 {
                let symbol = self.next_symbol().ok_or_else(ends_early)?;
                padding += usize::from(symbol == b'=');
                bits = bits << 6 | u32::from(symbol_value(symbol)?);
            }
            out.extend_from_slice(&bits.to_be_bytes()[1..4 - padding.min(2)]);
            if padding > 0 && out.len() < count {
                return Err(ends_early());
            }
        }
        out.truncate(count);
        Ok(out)
    }

    fn next_symbol(&mut self) -> Option<u8> {
        loop {
            let (&symbol, rest) = self.rest.split_first()?;
            self.rest = rest;
            if !symbol.is_ascii_whitespace() {
                return Some(symbol);
            }
        }
    }
}

/// Returns the six bits of a symbol; 0 for padding.
fn symbol_value(symbol: u8) -> Result<u8, FileProblem> {
    match symbol {
        b'A'..=b'Z' => Ok(symbol - b'A'),
        b'a'..=b'z' => Ok(symbol - b'a' + 26),
        b'0'..=b'9' => Ok(symbol - b'0' + 52),
        b'+' => Ok(62),
        b'/' => Ok(63),
        b'=' => Ok(0),
        _ => Err(damaged("the base64 has an invalid symbol".to_owned())),
    }
}
