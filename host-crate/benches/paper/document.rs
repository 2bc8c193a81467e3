//! Table 2 of Zhao, Wang and Yuan (2016), *Parallel method of skeleton extraction using potential
//! field on GPU* (Journal of Harbin Institute of Technology 48(5), 2016).

/// Row of the table; the model of its volumes is not public.
pub struct Row {
    /// Number of voxels along x and y.
    pub width: usize,
    /// Number of surface voxels.
    pub points: u64,
    /// Time on one core of a Xeon X5680, in seconds.
    pub serial: f64,
    /// Speed-ups of GPUs.
    pub speed_up: SpeedUps,
}

/// Speed-ups of a Quadro FX 5800 and a GeForce GTX 580 with sources in global, constant and shared
/// memory.
pub struct SpeedUps {
    pub fx_5800: [f64; 3],
    pub gtx_580: [f64; 3],
}

/// Table 2 of Zhao et al. (2016), by increasing width.
pub const TABLE: [Row; 5] = [
    row(16, 10_971, 3.1, [3.0, 3.3, 3.6], [2.7, 2.4, 2.6]),
    row(32, 22_254, 24.8, [5.3, 5.8, 6.2], [5.0, 5.3, 5.6]),
    row(64, 45_464, 213.6, [7.2, 7.8, 8.8], [6.4, 7.0, 7.4]),
    row(128, 101_619, 1_800.9, [8.8, 9.6, 11.1], [11.0, 12.1, 13.0]),
    row(
        256,
        206_010,
        16_212.2,
        [11.2, 12.4, 14.7],
        [15.2, 16.9, 18.7],
    ),
];

const fn row(width: usize, points: u64, serial: f64, fx: [f64; 3], gtx: [f64; 3]) -> Row {
    Row {
        width,
        points,
        serial,
        speed_up: SpeedUps {
            fx_5800: fx,
            gtx_580: gtx,
        },
    }
}
