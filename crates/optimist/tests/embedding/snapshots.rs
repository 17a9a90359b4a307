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

/// Asking before a choice, when everything is up to date anyway, changes no later one.
#[test]
fn a_policy_that_was_asked_goes_on_as_one_that_was_not() {
    for policy in every_policy() {
        let (mut asked, mut left_alone) = (policy.clone(), policy);
        let (mut one, mut other) = (generator(2), generator(2));
        for _ in 0..10 {
            play(&mut *asked, 3, &mut one);
            drop(asked.snapshot());
            let _ = asked.interval(&[0.6, 0.8]);
            play(&mut *left_alone, 3, &mut other);
        }
        let name = asked.info().name;
        assert_eq!(asked.snapshot().estimate(), left_alone.snapshot().estimate(), "{name}");
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
