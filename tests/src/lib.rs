//! What the tests of the pipelines share: the devices to run on, the fields to run on, and meshes
//! to compare with.

pub mod devices;
pub mod extract;
pub mod golden;
pub mod known;
pub mod links;
pub mod noise;
pub mod oracle;
pub mod random;
pub mod reference;
pub mod solids;
