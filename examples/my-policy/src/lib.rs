//! The policy `my-policy`, known to the whole of Optimist by its name once it is registered.

pub mod my_policy;

/// Makes the policy known by its name; to do so twice does no harm. A second policy is a second file, and a second line
/// here.
///
/// # Errors
/// If another policy has the name.
pub fn register() -> optimist::Result<()> {
    optimist::policy::register(&my_policy::INFO)
}
