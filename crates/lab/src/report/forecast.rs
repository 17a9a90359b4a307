//! How long work will take, in words.

use super::numbers::{count, duration};
use crate::run::Estimate;

/// As messages have it: `about 40 min on 2 cores for 4,800 runs, by a short trial`.
pub fn forecast(estimate: &Estimate) -> String {
    let Estimate { seconds, runs, threads } = *estimate;
    let (cores, runs_word) = (if threads == 1 { "core" } else { "cores" }, if runs == 1 { "run" } else { "runs" });
    let (time, runs) = (rough_duration(seconds), count(runs as u64));
    format!("about {time} on {threads} {cores} for {runs} {runs_word}, by a short trial")
}

/// Two digits at most: a trial knows no more.
pub fn rough_duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 60.0 => return duration(s.ceil()),
        s if s < 5400.0 => (s / 60.0, "min"),
        s if s < 172_800.0 => (s / 3600.0, "hours"),
        s => (s / 86_400.0, "days"),
    };
    if value < 9.95 && unit != "min" { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_digits() {
        for (seconds, text) in [
            (0.2, "1 s"),
            (31.2, "32 s"),
            (60.0, "1 min"),
            (2400.0, "40 min"),
            (9000.0, "2.5 hours"),
            (5e5, "5.8 days"),
        ] {
            assert_eq!(rough_duration(seconds), text);
        }
        let estimate = Estimate { seconds: 2400.0, runs: 4800, threads: 2 };
        assert_eq!(forecast(&estimate), "about 40 min on 2 cores for 4,800 runs, by a short trial");
    }
}
