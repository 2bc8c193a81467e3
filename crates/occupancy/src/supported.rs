//! Supported compute capabilities, and parsing.

use super::{ComputeCapability, OccupancyError, capability_table};
use std::str::FromStr;

impl ComputeCapability {
    /// Returns all supported capabilities, oldest first.
    pub fn supported() -> impl DoubleEndedIterator<Item = Self> {
        capability_table::ROWS.iter().map(|row| row.capability)
    }

    /// Returns `true` if the calculator has the limits of this capability.
    pub fn is_supported(self) -> bool {
        capability_table::find_row(self).is_some()
    }

    /// Returns the nearest supported capabilities: the last before this one and the first after it.
    pub fn neighbours(self) -> [Option<Self>; 2] {
        [
            Self::supported().rev().find(|&supported| supported < self),
            Self::supported().find(|&supported| supported > self),
        ]
    }
}

impl FromStr for ComputeCapability {
    type Err = OccupancyError;

    /// Parses `9.0`, `90`, `sm_90` or `compute_90`, optionally followed by `a` or `f` (`sm_90a`).
    fn from_str(text: &str) -> Result<Self, OccupancyError> {
        let number = text
            .strip_prefix("sm_")
            .or_else(|| text.strip_prefix("compute_"))
            .unwrap_or(text);
        let number = number.strip_suffix(['a', 'f']).unwrap_or(number);
        let parts = match number.split_once('.') {
            Some(parts) => Some(parts),
            None if number.is_ascii() && number.len() >= 2 => {
                Some(number.split_at(number.len() - 1))
            }
            None => None,
        };
        let digits = |text: &str| -> Option<u8> {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten()
        };
        parts
            .and_then(|(major, minor)| Some(Self::new(digits(major)?, digits(minor)?)))
            .ok_or_else(|| OccupancyError::InvalidCapability {
                text: text.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_capability_is_parsed() {
        for text in ["9.0", "90", "sm_90", "sm_90a", "compute_90"] {
            assert_eq!(text.parse(), Ok(ComputeCapability::new(9, 0)), "{text}");
        }
        assert_eq!("12.1".parse(), Ok(ComputeCapability::new(12, 1)));
        assert_eq!("121".parse(), Ok(ComputeCapability::new(12, 1)));
        for text in [
            "", "9", "9.", ".0", "9.0.0", "x.y", "-9.0", "+9.0", "999.0", "é0",
        ] {
            let error = text.parse::<ComputeCapability>().unwrap_err();
            assert!(error.to_string().contains("9.0"), "{error}");
        }
        let known: Vec<_> = ComputeCapability::supported().collect();
        assert!(known.is_sorted());
        for capability in known {
            assert_eq!(capability.to_string().parse(), Ok(capability));
            assert_eq!(capability.number().to_string().parse(), Ok(capability));
        }
    }

    #[test]
    fn an_unknown_capability_has_neighbours() {
        let new = ComputeCapability::new;
        assert_eq!(new(9, 3).neighbours(), [Some(new(9, 0)), Some(new(10, 0))]);
        assert_eq!(new(0, 9).neighbours(), [None, Some(new(1, 0))]);
        assert_eq!(new(13, 0).neighbours(), [Some(new(12, 1)), None]);
    }
}
