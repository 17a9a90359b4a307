//! Figures next to their aims.

use std::process::ExitCode;

use optimist_lab::results::ratio_of_means;
use optimist_lab::store::PolicyRuns;

use crate::comparison::growth;

/// Counts the aims that are missed.
#[derive(Default)]
pub(crate) struct Aims {
    missed: usize,
}

impl Aims {
    /// The mean regret of `a` is to be at most `limit` times that of `b`.
    pub(crate) fn at_most(&mut self, rows: &[PolicyRuns], a: &str, b: &str, limit: f64) {
        let (figure, error) = ratio_of_means(&find(rows, a).final_regrets(), &find(rows, b).final_regrets());
        self.judge(&format!("{a} by {b}: {figure:.3} +- {error:.3} (at most {limit})"), figure <= limit);
    }

    /// The regret is to grow linearly to the end.
    pub(crate) fn linear(&mut self, rows: &[PolicyRuns], label: &str) {
        let figure = growth(find(rows, label));
        let text = format!("{label}, regret at T by regret at T/2: {figure:.3} (linear, at least 1.9)");
        self.judge(&text, figure >= 1.9);
    }

    fn judge(&mut self, text: &str, met: bool) {
        self.missed += usize::from(!met);
        println!("  {text} {}", if met { "ok" } else { "MISSED" });
    }

    /// How the benchmark ends.
    pub(crate) fn verdict(&self) -> ExitCode {
        println!("{} aims missed", self.missed);
        if self.missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn find<'a>(rows: &'a [PolicyRuns], label: &str) -> &'a PolicyRuns {
    rows.iter().find(|row| row.spec.label == label).expect("the comparison has what it is judged by")
}
