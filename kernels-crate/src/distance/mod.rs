//! Distance maps.
