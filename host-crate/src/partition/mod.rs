//! Work in parts: cut, handed to devices, kept within a budget, put together in order.

pub(crate) mod workers;
