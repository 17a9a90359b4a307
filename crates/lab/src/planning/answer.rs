//! What is known of every arm and which to choose, as JSON and as a table.

use optimist::plan::SupportStatus;
use optimist::set::Guarantee;
use serde::Serialize;

/// Everything that is printed, in the order in which it is printed. JSON has no infinity: it becomes null.
#[derive(Debug, Clone, Serialize)]
pub struct Plan {
    /// The parameter that fits the observations best, under the penalty of the set that is shown.
    pub estimate: Vec<f64>,
    /// The largest loss (ridge included) of a parameter in the set.
    pub level: f64,
    /// Weight of ||theta||^2 / 2 in that loss.
    pub ridge: f64,
    /// The bound on ||theta||, if there is one.
    pub norm_bound: Option<f64>,
    /// One entry per arm, in the order of the input.
    pub arms: Vec<ArmPlan>,
    /// The arm with the largest value, the first if there are several.
    pub choice: usize,
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice_id: Option<String>,
    /// What the set promises.
    pub guarantee: Guarantee,
    /// What the user should know beside the numbers: short words here, sentences on standard error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<&'static str>,
}

/// What is known about one arm.
#[derive(Debug, Clone, Serialize)]
pub struct ArmPlan {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The largest log-odds of success that a parameter of the set gives to this arm.
    pub value: f64,
    /// A certified upper bound on that maximum.
    pub upper_bound: f64,
    /// The parameter that attains the value; none if the value is infinite.
    pub theta: Option<Vec<f64>>,
    /// Which constraints hold the maximiser.
    pub status: SupportStatus,
    /// Certified lower bound on the probability of success.
    pub lower: f64,
    /// Certified upper bound on the probability of success.
    pub upper: f64,
    /// What the user should know about this arm.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<&'static str>,
}

/// A row of the table. Numbers are written in full; an infinite one is left empty, which every reader takes for a missing
/// number, as it takes the null of the JSON. (`inf` is a number to some and text to others.)
#[derive(Serialize)]
struct Row<'a> {
    value: Option<f64>,
    upper_bound: Option<f64>,
    status: &'a SupportStatus,
    lower: f64,
    upper: f64,
    chosen: bool,
    warning: String,
}

/// Columns after the arm's name.
const COLUMNS: [&str; 7] = ["value", "upper_bound", "status", "lower", "upper", "chosen", "warning"];

impl Plan {
    /// The plan as one JSON document.
    ///
    /// # Errors
    /// Never in practice: all keys are text.
    pub fn to_json(&self, pretty: bool) -> Result<Vec<u8>, String> {
        let text = if pretty { serde_json::to_vec_pretty(self) } else { serde_json::to_vec(self) };
        let mut text = text.map_err(|e| e.to_string())?;
        text.push(b'\n');
        Ok(text)
    }

    /// The arms as a table with a header.
    ///
    /// # Errors
    /// Never in practice: the table is written to memory.
    pub fn to_csv(&self) -> Result<Vec<u8>, String> {
        // The header is written by hand, because the first column's name depends on what it holds.
        let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        let named = self.arms.iter().any(|arm| arm.id.is_some());
        let header = std::iter::once(if named { "id" } else { "index" }).chain(COLUMNS);
        table.write_record(header).map_err(|e| e.to_string())?;
        for (k, arm) in self.arms.iter().enumerate() {
            let name = arm.id.clone().unwrap_or_else(|| k.to_string());
            table.serialize((name, self.row(k, arm))).map_err(|e| e.to_string())?;
        }
        table.into_inner().map_err(|e| e.to_string())
    }

    fn row<'a>(&self, k: usize, arm: &'a ArmPlan) -> Row<'a> {
        let finite = |number: f64| Some(number).filter(|number| number.is_finite());
        let words: Vec<&str> = arm.warnings.iter().chain(&self.warnings).copied().collect();
        Row {
            value: finite(arm.value),
            upper_bound: finite(arm.upper_bound),
            status: &arm.status,
            lower: arm.lower,
            upper: arm.upper,
            chosen: k == self.choice,
            warning: words.join(";"),
        }
    }
}
