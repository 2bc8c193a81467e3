//! Shared parts of the tests: devices, test objects, reference implementations and oracles.

pub mod devices;
pub mod document_pictures;
pub mod extract;
pub mod golden;
pub mod links;
pub mod noise;
pub mod oracle;
pub mod random;
pub mod reference;
pub mod reference_objects;
pub mod solids;
