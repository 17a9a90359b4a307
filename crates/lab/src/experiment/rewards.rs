//! How rewards depend on features, and what becomes of both on the way to the policies.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How rewards differ from those of the logistic model, which is the default.
///
/// An arm x succeeds with probability g(x'theta* + sum of weight x_i x_j), where g is the link.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rewards {
    /// g.
    pub link: Link,
    /// Products of features.
    pub interactions: Vec<Interaction>,
    /// Policies see features with independent normal errors of this standard deviation, other ones every round.
    pub noise: f64,
    /// The fraction of rewards of which policies are told the opposite.
    pub flipped: f64,
}

/// What makes a probability of a real number z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// 1/(1 + exp(-z)).
    #[default]
    Logit,
    /// The distribution function of the standard normal law.
    Probit,
    /// 1 - exp(-exp(z)).
    Cloglog,
    /// 1/2 + arctan(z)/pi.
    Cauchit,
    /// 1/2 + z/4, but not below 0 nor above 1.
    Linear,
}

/// A product of two features, or a square.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    /// The number of one feature, from zero.
    pub first: usize,
    /// That of the other one.
    pub second: usize,
    /// By what the product is multiplied.
    pub weight: f64,
}

impl Rewards {
    /// Whether they are those of the logistic model.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the success probabilities are those of the logistic model, whatever becomes of rewards and features after.
    pub(crate) fn is_logistic(&self) -> bool {
        self.link == Link::Logit && self.interactions.is_empty()
    }
}

impl Link {
    /// Its name in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Link::Logit => "logit",
            Link::Probit => "probit",
            Link::Cloglog => "cloglog",
            Link::Cauchit => "cauchit",
            Link::Linear => "linear",
        }
    }
}

/// ` link=probit interactions=[1*2:0.5] noise=0.1 flipped=0.05`, whatever is not the default.
impl fmt::Display for Rewards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.link != Link::Logit {
            write!(f, " link={}", self.link.name())?;
        }
        if !self.interactions.is_empty() {
            let words: Vec<String> = self.interactions.iter().map(ToString::to_string).collect();
            write!(f, " interactions=[{}]", words.join(";"))?;
        }
        if self.noise > 0.0 {
            write!(f, " noise={}", self.noise)?;
        }
        if self.flipped > 0.0 {
            write!(f, " flipped={}", self.flipped)?;
        }
        Ok(())
    }
}

/// `1*2:0.5`, features counted from one.
impl fmt::Display for Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*{}:{}", self.first + 1, self.second + 1, self.weight)
    }
}
