//! A policy together with its generator: all that a run needs to be stopped and to go on to the last bit.

use super::{Choice, Policy, document};
use crate::arms::ArmSet;
use crate::error::Result;
use crate::random::Generator;

/// A policy and the generator from which it draws.
///
/// ```
/// use optimist::policy::{self, Session};
/// use optimist::{ArmSet, FiniteArms, Problem};
///
/// let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])?);
/// let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(4.0) };
/// let mut session = Session::new(policy::build("laplace-ts", &problem)?, 7);
/// for reward in [1.0, 0.0, 1.0] {
///     let choice = session.choose(&arms)?.into_owned();
///     session.policy.observe(&choice.features, reward)?;
/// }
/// let mut restored = Session::restore_bytes(&session.save_bytes()?)?;
/// assert_eq!(restored.choose(&arms)?, session.choose(&arms)?); // a random policy, and yet the same choice
/// # Ok::<(), optimist::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Session {
    /// The policy.
    pub policy: Box<dyn Policy>,
    /// Where its randomness comes from.
    pub rng: Generator,
}

impl Session {
    /// A policy with a generator of this seed.
    pub fn new(policy: Box<dyn Policy>, seed: u64) -> Self {
        Self { policy, rng: crate::random::generator(seed) }
    }

    /// As [`Policy::choose`], with the session's generator.
    ///
    /// # Errors
    /// As there.
    pub fn choose<'a>(&mut self, arms: &'a ArmSet<'_>) -> Result<Choice<'a>> {
        self.policy.choose(arms, &mut self.rng)
    }

    /// As [`Policy::save`], with the generator.
    ///
    /// # Errors
    /// As there.
    pub fn save(&self) -> Result<String> {
        document::write(self.policy.info(), self.policy.state(), Some(&self.rng))
    }

    /// As [`Policy::save_bytes`], with the generator.
    ///
    /// # Errors
    /// As there.
    pub fn save_bytes(&self) -> Result<Vec<u8>> {
        document::write_bytes(self.policy.info(), self.policy.state(), Some(&self.rng))
    }

    /// What [`Session::save`] stored.
    ///
    /// # Errors
    /// As [`restore`](super::restore); also if no generator was stored along.
    pub fn restore(text: &str) -> Result<Self> {
        Self::assemble(document::read(text)?)
    }

    /// What [`Session::save_bytes`] stored.
    ///
    /// # Errors
    /// As [`Session::restore`].
    pub fn restore_bytes(bytes: &[u8]) -> Result<Self> {
        Self::assemble(document::read_bytes(bytes)?)
    }

    fn assemble((policy, rng): document::Restored) -> Result<Self> {
        let what = "holds a policy without its generator: restore the policy alone, or store a session";
        let rng = rng.ok_or_else(|| crate::Error::Document { what: what.into() })?;
        Ok(Self { policy, rng })
    }
}
