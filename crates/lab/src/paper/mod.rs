//! Abeille, Faury, Calauzenes (2021): its experiments, its figures computed from their definitions, its claims held
//! against the numbers.

pub mod boundary;
mod claims;
pub mod definitions;
mod figures;
pub mod measure;
mod page;
mod plan;
mod plane;
pub mod sets;

pub use page::page;
pub use plan::{COMMON_KAPPA, Extent, KAPPAS, Plan, label};
