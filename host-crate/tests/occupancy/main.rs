//! The occupancy calculator compared with NVIDIA's header, with stored results of the header, and
//! with Zhao et al. (2016).

mod cases;
mod document;
mod header;
mod oracle;
mod sample;
mod speed;
