//! A policy and a radius of one's own: written here, known to the whole of Optimist by their names.

pub mod boltzmann;
pub mod laboratory;
pub mod two_scales;

/// Makes both known by their names; to do so twice does no harm.
///
/// # Errors
/// If something else has one of the names.
pub fn register() -> optimist::Result<()> {
    optimist::policy::register(&boltzmann::INFO)?;
    optimist::set::Radius::register(&two_scales::INFO)
}
