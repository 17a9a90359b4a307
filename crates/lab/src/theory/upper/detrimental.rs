//! How often arms can be played that are bad for sure: Proposition 2 with all constants.
//!
//! **Finite arms.** At the last play of x, in round tau, u = x'theta_tau >= x_*'theta* by optimism. With z = x'theta* and
//! alpha = (mu(u) - mu(z))/(u - z), the averaged Hessian G holds the other N_x - 1 plays of x, hence
//! (N_x - 1) alpha (u - z)^2 + lambda ||theta_tau - theta*||^2 <= ||theta_tau - theta*||_G^2 <= rho_G^2. Because
//! alpha <= 1/4 <= lambda and ||x|| <= 1, the ridge stands for the play that is missing: N_x alpha (u - z)^2 <= rho_G^2. The
//! left side grows with u, so that N_x <= rho_G^2/(Delta_x gap_x), for detrimental arms and all others that are not best.
//!
//! **Ball and sphere.** There theta_tau points along x_tau. Take the last detrimental play tau_1 with all earlier ones for
//! which x_t'theta_{tau_1} >= 0, then the last of the rest, and so on: the x_{tau_i} have negative products, so there are
//! d + 1 groups at most. In group i, with u = x_t'theta_{tau_i} >= 0 and z = x_t'theta* <= -1, the sum over t < tau_i of
//! alpha_t (u_t - z_t)^2 is part of ||theta_{tau_i} - theta*||_G^2 <= rho_G^2, again with room for t = tau_i in the ridge, and
//! each term is at least mu(0) - mu(-1): a group has at most rho_G^2/(mu(0) - mu(-1)) plays. No factor d is lost in a group,
//! so the transitory term is of the order d^2 log T that Theorem 3 states.

use optimist::link;

use crate::simulation::Instance;

/// What an arm that is not best can cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loser {
    /// gap_x.
    gap: f64,
    /// Delta_x gap_x.
    weight: f64,
    /// The part of the gap that is not of first order, if positive: gap_x - mu'(x'theta*) Delta_x.
    rest: f64,
    is_detrimental: bool,
}

/// Who loses how much.
#[derive(Debug, Clone)]
pub(super) enum Losers {
    /// Arms of a list that are not best.
    List(Vec<Loser>),
    /// The arms of ball or sphere; whether any is detrimental.
    Round { dimension: f64, any: bool },
    /// Something else, of which nothing is known.
    Other,
}

/// What detrimental arms cost at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Toll {
    /// Plays of them.
    pub(super) plays: f64,
    /// Their share of R_2.
    pub(super) cost: f64,
}

impl Losers {
    pub(super) fn new(instance: &Instance) -> Self {
        if instance.best_arm().is_some() {
            return Self::List(list(instance));
        }
        // The half ball, whose best log-odds is zero, has no such partition.
        if instance.best() > 0.0 {
            let any = instance.is_detrimental(-instance.best());
            return Self::Round { dimension: instance.theta().len() as f64, any };
        }
        Self::Other
    }

    /// What one play of a detrimental arm adds to R_2 at most.
    fn worst_rest(&self, worst_gap: f64) -> f64 {
        match self {
            Self::List(losers) => losers.iter().filter(|x| x.is_detrimental).map(|x| x.rest).fold(0.0, f64::max),
            Self::Round { .. } | Self::Other => worst_gap,
        }
    }

    /// What `plays` plays of detrimental arms, as counted in a run, cost at most.
    pub(super) fn counted(&self, plays: u64, worst_gap: f64) -> Toll {
        Toll { plays: plays as f64, cost: self.worst_rest(worst_gap) * plays as f64 }
    }

    /// Proposition 2; none where it does not apply.
    pub(super) fn proved(&self, rounds: f64, rho_g: f64, worst_gap: f64) -> Option<Toll> {
        let square = rho_g * rho_g;
        match self {
            Self::List(losers) => {
                let mut toll = Toll { plays: 0.0, cost: 0.0 };
                for x in losers.iter().filter(|x| x.is_detrimental) {
                    let plays = rounds.min(square / x.weight);
                    toll = Toll { plays: toll.plays + plays, cost: toll.cost + plays * x.rest };
                }
                let most = rounds * self.worst_rest(worst_gap);
                Some(Toll { plays: toll.plays.min(rounds), cost: toll.cost.min(most) })
            }
            Self::Round { any: false, .. } => Some(Toll { plays: 0.0, cost: 0.0 }),
            Self::Round { dimension, .. } => {
                let group = square / (0.5 - link::mean(-1.0));
                let plays = rounds.min((dimension + 1.0) * group);
                Some(Toll { plays, cost: plays * worst_gap })
            }
            Self::Other => None,
        }
    }

    /// The regret by the plays of every arm that is not best; none if the arms are no list.
    pub(super) fn regret(&self, rounds: f64, rho_g: f64) -> Option<f64> {
        let Self::List(losers) = self else { return None };
        Some(losers.iter().map(|x| x.gap * rounds.min(rho_g * rho_g / x.weight)).fold(0.0, |sum, cost| sum + cost))
    }
}

fn list(instance: &Instance) -> Vec<Loser> {
    let arms = instance.log_odds().iter().zip(instance.means()).zip(instance.slopes()).zip(instance.detrimental());
    arms.filter(|(((z, _), _), _)| **z < instance.best())
        .map(|(((z, mean), slope), is_detrimental)| {
            let (gap, delta) = (instance.best_mean() - mean, instance.best() - z);
            let rest = (gap - slope * delta).max(0.0);
            Loser { gap, weight: delta * gap, rest, is_detrimental: *is_detrimental }
        })
        .collect()
}
