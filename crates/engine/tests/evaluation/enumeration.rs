//! The probability that an interval ever misses, exactly: over all logs of a few rows, looked at after every row.
//!
//! Where simulation allows for chance, this does not: the guarantee must hold to the last digit.

use optimist_engine::evaluation::{BoundedMean, Interval, WeightedMean};

const LEVELS: [f64; 4] = [0.05, 0.3, 0.6, 0.95];

/// How many truths, from 0 to 1 in equal steps, are tried at once.
const TRUTHS: usize = 21;

fn truth(k: usize) -> f64 {
    k as f64 / (TRUTHS - 1) as f64
}

/// One kind of log: what may happen in a row, and what the interval then is.
struct Experiment<'a, S> {
    /// Probabilities of the outcomes of a row under a truth.
    outcomes: &'a dyn Fn(f64) -> Vec<f64>,
    push: &'a dyn Fn(&mut S, usize),
    interval: &'a dyn Fn(&S, f64) -> Interval,
}

/// What came before, under one truth: its probability, and whether it has missed at every level.
type Past = (f64, [bool; 4]);

impl<S: Clone> Experiment<'_, S> {
    /// Adds to `missed` the probabilities of all logs, `rows` rows longer, in which an interval has missed.
    fn visit(&self, state: &S, rows: usize, past: &[Past; TRUTHS], missed: &mut [[f64; 4]; TRUTHS]) {
        if rows == 0 {
            for ((chance, misses), missed) in past.iter().zip(missed) {
                for (miss, total) in misses.iter().zip(missed) {
                    *total += if *miss { *chance } else { 0.0 };
                }
            }
            return;
        }
        for outcome in 0..(self.outcomes)(0.0).len() {
            let mut next = state.clone();
            (self.push)(&mut next, outcome);
            let intervals = LEVELS.map(|delta| (self.interval)(&next, delta));
            let past = std::array::from_fn(|k| {
                let (chance, misses) = past[k];
                let now = std::array::from_fn(|i| misses[i] || !intervals[i].contains(truth(k)));
                (chance * (self.outcomes)(truth(k))[outcome], now)
            });
            self.visit(&next, rows - 1, &past, missed);
        }
    }

    fn assert_guaranteed(&self, name: &str, start: &S, rows: usize) {
        let mut missed = [[0.0; 4]; TRUTHS];
        self.visit(start, rows, &[(1.0, [false; 4]); TRUTHS], &mut missed);
        for (i, delta) in LEVELS.iter().enumerate() {
            let worst = missed.iter().map(|missed| missed[i]).fold(0.0, f64::max);
            println!("{name}: at {delta} a miss within {rows} rows has probability {worst:.4} at most");
            assert!(worst <= *delta, "{name}: {worst} at {delta}");
        }
        // At the boldest level some logs must miss, or nothing was tested.
        assert!(missed.iter().any(|missed| missed[3] > 0.05), "{name}: never misses");
    }
}

#[test]
fn rewards_without_weights() {
    let experiment = Experiment {
        outcomes: &|truth| vec![1.0 - truth, truth],
        push: &|mean: &mut BoundedMean, outcome| mean.push(outcome as f64).unwrap(),
        interval: &|mean, delta| mean.interval(delta).unwrap(),
    };
    experiment.assert_guaranteed("rewards", &BoundedMean::new(), 12);
}

/// The target takes an action that is logged with probability 0.2.
#[test]
fn weighted_rewards() {
    let experiment = Experiment {
        outcomes: &|truth| vec![0.2 * truth, 0.2 * (1.0 - truth), 0.8],
        push: &|mean: &mut WeightedMean, outcome| {
            let (p, q, reward) = [(0.2, 1.0, 1.0), (0.2, 1.0, 0.0), (0.8, 0.0, 1.0)][outcome];
            mean.push(p, q, reward, 0.0).unwrap();
        },
        interval: &|mean, delta| mean.interval(delta).unwrap(),
    };
    for limit in [None, Some(5.0)] {
        let name = format!("weighted rewards, limit {limit:?}");
        experiment.assert_guaranteed(&name, &WeightedMean::new(limit).unwrap(), 8);
    }
}
