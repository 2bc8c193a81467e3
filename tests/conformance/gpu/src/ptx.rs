//! The kernels as PTX, embedded in the program.

/// The kernels for one architecture and every newer one.
pub struct Ptx {
    /// `sm_70`.
    pub name: &'static str,
    /// The oldest compute capability that runs it.
    pub capability: (i32, i32),
    /// The PTX; empty where the program was built without a device toolchain.
    pub text: &'static str,
}

/// What the build script made, oldest architecture first.
pub const EMBEDDED: [Ptx; 2] = [
    Ptx {
        name: "sm_70",
        capability: (7, 0),
        text: include_str!(concat!(env!("OUT_DIR"), "/sm_70.ptx")),
    },
    Ptx {
        name: "sm_90",
        capability: (9, 0),
        text: include_str!(concat!(env!("OUT_DIR"), "/sm_90.ptx")),
    },
];

#[cfg(test)]
#[path = "ptx_tests.rs"]
mod tests;
