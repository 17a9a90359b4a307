//! Arms with normal features.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Redraw;

/// Arms x = z / max(sqrt(d), ||z||), where the d features of z are standard normal and correlated. Without correlation
/// z / sqrt(d) has mean square norm one; what is longer than one is scaled to norm one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gaussian {
    /// How many.
    pub count: usize,
    /// When they are drawn.
    pub redraw: Redraw,
    /// rho; not negative if it is equal for all pairs.
    pub correlation: f64,
    /// Which features have it.
    pub form: Form,
}

/// How the correlation of two features depends on their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// rho for every pair.
    #[default]
    Equal,
    /// rho^|i - j|.
    Ar1,
}

/// `40 correlation=0.5 form=ar1`.
impl fmt::Display for Gaussian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.count)?;
        if self.correlation != 0.0 {
            write!(f, " correlation={}", self.correlation)?;
        }
        if self.form == Form::Ar1 {
            f.write_str(" form=ar1")?;
        }
        Ok(())
    }
}
