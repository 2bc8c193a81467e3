//! Topology of one component: Betti numbers and homology classes.

pub mod background;
pub mod betti_numbers;
pub mod cocycle;
pub mod cycle_basis;
pub mod homology_classes;
pub mod run_classes;
