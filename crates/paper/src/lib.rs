//! Abeille, Faury, Calauzenes (2021): its experiments, its figures computed from their definitions, its claims held
//! against the numbers.
//!
//! [`reproduce`] runs the studies in the laboratory and makes one page of them; [`draw_pictures`] draws the pictures of the
//! documentation.

pub mod boundary;
mod claims;
pub mod definitions;
mod figures;
pub mod instances;
mod lower_bound;
mod measure;
mod options;
mod page;
mod pictures;
mod plane;
mod reproduce;
pub mod sets;
mod study;
mod transitory;

pub use options::{Extent, StudyOptions};
pub use pictures::{Picture, PictureOrder, Pictures, draw_pictures};
pub use reproduce::{Reproduced, Reproduction, reproduce};
pub use study::Study;
