//! Registries: names that are taken, names that are nearly right.

use optimist::policy::{self, Agent, Common, NoOptions, Pick, Policy, PolicyInfo, PolicyMaker, Round, Rule, Session};
use optimist::set::{Guarantee, Mixture, Radius, RadiusInfo, RadiusMaker, RegisteredStrategy, Strategy};
use optimist::{Belief, Error, Estimator, FiniteArms, History, Penalty, Problem};
use serde::{Deserialize, Serialize};

use super::problem;

static IMPOSTOR: PolicyInfo = PolicyInfo { name: "greedy", ..policy_like() };

const fn policy_like() -> PolicyInfo {
    PolicyInfo {
        name: "",
        family: policy::Family::Baseline,
        summary: "",
        doc: "",
        keeps_set: false,
        guarantee: "",
        guaranteed: false,
        planning: policy::Planning::ClosedForm,
        cost: "",
        memory: "",
        arm_sets: policy::FINITE_ARMS,
        reference: "",
        randomised: false,
        order: policy::RewardOrder::Irrelevant,
        constant_cost: false,
        uses_history: true,
        needs_norm_bound: false,
        unit_arms: false,
        required: &[],
        example: "{}",
        options: &[],
        maker: policy::PolicyMaker::of::<policy::greedy::Greedy>(),
    }
}

static IMPOSTOR_RADIUS: RadiusInfo = RADIUS_LIKE;

const RADIUS_LIKE: RadiusInfo = RadiusInfo {
    name: "mixture",
    summary: "",
    guaranteed: true,
    needs_norm_bound: false,
    unit_arms: false,
    needs_order: false,
    theorem: Mixture::INFO.theorem,
    maker: optimist::set::RadiusMaker::of::<optimist::set::Mixture>(),
};

#[test]
fn a_name_belongs_to_one() {
    let taken = policy::register(&IMPOSTOR).unwrap_err();
    assert_eq!(taken, Error::NameTaken { field: "policy", name: "greedy" });
    let taken = Radius::register(&IMPOSTOR_RADIUS).unwrap_err();
    assert_eq!(taken, Error::NameTaken { field: "radius", name: "mixture" });
    // Whoever registers what is there already does no harm.
    let info = policy::info("greedy").unwrap();
    assert_eq!(policy::register(info), Ok(()));
    assert_eq!(policy::names().filter(|name| *name == "greedy").count(), 1);
}

static EXCESSIVE_RADIUS: RadiusInfo = RadiusInfo {
    name: "excess",
    summary: "",
    guaranteed: false,
    needs_norm_bound: false,
    unit_arms: false,
    needs_order: false,
    theorem: Mixture::INFO.theorem,
    maker: optimist::set::RadiusMaker::of::<optimist::set::Mixture>(),
};

/// A stored "excess" is always this crate's, although that is not listed.
#[test]
fn a_name_that_is_not_listed_belongs_to_one_as_well() {
    let taken = Radius::register(&EXCESSIVE_RADIUS).unwrap_err();
    assert_eq!(taken, Error::NameTaken { field: "radius", name: "excess" });
}

#[test]
fn a_name_that_is_nearly_right_gets_a_suggestion() {
    let said = |name: &str| policy::build(name, &problem()).map(drop).unwrap_err().to_string();
    assert!(said("optimst").contains("did you mean \"optimist\"?"), "{}", said("optimst"));
    assert!(said("laplace_ts").contains("did you mean \"laplace-ts\"?"), "{}", said("laplace_ts"));
    assert!(!said("something else").contains("did you mean"), "{}", said("something else"));
    let radius = Radius::by_name("mixtrue", &Problem { norm_bound: None, ..problem() }).unwrap_err().to_string();
    assert!(radius.contains("did you mean \"mixture\"?"), "{radius}");
}

/// An equal line at another address, as each use of a constant may have it, is the same line.
#[test]
fn lines_are_compared_by_what_they_say() {
    let elsewhere = |info: &PolicyInfo| -> &'static PolicyInfo { Box::leak(Box::new(*info)) };
    let info = policy::info("greedy").unwrap();
    assert_eq!(policy::register(elsewhere(info)), Ok(()));
    let maker = PolicyMaker::of::<policy::uniform::Uniform>();
    let taken = policy::register(elsewhere(&PolicyInfo { maker, ..*info })).unwrap_err();
    assert_eq!(taken, Error::NameTaken { field: "policy", name: "greedy" });
    assert_eq!(Radius::register(Box::leak(Box::new(*Mixture::INFO))), Ok(()));
    assert_eq!(Radius::all().iter().filter(|info| info.name == "mixture").count(), 1);
}

#[test]
fn names_that_would_need_quoting_are_refused() {
    for name in ["", "my policy", "my\"policy", "My-Policy", "my_policy", "-mine", "mine-"] {
        let refused = policy::register(Box::leak(Box::new(PolicyInfo { name, ..policy_like() }))).unwrap_err();
        assert_eq!(refused, Error::BadName { field: "policy", name });
        let refused = Radius::register(Box::leak(Box::new(RadiusInfo { name, ..RADIUS_LIKE }))).unwrap_err();
        assert_eq!(refused, Error::BadName { field: "radius", name });
    }
}

/// A rule that was never registered, under one of the names below.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Unregistered<const NAME: usize> {
    theta: Vec<f64>,
    belief: Belief,
}

const NAMES: [&str; 2] = ["greedy", "my \"own\" rule"];

impl<const NAME: usize> Rule for Unregistered<NAME> {
    type Options = NoOptions;
    const INFO: &'static PolicyInfo =
        &PolicyInfo { name: NAMES[NAME], maker: PolicyMaker::of::<Self>(), ..policy_like() };

    fn new(problem: &Problem, _options: &NoOptions) -> optimist::Result<Self> {
        let belief = Belief::new(problem.dimension, problem.norm_bound, problem.delta)?;
        Ok(Self { theta: vec![0.0; problem.dimension], belief })
    }

    fn check(&self, _dimension: usize) -> optimist::Result<()> {
        Ok(())
    }

    fn pick(&mut self, _arms: &FiniteArms<'_>, _round: Round<'_>) -> optimist::Result<Pick> {
        Ok(Pick::bare(0))
    }

    fn learn(&mut self, _x: &[f64], _reward: f64) {}

    fn estimate(&self) -> &[f64] {
        &self.theta
    }

    fn belief(&self) -> Option<&Belief> {
        Some(&self.belief)
    }

    fn belief_mut(&mut self) -> Option<&mut Belief> {
        Some(&mut self.belief)
    }
}

fn unregistered<const NAME: usize>() -> Agent<Unregistered<NAME>> {
    Agent::new(&problem(), &NoOptions {}, Common::of::<Unregistered<NAME>>()).unwrap()
}

/// A document that says "greedy" is restored as a greedy policy, so that nothing else may say so.
#[test]
fn a_policy_under_anothers_name_is_not_stored() {
    let agent = unregistered::<0>();
    let refused = agent.save().unwrap_err();
    assert!(refused.to_string().contains("the policy \"greedy\" has the registered name of another one"), "{refused}");
    assert_eq!(agent.save_bytes().unwrap_err(), refused);
    let session = Session::new(Box::new(agent), 1);
    assert_eq!((session.save().unwrap_err(), session.save_bytes().unwrap_err()), (refused.clone(), refused));
    assert!(policy::build("greedy", &problem()).unwrap().save().is_ok());
}

/// A name that nobody has is written as it is; whoever reads the document must register it first.
#[test]
fn a_name_with_quotes_is_written_as_json() {
    let agent = unregistered::<1>();
    let document: serde_json::Value = serde_json::from_str(&agent.save().unwrap()).unwrap();
    assert_eq!(document["policy"], NAMES[1]);
    for unknown in [policy::restore(&agent.save().unwrap()), policy::restore_bytes(&agent.save_bytes().unwrap())] {
        assert!(matches!(unknown, Err(Error::UnknownName { field: "policy", .. })), "{unknown:?}");
    }
}

/// A radius that was never registered, under a name that is listed or under one that is only reserved.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct UnregisteredRadius<const NAME: usize>(Mixture);

impl<const NAME: usize> RegisteredStrategy for UnregisteredRadius<NAME> {
    const INFO: &'static RadiusInfo =
        &RadiusInfo { name: ["mixture", "excess"][NAME], maker: RadiusMaker::of::<Self>(), ..RADIUS_LIKE };

    fn build(problem: &Problem) -> optimist::Result<Self> {
        Mixture::new(problem).map(Self)
    }
}

impl<const NAME: usize> Strategy for UnregisteredRadius<NAME> {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee()
    }

    fn penalty(&self, observations: f64) -> Penalty {
        self.0.penalty(observations)
    }

    fn ridge(&self, observations: f64) -> f64 {
        self.0.ridge(observations)
    }

    fn level(&mut self, history: &History, estimate: &mut Estimator) -> f64 {
        self.0.level(history, estimate)
    }
}

#[test]
fn a_radius_under_anothers_name_is_not_stored() {
    let refuse = |radius: Radius| {
        let refused = serde_json::to_string(&Belief::with_radius(radius).unwrap()).unwrap_err().to_string();
        assert!(refused.contains("has the registered name of another one"), "{refused}");
    };
    refuse(UnregisteredRadius::<0>::build(&problem()).unwrap().into());
    refuse(UnregisteredRadius::<1>::build(&problem()).unwrap().into());
    for radius in [Radius::from(Mixture::new(&problem()).unwrap()), Radius::by_name("tight", &problem()).unwrap()] {
        assert!(serde_json::to_string(&radius).is_ok());
    }
}
