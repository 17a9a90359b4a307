//! Sets that are empty.

use optimist::policy::{self, Certificate};
use optimist::{ArmSet, FiniteArms, Problem, generator};

/// A norm bound that is far too small: the data contradict every set, and nobody may pass that off as certainty.
#[test]
fn an_empty_set_certifies_nothing() {
    for name in ["optimist", "optimist-stream"] {
        let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(0.5) };
        let mut policy = policy::build(name, &problem).unwrap();
        let arms = ArmSet::from(FiniteArms::from_rows(&[[1.0, 0.0], [0.0, 1.0]]).unwrap());
        for _ in 0..2000 {
            policy.observe(&[1.0, 0.0], 1.0).unwrap();
            policy.observe(&[0.0, 1.0], 0.0).unwrap();
        }
        match policy.interval(&[1.0, 0.0]) {
            // The mixture's level holds without the ball.
            Ok(answer) => assert!(name == "optimist" && answer.guarantee.norm_bound.is_none(), "{name}: {answer:?}"),
            Err(error) => assert!(error.to_string().contains("empty"), "{name}: {error}"),
        }
        let choice = policy.choose(&arms, &mut generator(1)).unwrap();
        assert_eq!(choice.index, Some(0), "{name}");
        let is_honest = match choice.certificate {
            // What the interval says: the level without the ball, and no bound of the empty set.
            Certificate::OnRequest(guarantee) => name == "optimist" && guarantee.norm_bound.is_none(),
            Certificate::None { why } => name == "optimist-stream" && why.contains("empty"),
            _ => false,
        };
        assert!(is_honest, "{name}: {:?}", choice.certificate);
    }
}
