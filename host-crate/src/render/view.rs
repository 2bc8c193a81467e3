//! View directions.

use nalgebra::Vector3;
use std::{fmt, str::FromStr};

/// Direction from which a volume is viewed in world space, with z upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewDirection {
    /// Angle around the z axis, in degrees: 0 views from +x towards −x, 90 from +y.
    pub azimuth: f32,
    /// Angle above the horizon, in degrees, from −90 to 90.
    pub elevation: f32,
}

/// Named directions with azimuth and elevation. In RAS world space, +x is the patient's right and
/// +y the front.
const NAMED: [(&str, f32, f32); 7] = [
    ("oblique", 50.0, 25.0),
    ("right", 0.0, 0.0),
    ("left", 180.0, 0.0),
    ("front", 90.0, 0.0),
    ("back", 270.0, 0.0),
    ("top", 90.0, 90.0),
    ("bottom", 90.0, -90.0),
];

impl ViewDirection {
    /// Returns unit vectors towards the viewer, to the right and upwards, in world space.
    pub(super) fn frame(self) -> [Vector3<f64>; 3] {
        let (azimuth, elevation) = (
            (self.azimuth as f64).to_radians(),
            (self.elevation as f64).to_radians(),
        );
        let viewer = Vector3::new(
            elevation.cos() * azimuth.cos(),
            elevation.cos() * azimuth.sin(),
            elevation.sin(),
        );
        let right = Vector3::new(-azimuth.sin(), azimuth.cos(), 0.0);
        [viewer, right, viewer.cross(&right)]
    }
}

impl Default for ViewDirection {
    /// Returns the view from the front right, slightly from above.
    fn default() -> Self {
        Self {
            azimuth: NAMED[0].1,
            elevation: NAMED[0].2,
        }
    }
}

impl FromStr for ViewDirection {
    type Err = String;

    /// Parses a name (`oblique`, `right`, `left`, `front`, `back`, `top`, `bottom`) or
    /// `azimuth,elevation` in degrees.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(&(_, azimuth, elevation)) = NAMED.iter().find(|(name, ..)| *name == text) {
            return Ok(Self { azimuth, elevation });
        }
        let angles = text.split_once(',').and_then(|(azimuth, elevation)| {
            let azimuth: f32 = azimuth.trim().parse().ok()?;
            let elevation: f32 = elevation.trim().parse().ok()?;
            (azimuth.is_finite() && (-90.0..=90.0).contains(&elevation))
                .then_some(Self { azimuth, elevation })
        });
        angles.ok_or_else(|| {
            let names = NAMED.map(|(name, ..)| name).join(", ");
            format!("`{text}` is not a view; use {names}, or AZIMUTH,ELEVATION in degrees with an elevation from -90 to 90")
        })
    }
}

impl fmt::Display for ViewDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.azimuth, self.elevation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn frames_are_right_handed_and_face_the_view_direction() {
        for text in ["oblique", "front", "top", "33,-12.5"] {
            let [viewer, right, up] = text.parse::<ViewDirection>().unwrap().frame();
            assert_relative_eq!(right.cross(&up), viewer, epsilon = 1e-12);
            assert_relative_eq!(viewer.norm(), 1.0, epsilon = 1e-12);
            assert!(up.z >= -1e-12);
        }
        let [viewer, ..] = "front".parse::<ViewDirection>().unwrap().frame();
        assert_relative_eq!(viewer, Vector3::y(), epsilon = 1e-12);
    }

    #[test]
    fn error_for_an_invalid_view_lists_the_names() {
        for text in ["sideways", "1", "10,91", "nan,0"] {
            assert!(
                text.parse::<ViewDirection>()
                    .unwrap_err()
                    .contains("oblique"),
                "{text}"
            );
        }
    }
}
