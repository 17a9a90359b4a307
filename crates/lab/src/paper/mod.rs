//! Abeille, Faury, Calauzenes (2021): its experiments, its figures computed from their definitions, its claims held
//! against the numbers.

pub mod boundary;
mod claims;
pub mod definitions;
mod figures;
mod lower_bound;
pub mod measure;
mod page;
mod plan;
mod plane;
pub mod sets;
mod study;
mod transitory;

pub use page::page;
pub use plan::{COMMON_KAPPA, Extent, KAPPAS, Plan, label};
pub use study::{Finished, Study};
