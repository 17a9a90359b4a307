//! Many threads ask while one learns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;

use optimist::policy::{self, Snapshot};
use optimist::{FiniteArms, generator};

use super::{arms, every_policy, play, problem};

/// Everything that a snapshot says of the arms.
fn answers(snapshot: &dyn Snapshot, list: &FiniteArms<'_>) -> String {
    let intervals = snapshot.intervals(list).map(|all| all.intervals).map_err(|e| e.to_string());
    let odds: Vec<f64> = list.iter().map(|x| snapshot.log_odds(x).unwrap()).collect();
    let inside = snapshot.contains(&[1.5, -0.5]).map_err(|e| e.to_string());
    let p = snapshot.probabilities(&list.clone().into_owned().into(), 50, &mut generator(5)).unwrap();
    format!("{:?} {:?} {intervals:?} {odds:?} {inside:?} {p:?}", snapshot.counts(), snapshot.estimate())
}

#[test]
fn a_snapshot_says_what_the_policy_says_and_does_not_change() {
    let optimist::ArmSet::Finite(list) = arms() else { unreachable!("a list") };
    for mut policy in every_policy() {
        let name = policy.info().name;
        let mut rng = generator(1);
        for rounds in [0, 1, 25] {
            play(&mut *policy, rounds, &mut rng);
            let snapshot = policy.snapshot();
            let said = answers(&*snapshot, &list);
            assert_eq!(snapshot.estimate(), policy.estimate(), "{name}");
            assert_eq!(snapshot.counts(), policy.counts(), "{name}");
            for x in list.iter() {
                assert_eq!(snapshot.interval(x), policy.interval(x), "{name}");
            }
            assert_eq!(snapshot.contains(&[0.3, 0.1]), policy.contains(&[0.3, 0.1]), "{name}");
            play(&mut *policy, 10, &mut rng);
            assert_eq!(answers(&*snapshot, &list), said, "{name}: what is learnt later changes the snapshot");
        }
    }
}

/// Learns some outcomes with nothing between them but what `between` does.
fn learn(policy: &mut dyn policy::Policy, between: impl Fn(&mut dyn policy::Policy)) {
    for (x, reward) in [([0.6, 0.8], 1.0), ([1.0, 0.0], 0.0), ([-0.6, 0.8], 1.0), ([0.6, 0.8], 0.0)] {
        between(policy);
        policy.observe(&x, reward).unwrap();
    }
}

/// A snapshot changes nothing, wherever it is taken: all that is stored is the same to the last bit, and so is all that is
/// said later.
#[test]
fn a_policy_of_which_snapshots_are_taken_goes_on_as_one_that_was_left_alone() {
    let optimist::ArmSet::Finite(list) = arms() else { unreachable!("a list") };
    for policy in every_policy() {
        let name = policy.info().name;
        let (mut taken, mut left_alone) = (policy.clone(), policy);
        let (mut one, mut other) = (generator(2), generator(2));
        let ask = |policy: &mut dyn policy::Policy| drop(answers(&*policy.snapshot(), &list));
        for round in 0..10 {
            play(&mut *taken, 3, &mut one);
            learn(&mut *taken, ask);
            ask(&mut *taken);
            play(&mut *left_alone, 3, &mut other);
            learn(&mut *left_alone, |_| ());
            assert_eq!(taken.save_bytes().unwrap(), left_alone.save_bytes().unwrap(), "{name}, round {round}");
        }
        assert_eq!(taken.estimate(), left_alone.estimate(), "{name}");
        assert_eq!(taken.intervals(&list), left_alone.intervals(&list), "{name}");
        assert_eq!(taken.choose(&arms(), &mut one).unwrap(), left_alone.choose(&arms(), &mut other).unwrap(), "{name}");
    }
}

/// A question to the policy itself, before a choice, when everything is up to date anyway, changes no later one; between two
/// observations later answers agree to the tolerance of a fit.
#[test]
fn a_policy_that_was_asked_goes_on_as_one_that_was_not() {
    for policy in every_policy() {
        let name = policy.info().name;
        let ask = |policy: &mut dyn policy::Policy| drop(policy.interval(&[0.6, 0.8]));
        let (mut asked, mut left_alone) = (policy.clone(), policy);
        let (mut one, mut other) = (generator(2), generator(2));
        for _ in 0..10 {
            play(&mut *asked, 3, &mut one);
            ask(&mut *asked);
            play(&mut *left_alone, 3, &mut other);
        }
        assert_eq!(asked.snapshot().estimate(), left_alone.snapshot().estimate(), "{name}");
        learn(&mut *asked, ask);
        learn(&mut *left_alone, |_| ());
        for (a, b) in asked.estimate().iter().zip(left_alone.estimate()) {
            assert!((a - b).abs() < 1e-8, "{name}: {a} {b}");
        }
    }
}

/// No copy and no fit where nothing is new; what is learnt, and what is chosen, is new.
#[test]
fn a_snapshot_is_made_once_per_state() {
    for mut policy in every_policy() {
        let name = policy.info().name;
        play(&mut *policy, 3, &mut generator(1));
        policy.observe(&[0.6, 0.8], 1.0).unwrap();
        let first = policy.snapshot();
        assert!(Arc::ptr_eq(&first, &policy.snapshot()), "{name}");
        let _ = policy.interval(&[0.6, 0.8]);
        let _ = policy.save_bytes().unwrap();
        assert!(Arc::ptr_eq(&first, &policy.snapshot()), "{name}: a question changes nothing that one could ask");
        policy.observe(&[0.6, 0.8], 1.0).unwrap();
        let second = policy.snapshot();
        assert_eq!(second.counts().rewards, first.counts().rewards + 1, "{name}");
        policy.choose(&arms(), &mut generator(1)).unwrap();
        assert_eq!(policy.snapshot().counts().rounds, second.counts().rounds + 1, "{name}");
        let copy = policy.clone();
        policy.observe_many(&[0.6, 0.8], &[0.0]).unwrap();
        assert_eq!(policy.snapshot().counts().rewards, copy.snapshot().counts().rewards + 1, "{name}");
    }
}

/// Eight threads score while one observes: every answer is that of the state it was taken from.
#[test]
fn eight_threads_score_while_one_observes() {
    let optimist::ArmSet::Finite(list) = arms() else { unreachable!("a list") };
    for name in ["optimist", "bayes-ucb", "laplace-ts", "optimist-stream", "log-ucb-2", "ofulog"] {
        let mut policy = policy::build(name, &problem()).unwrap();
        let latest = RwLock::new(policy.snapshot());
        let done = AtomicBool::new(false);
        let score = || {
            let mut asked = Vec::new();
            while !done.load(Ordering::Acquire) || asked.is_empty() {
                let snapshot: Arc<dyn Snapshot> = latest.read().unwrap().clone();
                let said = answers(&*snapshot, &list);
                asked.push((snapshot, said));
            }
            asked
        };
        let asked: Vec<(Arc<dyn Snapshot>, String)> = thread::scope(|scope| {
            let readers: Vec<_> = (0..8).map(|_| scope.spawn(score)).collect();
            let mut rng = generator(3);
            for _ in 0..20 {
                play(&mut *policy, 5, &mut rng);
                *latest.write().unwrap() = policy.snapshot();
            }
            done.store(true, Ordering::Release);
            readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect()
        });
        assert!(asked.len() >= 8, "{name}");
        // Asked again, alone and in peace, each snapshot says the same.
        for (snapshot, said) in asked.iter().step_by(asked.len().div_ceil(50)) {
            assert_eq!(&answers(&**snapshot, &list), said, "{name}");
        }
    }
}
