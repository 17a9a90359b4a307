//! What the bandits of an experiment have in common: arms, parameter, what policies are told, how rewards come back.

use std::borrow::Cow;
use std::fmt;

use optimist::numerics::norm;
use serde::{Deserialize, Serialize};

use super::arms::{Arms, Redraw};
use super::drift::Drift;
use super::rewards::Rewards;

/// A family of bandits; run i of it is one bandit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// What results call it, if the user has said so: it has no part in how runs come out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The number of features of an arm, as policies are given it.
    pub dimension: usize,
    /// What may be played.
    pub arms: Arms,
    /// The parameter theta*, or what is known of it before a run draws it.
    pub truth: Truth,
    /// The bound S on ||theta*|| that policies are told.
    pub norm_bound: NormBound,
    /// How rewards come back.
    pub feedback: Feedback,
    /// How theta* moves.
    #[serde(default, skip_serializing_if = "Drift::is_none")]
    pub drift: Drift,
    /// How rewards depend on features.
    #[serde(default, skip_serializing_if = "Rewards::is_plain")]
    pub rewards: Rewards,
}

impl Environment {
    /// The same without a label: what decides its runs.
    pub(crate) fn unlabelled(&self) -> Cow<'_, Self> {
        match &self.label {
            None => Cow::Borrowed(self),
            Some(_) => Cow::Owned(Self { label: None, ..self.clone() }),
        }
    }

    /// Its settings as a short text that tells environments apart: `d=2 ball-sample=40 kappa=50`, then whatever is not the
    /// default.
    pub fn settings(&self) -> String {
        self.unlabelled().to_string()
    }

    /// Why theta* is not the parameter of the rewards, if it is not: then nobody can ask whether a set holds the truth.
    pub fn no_truth(&self) -> Option<&'static str> {
        match (&self.arms, &self.rewards) {
            (Arms::List(list), _) if !list.rates.is_empty() => {
                Some("arms succeed with rates of their own, to which theta* is fitted")
            }
            (_, rewards) if !rewards.interactions.is_empty() => Some("log-odds have products of features in them"),
            (_, rewards) if !rewards.is_logistic() => Some("the link of the rewards is not the logistic one"),
            _ => None,
        }
    }

    /// Why what is proved of the logistic model is not proved here, if it is not.
    pub(crate) fn misfit(&self) -> Option<&'static str> {
        let told = || match &self.rewards {
            rewards if rewards.noise > 0.0 => Some("policies see features with errors in them"),
            rewards if rewards.flipped > 0.0 => Some("policies are told the opposite of some rewards"),
            _ => None,
        };
        self.no_truth().or_else(told)
    }

    /// The bound on [`Environment::norm`] that policies are told.
    pub fn told_bound(&self) -> Option<f64> {
        self.norm_bound.value(self.norm())
    }

    /// ||theta*||; if the arms have parameters of their own and are handed out as such, the largest norm of what one arm
    /// meets, since that is all that an arm's log-odds depend on. Rounding never leads beyond it.
    pub fn norm(&self) -> f64 {
        match (&self.truth, self.arms.hybrid().filter(|hybrid| hybrid.written_out)) {
            (Truth::Theta(theta) | Truth::Fitted(Fitted { theta, .. }), _) => self.norm_of(theta),
            (truth, None) => truth.norm(),
            (truth, Some(hybrid)) => truth.norm() * (hybrid.parameters() as f64 / hybrid.features() as f64).sqrt(),
        }
    }

    /// The same for another theta*.
    fn norm_of(&self, theta: &[f64]) -> f64 {
        self.arms.as_hybrid().map_or_else(|| norm(theta), |hybrid| hybrid.largest_norm(theta))
    }

    /// The sizes of the parts of theta* that are drawn and move by themselves, one after the other.
    pub(crate) fn parts(&self) -> impl Iterator<Item = usize> {
        let (first, others, size) =
            self.arms.hybrid().map_or((self.dimension, 0, 0), |hybrid| (hybrid.shared, hybrid.count, hybrid.own));
        std::iter::once(first).filter(|first| *first > 0).chain(std::iter::repeat_n(size, others))
    }

    /// The size of the smallest of them.
    pub(crate) fn least_part(&self) -> usize {
        self.parts().min().unwrap_or(0)
    }

    /// The number of parameters.
    pub(crate) fn parameters(&self) -> usize {
        self.arms.hybrid().map_or(self.dimension, |hybrid| hybrid.parameters())
    }
}

/// The parameter theta*.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// kappa = 1/mu'(||theta*||), which fixes the norm; every run draws a direction.
    Kappa(f64),
    /// ||theta*||; every run draws a direction.
    ThetaNorm(f64),
    /// The parameter itself.
    Theta(Vec<f64>),
    /// The parameter that fits data best.
    Fitted(Fitted),
}

/// A parameter that was fitted by logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// The parameter.
    pub theta: Vec<f64>,
    /// The name of the file, without directory and ending.
    pub file: String,
    /// The column that was fitted.
    pub reward: String,
    /// How many rows there were.
    pub observations: usize,
    /// The weight of ||theta||^2/2 beside the log-loss.
    pub ridge: f64,
}

impl Truth {
    /// The parameter, if it is the same in every run.
    pub fn theta(&self) -> Option<&[f64]> {
        match self {
            Truth::Theta(theta) | Truth::Fitted(Fitted { theta, .. }) => Some(theta),
            Truth::Kappa(_) | Truth::ThetaNorm(_) => None,
        }
    }

    /// ||theta*||, as it is stated; [`Hybrid`](super::Hybrid) says of what, if the arms have parameters of their own.
    pub fn norm(&self) -> f64 {
        match self {
            Truth::Kappa(kappa) => norm_of(*kappa),
            Truth::ThetaNorm(norm) => *norm,
            Truth::Theta(theta) | Truth::Fitted(Fitted { theta, .. }) => norm(theta),
        }
    }
}

/// The bound on ||theta*|| that policies are told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormBound {
    /// ||theta*|| itself.
    Exact,
    /// ||theta*|| + 1.
    PlusOne,
    /// A number.
    Value(f64),
    /// No bound.
    None,
}

impl NormBound {
    /// The bound, given ||theta*||.
    pub fn value(self, norm: f64) -> Option<f64> {
        match self {
            NormBound::Exact => Some(norm),
            NormBound::PlusOne => Some(norm + 1.0),
            NormBound::Value(bound) => Some(bound),
            NormBound::None => None,
        }
    }
}

/// How rewards come back.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Feedback {
    /// How late they are.
    pub delay: Delay,
    /// The fraction that never arrives.
    pub missing: f64,
}

/// How many rounds late a reward is: zero means that it is there before the next choice.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Delay {
    /// Not at all.
    #[default]
    None,
    /// Always by the same number of rounds.
    Fixed {
        /// The number.
        mean: usize,
    },
    /// By a random number of rounds, geometric on 0, 1, 2, ...
    Geometric {
        /// Its mean.
        mean: f64,
    },
    /// Rewards of so many rounds come together, after the last of these rounds.
    Batch {
        /// The number of rounds.
        size: usize,
    },
}

/// The norm for which 1/mu'(norm) = 2 + 2 cosh(norm) is `kappa`.
pub fn norm_of(kappa: f64) -> f64 {
    (0.5 * kappa - 1.0).acosh()
}

/// 1/mu'(norm).
pub fn kappa_of(norm: f64) -> f64 {
    2.0 + 2.0 * norm.cosh()
}

/// The label, or else the settings.
impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = &self.label {
            return f.write_str(label);
        }
        write!(f, "d={} {}", self.dimension, self.arms)?;
        match &self.truth {
            Truth::Kappa(kappa) => write!(f, " kappa={kappa}")?,
            Truth::ThetaNorm(norm) => write!(f, " theta_norm={norm}")?,
            Truth::Theta(theta) => {
                let numbers: Vec<String> = theta.iter().map(f64::to_string).collect();
                write!(f, " theta=[{}]", numbers.join(";"))?;
            }
            Truth::Fitted(Fitted { file, reward, .. }) => write!(f, " theta=fit({file};{reward})")?,
        }
        if self.arms.redraw() == Some(Redraw::Round) {
            write!(f, " redraw=round")?;
        }
        write!(f, "{}", self.rewards)?;
        if !self.drift.is_none() {
            write!(f, " drift={}", self.drift)?;
        }
        match self.norm_bound {
            NormBound::Exact => {}
            NormBound::PlusOne => write!(f, " norm_bound=+1")?,
            NormBound::Value(bound) => write!(f, " norm_bound={bound}")?,
            NormBound::None => write!(f, " norm_bound=none")?,
        }
        match self.feedback.delay {
            Delay::None => {}
            Delay::Fixed { mean } => write!(f, " delay=fixed({mean})")?,
            Delay::Geometric { mean } => write!(f, " delay=geometric({mean})")?,
            Delay::Batch { size } => write!(f, " delay=batch({size})")?,
        }
        if self.feedback.missing > 0.0 {
            write!(f, " missing={}", self.feedback.missing)?;
        }
        Ok(())
    }
}
