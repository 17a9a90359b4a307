//! Rewards find their decisions, when they should and only then.

use optimist_engine::{Engine, Features, Joined, Late, Learn, Request, Rewards, Scale, Second, Settings};

use crate::support::three;

fn engine(rewards: Rewards) -> Engine {
    Engine::new(Settings { actions: three(), context: Some(vec![]), rewards, ..Settings::default() }).unwrap()
}

fn decide(engine: &mut Engine, id: &str, time: f64) {
    engine.decide(Request::new(id, Features::new()), time).unwrap();
}

#[test]
fn rewards_are_held_until_the_waiting_time_is_over() {
    let mut engine = engine(Rewards { wait: 10.0, silence: Some(0.0), ..Rewards::default() });
    decide(&mut engine, "a", 0.0);
    decide(&mut engine, "b", 1.0);
    assert_eq!(engine.reward("b", 1.0, 2.0).unwrap(), Joined::Held);
    engine.tick(10.0).unwrap();
    assert_eq!(engine.version(), 0);
    // The waiting time of the first is over: silence meant no. The quick yes of the second is learnt in its turn.
    engine.tick(10.5).unwrap();
    assert_eq!(engine.version(), 1);
    engine.tick(11.5).unwrap();
    assert_eq!(engine.version(), 2);
    let error = engine.reward("a", 1.0, 12.0).unwrap_err();
    assert!(error.to_string().contains("12 s after its decision"), "{error}");
}

#[test]
fn silence_without_a_meaning_teaches_nothing() {
    let mut engine = engine(Rewards { wait: 10.0, ..Rewards::default() });
    decide(&mut engine, "a", 0.0);
    engine.tick(20.0).unwrap();
    assert_eq!(engine.version(), 0);
    assert!(engine.reward("a", 1.0, 20.0).is_err());
}

#[test]
fn without_a_waiting_time_a_later_reward_is_refused_with_the_remedy() {
    let mut engine = engine(Rewards::default());
    decide(&mut engine, "a", 0.0);
    let error = engine.reward("a", 1.0, 3.0).unwrap_err().to_string();
    assert!(error.contains("rewards.wait is 0"), "{error}");
    assert_eq!(engine.reward("a", 1.0, 0.0).unwrap(), Joined::Learnt);
}

#[test]
fn a_second_reward_goes_by_the_rule() {
    for (second, expected) in
        [(Second::First, Some(Joined::Ignored)), (Second::Sum, Some(Joined::Held)), (Second::Refuse, None)]
    {
        let mut engine = engine(Rewards { wait: 10.0, second, ..Rewards::default() });
        decide(&mut engine, "a", 0.0);
        engine.reward("a", 0.5, 1.0).unwrap();
        assert_eq!(engine.reward("a", 0.75, 2.0).ok(), expected, "{second:?}");
        engine.tick(20.0).unwrap();
        let sum = engine.report().actions.iter().map(|action| action.sum).sum::<f64>();
        assert_eq!(sum, if second == Second::Sum { 1.0 } else { 0.5 }, "{second:?}");
    }
}

#[test]
fn late_rewards_are_counted_by_rule() {
    let mut engine = engine(Rewards { wait: 1.0, silence: Some(0.0), late: Late::Count, ..Rewards::default() });
    decide(&mut engine, "a", 0.0);
    assert_eq!(engine.reward("a", 1.0, 5.0).unwrap(), Joined::Late);
    assert_eq!(engine.report().actions.iter().map(|a| (a.late, a.sum as u64)).max(), Some((1, 0)));
}

#[test]
fn deferred_decisions_wait_for_being_carried_out() {
    let mut engine = engine(Rewards { wait: 10.0, silence: Some(0.0), ..Rewards::default() });
    for id in ["shown", "never"] {
        engine.decide(Request::new(id, Features::new()).deferred(), 0.0).unwrap();
    }
    assert!(engine.reward("shown", 1.0, 1.0).unwrap_err().to_string().contains("activate"));
    engine.activate("shown", 100.0).unwrap();
    assert!(engine.activate("shown", 100.0).is_err());
    engine.reward("shown", 1.0, 105.0).unwrap();
    engine.tick(1e6).unwrap();
    assert_eq!(engine.version(), 1, "what was never shown taught something");
    assert!(engine.reward("never", 1.0, 1e6).is_err());
}

#[test]
fn values_become_rewards_as_declared() {
    let cases = [
        (Scale::Unit, vec![(0.25, Some(0.25)), (1.5, None), (f64::NAN, None)]),
        (Scale::Range(-1.0, 1.0), vec![(-1.0, Some(0.0)), (0.5, Some(0.75)), (2.0, None)]),
        (Scale::Cap(20.0), vec![(5.0, Some(0.25)), (100.0, Some(1.0)), (-1.0, None)]),
    ];
    for (scale, values) in cases {
        for (value, expected) in values {
            let mut engine = engine(Rewards { scale, ..Rewards::default() });
            decide(&mut engine, "a", 0.0);
            let joined = engine.reward("a", value, 0.0).ok();
            let sum = engine.report().actions.iter().map(|action| action.sum).sum::<f64>();
            assert_eq!(joined.map(|_| sum), expected, "{scale:?} {value}");
        }
    }
}

#[test]
fn an_old_id_is_forgotten_and_an_old_time_refused() {
    let settings = Settings { actions: three(), context: Some(vec![]), retention: 100.0, ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    decide(&mut engine, "a", 0.0);
    engine.reward("a", 1.0, 0.0).unwrap();
    engine.tick(99.0).unwrap();
    assert!(engine.decide(Request::new("a", Features::new()), 99.0).unwrap().repeated);
    engine.tick(200.0).unwrap();
    assert!(engine.reward("a", 1.0, 200.0).unwrap_err().to_string().contains("unknown"));
    let error = engine.decide(Request::new("a", Features::new()), 0.0).unwrap_err();
    assert!(error.to_string().contains("retention"), "{error}");
}

#[test]
fn memory_is_bounded() {
    let settings =
        Settings { actions: three(), context: Some(vec![]), most_settled: 50, most_open: 40, ..Settings::default() };
    let mut engine = Engine::new(settings).unwrap();
    let mut size = 0;
    for visit in 0..5000 {
        // Time stands still, and every third reward never comes.
        decide(&mut engine, &format!("{visit:06}"), 0.0);
        if visit % 3 != 0 {
            engine.reward(&format!("{visit:06}"), 1.0, 0.0).unwrap();
        }
        if visit == 1000 {
            size = engine.snapshot().unwrap().len();
        }
    }
    let end = engine.snapshot().unwrap().len();
    assert!(end < size + size / 10, "{size} bytes after 1,000 decisions, {end} after 5,000");
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let refused = |rewards: Rewards| {
        Engine::new(Settings { actions: three(), rewards, ..Settings::default() }).unwrap_err().to_string()
    };
    let independent = Rewards { wait: 5.0, silence: Some(0.0), learn: Learn::OnArrival, ..Rewards::default() };
    assert!(refused(independent).contains("depends on the outcome"));
    assert!(refused(Rewards { second: Second::Sum, ..Rewards::default() }).contains("rewards.second"));
    assert!(refused(Rewards { wait: -1.0, ..Rewards::default() }).contains("rewards.wait"));
    assert!(refused(Rewards { scale: Scale::Cap(0.0), ..Rewards::default() }).contains("rewards.scale"));
}
