//! Colours: names, or `#rrggbb`.

use std::str::FromStr;

/// Colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

/// Named colours: those of the palette Tableau 10, and two more.
const NAMES: [(&str, [u8; 3]); 12] = [
    ("blue", [0x4e, 0x79, 0xa7]),
    ("orange", [0xf2, 0x8e, 0x2b]),
    ("green", [0x59, 0xa1, 0x4f]),
    ("red", [0xe1, 0x57, 0x59]),
    ("purple", [0xb0, 0x7a, 0xa1]),
    ("brown", [0x9c, 0x75, 0x5f]),
    ("pink", [0xff, 0x9d, 0xa7]),
    ("grey", [0xba, 0xb0, 0xac]),
    ("olive", [0xb6, 0x99, 0x2d]),
    ("cyan", [0x76, 0xb7, 0xb2]),
    ("white", [0xff; 3]),
    ("black", [0x00; 3]),
];

impl Colour {
    /// Returns linear channels from 0 to 1, with the transfer curve of pictures.
    pub fn to_linear(self) -> [f32; 3] {
        self.0.map(|channel| (f32::from(channel) / 255.0).powi(2))
    }
}

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((_, colour)) = NAMES.iter().find(|(name, _)| *name == text) {
            return Ok(Self(*colour));
        }
        let is_hexadecimal = |digits: &&str| {
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        };
        let digits = text.strip_prefix('#').filter(is_hexadecimal);
        match digits.map(|digits| u32::from_str_radix(digits, 16)) {
            Some(Ok(number)) => {
                let [_, red, green, blue] = number.to_be_bytes();
                Ok(Self([red, green, blue]))
            }
            _ => Err(format!(
                "`{text}` is not a colour; give #rrggbb or one of {}",
                NAMES.map(|(name, _)| name).join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_names_or_six_digits() {
        assert_eq!("#ff8000".parse(), Ok(Colour([255, 128, 0])));
        assert_eq!("red".parse(), Ok(Colour([0xe1, 0x57, 0x59])));
        assert_eq!(Colour([255, 0, 0]).to_linear(), [1.0, 0.0, 0.0]);
        for text in ["", "#fff", "#+12345", "Red", "ff8000", "#ff80zz"] {
            let error = text.parse::<Colour>().unwrap_err();
            assert!(error.contains("olive"), "{error}");
        }
    }
}
