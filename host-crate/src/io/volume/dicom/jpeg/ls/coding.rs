//! Parameters of the code and statistics of contexts.

use crate::io::FileProblem;
use crate::io::volume::dicom::jpeg::segments::invalid;

/// Range of the bias correction.
const MAX_BIAS: i32 = 127;

/// Parameters of the code (annex C).
pub(super) struct CodingParameters {
    pub max: i32,
    pub near: i32,
    /// Number of different prediction errors.
    pub range: i32,
    /// Number of bits of a prediction error.
    pub error_bits: u32,
    /// Longest code, in bits.
    pub limit: u32,
    pub thresholds: [i32; 3],
    /// Count at which the statistics of a context are halved.
    pub reset: i32,
}

impl CodingParameters {
    pub fn new(precision: u32, near: i32, presets: [i32; 5]) -> Result<Self, FileProblem> {
        let [max, t1, t2, t3, reset] = presets;
        let full = (1 << precision) - 1;
        let max = if max == 0 { full } else { max };
        if max > full || max < 1 || near > 255.min(max / 2) {
            return Err(invalid("its parameters are out of range"));
        }
        let range = (max + 2 * near) / (2 * near + 1) + 1;
        let bits = |count: i32| 32 - (count as u32 - 1).leading_zeros();
        let sample_bits = bits(max + 1).max(2);
        let defaults = default_thresholds(max, near);
        let choose = |preset: i32, default: i32| if preset == 0 { default } else { preset };
        let thresholds = [
            choose(t1, defaults[0]),
            choose(t2, defaults[1]),
            choose(t3, defaults[2]),
        ];
        let is_sorted = thresholds.is_sorted() && thresholds[0] > near && thresholds[2] <= max;
        let reset = choose(reset, 64);
        if !is_sorted || reset < 3 {
            return Err(invalid("its thresholds are out of range"));
        }
        Ok(Self {
            max,
            near,
            range,
            error_bits: bits(range),
            limit: 2 * (sample_bits + sample_bits.max(8)),
            thresholds,
            reset,
        })
    }

    pub fn quantize(&self, gradient: i32) -> i32 {
        let size = gradient.abs();
        let [t1, t2, t3] = self.thresholds;
        let level = match size {
            _ if size >= t3 => 4,
            _ if size >= t2 => 3,
            _ if size >= t1 => 2,
            _ if size > self.near => 1,
            _ => 0,
        };
        level * gradient.signum()
    }

    /// Returns the sample with this prediction and error.
    pub fn reconstruct(&self, prediction: i32, error: i32) -> i32 {
        let step = 2 * self.near + 1;
        let mut sample = prediction + error * step;
        if sample < -self.near {
            sample += self.range * step;
        } else if sample > self.max + self.near {
            sample -= self.range * step;
        }
        sample.clamp(0, self.max)
    }
}

/// Returns the default thresholds of the gradients (section C.2.4.1.1.1).
fn default_thresholds(max: i32, near: i32) -> [i32; 3] {
    let clamp = |value: i32, min: i32| {
        if value > max || value < min {
            min
        } else {
            value
        }
    };
    let values = if max >= 128 {
        let factor = (max.min(4095) + 128) / 256;
        [
            factor + 2 + 3 * near,
            4 * factor + 3 + 5 * near,
            17 * factor + 4 + 7 * near,
        ]
    } else {
        let factor = 256 / (max + 1);
        [
            (3 / factor + 3 * near).max(2),
            (7 / factor + 5 * near).max(3),
            (21 / factor + 7 * near).max(4),
        ]
    };
    let t1 = clamp(values[0], near + 1);
    let t2 = clamp(values[1], t1);
    [t1, t2, clamp(values[2], t2)]
}

/// Statistics of the errors in a context.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// Sum of the absolute errors (A).
    pub magnitude: i32,
    /// Sum of the errors for the bias correction (B), or number of negative errors (Nn).
    pub bias: i32,
    /// Correction of the prediction (C).
    pub correction: i32,
    /// Number of samples (N).
    pub count: i32,
}

impl Context {
    /// Returns the order of the Golomb code for errors of this magnitude.
    pub fn order(&self, magnitude: i32) -> u32 {
        let mut order = 0;
        while order < 24 && self.count << order < magnitude {
            order += 1;
        }
        order
    }

    pub fn update(&mut self, error: i32, coding: &CodingParameters) {
        // The sums of damaged files have no bound.
        self.magnitude = self.magnitude.saturating_add(error.abs());
        self.bias = self.bias.saturating_add(error * (2 * coding.near + 1));
        if self.count == coding.reset {
            self.magnitude >>= 1;
            self.bias >>= 1;
            self.count >>= 1;
        }
        self.count += 1;
        if self.bias <= -self.count {
            self.bias = (self.bias + self.count).max(1 - self.count);
            self.correction = (self.correction - 1).max(-MAX_BIAS - 1);
        } else if self.bias > 0 {
            self.bias = (self.bias - self.count).min(0);
            self.correction = (self.correction + 1).min(MAX_BIAS);
        }
    }
}
