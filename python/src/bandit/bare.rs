//! The same rounds without Python, for the benchmark of what Python adds.

use std::time::Instant;

use optimist::ArmSet;
use pyo3::prelude::*;

use super::Bandit;
use super::journal::lock;
use crate::arrays;
use crate::errors::Result;

/// Seconds that a copy of a bandit takes for one round per reward, when Rust calls it.
#[pyfunction]
pub(crate) fn _seconds_without_python(
    py: Python<'_>,
    bandit: &Bandit,
    arms: &Bound<'_, PyAny>,
    rewards: &Bound<'_, PyAny>,
) -> Result<f64> {
    let list = ArmSet::from(bandit.list(&arrays::rows(arms, "arms")?, "arms")?);
    let rewards = arrays::row(rewards, "rewards")?.values().into_owned();
    Ok(py.detach(|| {
        let mut session = lock(&bandit.state).session.clone();
        let start = Instant::now();
        for reward in rewards {
            let choice = session.policy.choose(&list, &mut session.rng)?;
            session.policy.observe(&choice.features, reward)?;
        }
        Ok::<f64, optimist::Error>(start.elapsed().as_secs_f64())
    })?)
}
