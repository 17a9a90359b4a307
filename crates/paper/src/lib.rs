//! Abeille, Faury, Calauzenes (2021): its experiments, its figures computed from their definitions, its claims held
//! against the numbers.
//!
//! [`reproduce`] runs the studies in the laboratory and makes one page of them.

pub mod boundary;
mod claims;
pub mod definitions;
mod figures;
pub mod instances;
mod lower_bound;
mod measure;
mod options;
mod page;
mod plane;
mod reproduce;
pub mod sets;
mod study;
mod transitory;

pub use options::{Extent, StudyOptions};
pub use reproduce::{Reproduced, Reproduction, reproduce};
pub use study::Study;
