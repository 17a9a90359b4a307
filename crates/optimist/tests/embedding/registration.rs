//! Registries: names that are taken, names that are nearly right.

use optimist::policy::{self, PolicyInfo};
use optimist::set::{Radius, RadiusInfo};
use optimist::{Error, Problem};

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

static IMPOSTOR_RADIUS: RadiusInfo = RadiusInfo {
    name: "mixture",
    summary: "",
    guaranteed: true,
    needs_norm_bound: false,
    unit_arms: false,
    needs_order: false,
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
