//! What is claimed of the transitory phase, and what came out.

use super::Family;
use super::samples::{Level, Sample, mean};
use crate::claims::{Finding, below, pair, verdict};
use crate::measure::{chance_of_failures, jackknife, mean_without};
use optimist_lab::report::{Block, number};

/// The phase grows with kappa_X: run by run, that at the largest kappa_X against that at the smallest.
pub(super) fn grows(families: &[&Family<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for family in families {
        let [first, .., last] = &family.levels[..] else { continue };
        let pairs = first.samples.iter().zip(&last.samples);
        let (findings, texts): (Vec<Finding>, Vec<String>) = pairs.map(|(low, high)| growth(low, high)).unzip();
        let text = format!(
            "From kappa_X = {} to {}. {} A policy counts for or against if so many runs would agree by chance at most once \
             in forty times.",
            number(first.kappa_x),
            number(last.kappa_x),
            texts.join(" ")
        );
        let claim = format!("The transitory phase grows with kappa_X: {}.", family.name);
        blocks.push(Block::Claim { claim, verdict: verdict(&findings), text });
    }
    blocks
}

/// A sign test, which needs to know no more of a phase than that it is the longer one.
fn growth(low: &Sample, high: &Sample) -> (Finding, String) {
    let pairs = || low.lengths.values.iter().zip(&high.lengths.values);
    let (longer, shorter) = (pairs().filter(|(a, b)| a < b).count(), pairs().filter(|(a, b)| a > b).count());
    let is_clear = |count: usize| chance_of_failures(count, longer + shorter, 0.5) < 0.025;
    let finding = match (is_clear(longer), is_clear(shorter)) {
        (true, _) => Finding::For,
        (_, true) => Finding::Against,
        _ => Finding::Open,
    };
    let text = format!(
        "{}: median {} to {} rounds, longer in {longer} and shorter in {shorter} of {} runs.",
        low.label,
        low.lengths.words(0.5),
        high.lengths.words(0.5),
        low.lengths.runs()
    );
    (finding, text)
}

/// Plays of detrimental arms are bounded by their number, whatever kappa_X: they level off.
pub(super) fn levels_off(family: &Family<'_>) -> Vec<Block> {
    let [.., low, _, high] = &family.levels[..] else { return Vec::new() };
    let policies = 0..high.samples.len();
    let (findings, texts): (Vec<Finding>, Vec<String>) = policies.map(|i| levelling(low, high, i)).unzip();
    let bounds = |level: &Level| {
        let d = family.dimension as f64;
        (level.kappa_x * d * d, d * d + d * level.detrimental)
    };
    let ((low_flat, low_arms), (high_flat, high_arms)) = (bounds(low), bounds(high));
    let text = format!(
        "From kappa_X = {} to {} the first bound, kappa_X d^2, grows from {} to {}, the second, d^2 + d K, from {} to {}. \
         Plays of detrimental arms vary like kappa_X to the power a (± one standard error). {} A policy counts for the claim \
         if a is clearly below one half, half of what the first bound would allow, and counts neither way if its phase was \
         mostly not seen to end.",
        number(low.kappa_x),
        number(high.kappa_x),
        number(low_flat),
        number(high_flat),
        number(low_arms),
        number(high_arms),
        texts.join(" ")
    );
    let claim = format!(
        "However large kappa_X, the phase is bounded by the number of detrimental arms: it levels off at a few plays of \
         each ({}).",
        family.name
    );
    vec![Block::Claim { claim, verdict: verdict(&findings), text }]
}

fn levelling(low: &Level, high: &Level, policy: usize) -> (Finding, String) {
    let (a, b) = (&low.samples[policy], &high.samples[policy]);
    let ratio = (high.kappa_x / low.kappa_x).ln();
    let exponent = jackknife(b.bad_plays.len(), |left_out| {
        let means = (mean_without(&a.bad_plays, left_out), mean_without(&b.bad_plays, left_out));
        (means.1 / means.0).ln() / ratio
    });
    let each = number(mean(&b.bad_plays) / high.detrimental);
    let is_seen = [a, b].iter().all(|sample| sample.lengths.quantile(0.5).is_finite());
    let text = format!("{}: a = {}, in the end {each} plays of each arm", b.label, pair(exponent));
    match is_seen {
        true => (below(exponent, 0.5), format!("{text}.")),
        false => (Finding::Open, format!("{text}; mostly not seen to end.")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::Lengths;
    use super::*;
    use optimist_lab::experiment::PolicySpec;
    use optimist_lab::store::PolicyRuns;

    fn sample(lengths: &[f64], bad_plays: &[f64]) -> Sample {
        Sample {
            label: "somebody".to_owned(),
            lengths: Lengths { values: lengths.to_vec(), longest: 1000.0 },
            bad_plays: bad_plays.to_vec(),
            regrets: Vec::new(),
            policy_runs: PolicyRuns { spec: PolicySpec::plain("uniform"), runs: Vec::new() },
        }
    }

    #[test]
    fn growth_is_judged_run_by_run() {
        let judge = |low: &[f64], high: &[f64]| growth(&sample(low, &[]), &sample(high, &[])).0;
        let unseen = f64::INFINITY;
        // Six of six by chance: once in 64 times; five of five: once in 32.
        assert_eq!(judge(&[1.0; 6], &[2.0, 3.0, 9.0, unseen, unseen, 4.0]), Finding::For);
        assert_eq!(judge(&[1.0; 5], &[2.0, 3.0, 9.0, unseen, unseen]), Finding::Open);
        assert_eq!(judge(&[unseen; 6], &[2.0; 6]), Finding::Against);
        assert_eq!(judge(&[1.0, 5.0, 1.0, 5.0, 1.0, 5.0], &[3.0; 6]), Finding::Open);
        // Two phases that were both not seen to end are not told apart.
        assert_eq!(judge(&[unseen; 9], &[unseen; 9]), Finding::Open);
        let text = growth(&sample(&[4.0, 6.0], &[]), &sample(&[unseen; 2], &[])).1;
        assert!(text.contains("median 5 to over 1,000 rounds") && text.contains("longer in 2"), "{text}");
    }

    #[test]
    fn levelling_off_needs_an_end_and_a_small_exponent() {
        let level = |kappa_x: f64, plays: [f64; 4], length: f64| Level {
            kappa_x,
            detrimental: 100.0,
            samples: vec![sample(&[length; 4], &plays)],
        };
        let judge = |low: [f64; 4], high: [f64; 4], length: f64| {
            levelling(&level(100.0, low, length), &level(10_000.0, high, length), 0)
        };
        let (few, more) = ([100.0, 110.0, 90.0, 100.0], [200.0, 210.0, 190.0, 200.0]);
        let (finding, text) = judge(few, more, 50.0);
        // log 2/log 100 = 0.15.
        assert_eq!(finding, Finding::For);
        assert!(text.contains("a = 0.15") && text.contains("2 plays of each"), "{text}");
        assert_eq!(judge(few, few.map(|plays| 99.0 * plays), 50.0).0, Finding::Against);
        assert_eq!(judge(few, more, f64::INFINITY).0, Finding::Open);
    }
}
