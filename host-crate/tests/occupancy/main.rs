//! The occupancy calculator against NVIDIA's header, against answers of the header that are kept
//! here, and against Zhao et al. (2016).

mod cases;
mod document;
mod header;
mod oracle;
mod sample;
mod speed;
