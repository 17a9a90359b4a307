//! Policies that keep account of plays whose reward is out are told which play a reward is of.

use optimist::policy::{Choice, Policy};
use optimist::{Error, generator};
use optimist_lab::Result;
use optimist_lab::experiment::{Delay, Environment, Experiment, Feedback, PolicySpec, Redraw, Shape, Truth};
use optimist_lab::simulation::{Arrival, PlayedRound, Record, RoundLog, Setting, play};

use super::hybrid::hybrid;
use super::{Counter, drawn, environment, experiment};

#[derive(Default)]
struct Log(Vec<(Option<usize>, Arrival)>);

impl RoundLog for Log {
    fn round(&mut self, round: &PlayedRound<'_>) -> Result<()> {
        self.0.push((round.arm, round.arrival));
        Ok(())
    }
}

/// The same run, played by hand.
#[derive(Default)]
struct Replay {
    arms: Vec<Option<usize>>,
    /// Rewards that came after their play had expired.
    expired: usize,
    rewards: u64,
    open: usize,
}

fn replay(setting: &Setting<'_>, arrivals: &[(Option<usize>, Arrival)], settles: bool) -> Replay {
    let (mut world, mut policy) = (setting.world(0).unwrap(), setting.policy().unwrap());
    let (mut found, mut pending) = (Replay::default(), Vec::<(usize, Choice<'static>, f64)>::new());
    for (i, (_, arrival)) in arrivals.iter().enumerate() {
        if i > 0 {
            world.next_round().unwrap();
        }
        // Of rewards that are due together, those earned first stand first.
        pending.sort_by_key(|(due, ..)| *due);
        while pending.first().is_some_and(|(due, ..)| *due <= i) {
            let (_, choice, reward) = pending.remove(0);
            found.expired += usize::from(!deliver(&mut *policy, &choice, reward, settles));
        }
        let luck = world.next_luck();
        let choice = policy.choose(world.arms(), &mut generator(1)).unwrap();
        let reward = f64::from(u8::from(luck < world.look(choice.index, &choice.features).mean));
        found.arms.push(choice.index);
        if let Arrival::Late(late) = arrival {
            pending.push((i + 1 + late, choice.into_owned(), reward));
        }
    }
    pending.sort_by_key(|(due, ..)| *due);
    for (due, choice, reward) in pending {
        if due <= arrivals.len() {
            deliver(&mut *policy, &choice, reward, settles);
        }
    }
    Replay { rewards: policy.counts().rewards, open: policy.open_plays(), ..found }
}

/// Says whether the play was open.
fn deliver(policy: &mut dyn Policy, choice: &Choice<'_>, reward: f64, settles: bool) -> bool {
    let settled = match choice.play {
        Some(play) if settles => policy.settle(play, reward),
        _ => Err(Error::NoOpenPlay { play: 0, why: "closed" }),
    };
    if settled.is_err() {
        policy.observe_row(&choice.row(), reward).unwrap();
    }
    settled.is_ok()
}

fn run(experiment: &Experiment) -> (Record, Log) {
    let setting = Setting::new(experiment, &experiment.environments[0], &experiment.policies[0]);
    let mut log = Log::default();
    let record = play(&setting, 0, &Counter::new(usize::MAX), Some(&mut log)).unwrap().expect("nobody stopped it");
    (record, log)
}

fn late(environment: Environment, delay: Delay, missing: f64, delayed: u64) -> Experiment {
    let mut experiment = experiment(1, 300, vec![environment], &[]);
    experiment.environments[0].feedback = Feedback { delay, missing };
    experiment.policies = vec![PolicySpec::plain("bayes-ucb").with("delayed", delayed)];
    experiment
}

#[test]
fn rewards_settle_their_plays() {
    let dense = environment(3, drawn(Shape::Sphere, 12, Redraw::Round), Truth::ThetaNorm(2.0));
    let own = environment(4, hybrid(6, 1, 3), Truth::ThetaNorm(2.0));
    let mut differing = 0;
    for place in [dense, own] {
        for (delay, missing) in
            [(Delay::Batch { size: 30 }, 0.0), (Delay::Geometric { mean: 10.0 }, 0.2), (Delay::None, 0.0)]
        {
            let experiment = late(place.clone(), delay, missing, 100);
            let setting = Setting::new(&experiment, &experiment.environments[0], &experiment.policies[0]);
            let (record, log) = run(&experiment);
            let arms: Vec<Option<usize>> = log.0.iter().map(|(arm, _)| *arm).collect();
            let by_hand = replay(&setting, &log.0, true);
            assert_eq!(arms, by_hand.arms, "{place}, {delay:?}");
            assert_eq!(record.rewards_seen, by_hand.rewards);
            assert_eq!(by_hand.open > 0, missing > 0.0, "a lost reward leaves its play open");
            differing += usize::from(replay(&setting, &log.0, false).arms != arms);
        }
    }
    assert!(differing >= 4, "whether plays are settled hardly matters: {differing} of 6");
}

#[test]
fn rewards_of_plays_that_have_expired_are_learnt_all_the_same() {
    let place = environment(3, drawn(Shape::Sphere, 12, Redraw::Round), Truth::ThetaNorm(2.0));
    let experiment = late(place, Delay::Geometric { mean: 10.0 }, 0.0, 5);
    let setting = Setting::new(&experiment, &experiment.environments[0], &experiment.policies[0]);
    let (record, log) = run(&experiment);
    let by_hand = replay(&setting, &log.0, true);
    assert!(by_hand.expired > 50 && by_hand.expired < 250, "{} came too late", by_hand.expired);
    assert_eq!(log.0.iter().map(|(arm, _)| *arm).collect::<Vec<_>>(), by_hand.arms);
    assert_eq!(record.rewards_seen, by_hand.rewards);
    let due = |(i, (_, arrival)): (usize, &(Option<usize>, Arrival))| matches!(arrival, Arrival::Late(late) if i + 1 + late <= 300);
    assert_eq!(record.rewards_seen, log.0.iter().enumerate().filter(|entry| due(*entry)).count() as u64);
}
