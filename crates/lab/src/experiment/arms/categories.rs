//! Arms that are categories.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Redraw;

/// Arms with one of several levels in each of m variables, drawn independently: a feature per level, 1/sqrt(m) where the
/// level is the arm's and zero elsewhere. So every arm has norm one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Categories {
    /// How many arms.
    pub count: usize,
    /// When they are drawn.
    pub redraw: Redraw,
    /// The number of levels of every variable.
    pub levels: Vec<usize>,
    /// The probabilities of the levels of every variable, up to a factor; empty if all are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<Vec<f64>>,
}

impl Categories {
    /// The features of an arm.
    pub(crate) fn width(&self) -> usize {
        self.levels.iter().sum()
    }
}

/// `40 levels=[5;3] weights=[1;2;3;4;5|1;1;2]`.
impl fmt::Display for Categories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(";");
        let levels: Vec<String> = self.levels.iter().map(usize::to_string).collect();
        write!(f, "{} levels=[{}]", self.count, levels.join(";"))?;
        if !self.weights.is_empty() {
            let weights: Vec<String> = self.weights.iter().map(|weights| joined(weights)).collect();
            write!(f, " weights=[{}]", weights.join("|"))?;
        }
        Ok(())
    }
}
