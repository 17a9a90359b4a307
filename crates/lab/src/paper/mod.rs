//! The figures of Abeille, Faury, Calauzenes (2021), computed from their definitions.

pub mod boundary;
pub mod definitions;
mod plane;
pub mod sets;
