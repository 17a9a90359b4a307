//! The extension module of the Python package `optimist`.
//!
//! Classes here hold a policy or an engine behind a lock, read arrays and dictionaries, and let go of the interpreter while they
//! work. What is convenient rather than fast is written in Python, beside this directory.

mod arrays;
mod bandit;
mod engine;
mod errors;
mod files;
mod json;
mod laboratory;
mod watch;

use pyo3::prelude::*;

/// Logistic bandits, compiled.
#[pymodule]
mod _optimist {
    #[pymodule_export]
    use crate::bandit::{
        _seconds_without_python, Bandit, Best, Certificate, Choice, Comparison, Guarantee, Interval, Intervals,
    };
    #[pymodule_export]
    use crate::engine::{
        ActionReport, Bounds, Contribution, Decision, Engine, Explanation, Prediction, Ranked, Report,
    };

    #[pymodule_export]
    use crate::laboratory::{
        Job, Outcome, known_class, plan_problem, play_runs, policy_entries, read_experiment, register_class,
        replay_data, theory_instance, theory_statements,
    };

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        optimist::policy::register(&crate::laboratory::OWN_POLICY).map_err(crate::errors::Fault::from)?;
        crate::errors::register(module)?;
        // What is public is said by the package.
        module.delattr("__all__")
    }
}
