#![allow(dead_code, unreachable_pub)]
//! Data that are as bad as the assumptions allow, also for the benchmark that measures coverage.

use optimist::numerics::dot;
use optimist::{Belief, generator, link};
use rand::RngExt;

/// What is observed in one run: arms, rewards, and after how many of them somebody looks.
pub struct Data {
    pub theta: Vec<f64>,
    rows: Vec<(Vec<f64>, f64)>,
    looks: Vec<usize>,
}

/// How the data of a run come about and are handed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HandOver {
    /// With a look after every ten.
    AsTheyCome,
    /// Batches of fifty, each sorted by outcome before it is handed over, with a look after each.
    Sorted,
    /// A look whenever the last three rewards agree.
    Opportune,
    /// Rewards strictly between zero and one, of the same mean.
    Fractional,
    /// Arms of norm up to five.
    Long,
    /// Arms that are played again as long as they fail.
    Stubborn,
}

/// Observations of a run.
pub const OBSERVATIONS: usize = 200;

impl Data {
    /// The data of one run, about a parameter of the given length.
    pub fn new(seed: u64, hand_over: HandOver, length: f64) -> Self {
        let mut rng = generator(seed);
        let angle: f64 = rng.random_range(0.0..std::f64::consts::TAU);
        let theta = vec![length * angle.cos(), length * angle.sin()];
        let scale = if hand_over == HandOver::Long { 5.0 } else { 1.0 };
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        let mut looks = Vec::new();
        for n in 0..OBSERVATIONS {
            let last = rows.last().filter(|(_, reward)| hand_over == HandOver::Stubborn && *reward == 0.0);
            let arm = last.map_or_else(
                || {
                    let (angle, r) = (rng.random_range(0.0..std::f64::consts::TAU), scale * rng.random::<f64>().sqrt());
                    vec![r * angle.cos(), r * angle.sin()]
                },
                |(x, _)| x.clone(),
            );
            let mean = link::mean(dot(&arm, &theta));
            let success = f64::from(u8::from(rng.random::<f64>() < mean));
            let reward = if hand_over == HandOver::Fractional { 0.5 * (success + mean) } else { success };
            rows.push((arm, reward));
            let is_streak = n >= 2 && rows[n - 2..].iter().all(|(_, r)| *r == reward);
            match hand_over {
                HandOver::Opportune if is_streak => looks.push(n + 1),
                HandOver::Sorted if (n + 1) % 50 == 0 => {
                    rows[n - 49..].sort_by(|a, b| b.1.total_cmp(&a.1));
                    looks.push(n + 1);
                }
                HandOver::Opportune | HandOver::Sorted => {}
                _ if (n + 1) % 10 == 0 => looks.push(n + 1),
                _ => {}
            }
        }
        Self { theta, rows, looks }
    }

    /// What is handed over before each look.
    pub fn batches(&self) -> impl Iterator<Item = &[(Vec<f64>, f64)]> {
        let starts = std::iter::once(0).chain(self.looks.iter().copied());
        starts.zip(&self.looks).map(|(start, end)| &self.rows[start..*end])
    }

    /// Whether theta* is outside of the set at any look; `restart` saves and restores the belief there.
    pub fn is_missed(&self, mut belief: Belief, restart: bool) -> bool {
        for batch in self.batches() {
            for (x, reward) in batch {
                belief.observe(x, *reward).unwrap();
            }
            if !belief.set().contains(&self.theta) {
                return true;
            }
            if restart {
                belief = serde_json::from_str(&serde_json::to_string(&belief).unwrap()).unwrap();
            }
        }
        false
    }
}
