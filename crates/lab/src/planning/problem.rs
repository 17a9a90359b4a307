//! What is asked: options to choose from, what was observed, and the set to plan over.

use std::collections::HashMap;

use optimist::set::{Excess, Radius};
use optimist::{Belief, FiniteArms, Problem};

use crate::error::{Error, Result};
use crate::input::{Keys, Node, Object, parse_json, shorten, suggest};

const SET_NAMES: &[&str] = &["radius", "norm_bound", "delta"];
const PROBLEM_KEYS: Keys =
    Keys { here: &["dimension", "arms", "ids", "observations", "set", "tolerance"], below: Some(("set", SET_NAMES)) };
const OBSERVATION_KEYS: Keys = Keys { here: &["x", "reward", "count"], below: None };
const EXCESS_NAMES: &[&str] = &["excess", "ridge"];
const SET_KEYS: Keys = Keys { here: SET_NAMES, below: Some(("radius", EXCESS_NAMES)) };
const EXCESS_KEYS: Keys = Keys { here: EXCESS_NAMES, below: None };

const DEFAULT_DELTA: f64 = 0.05;
const DEFAULT_TOLERANCE: f64 = 1e-9;
/// More features than this are a mistake: a single matrix of their products would fill a large machine.
const MOST_FEATURES: u64 = 100_000;
/// Whole numbers up to here are exact as doubles.
const MOST_OBSERVATIONS: u64 = 1 << 53;
/// Features and norm bounds beyond this are a mistake of scale, and their squares would swamp everything else.
const LARGEST: f64 = 1e6;
/// Matrices of that many features squared which a belief and a solver hold between them, rounded up.
const MATRICES: usize = 24;

/// A problem that has passed all checks.
#[derive(Debug)]
pub struct PlanInput {
    /// The options.
    pub(super) arms: FiniteArms<'static>,
    /// Their names, if the user gave any.
    pub(super) ids: Option<Vec<String>>,
    /// What the observations allow to believe.
    pub(super) belief: Belief,
    /// Whether an entry stands for several observations, so that their order is not known.
    pub(super) has_counts: bool,
    /// Whether observed features of norm one but for rounding were brought to norm one.
    pub(super) unit_arms: bool,
    /// Largest relative gap of a solve.
    pub(super) tolerance: f64,
}

impl PlanInput {
    /// How many arms there are.
    pub fn arms(&self) -> usize {
        self.arms.len()
    }

    /// Reads and checks a problem.
    ///
    /// # Errors
    /// If anything is wrong with it; the message names the place and the remedy.
    pub fn read(text: &str) -> Result<Self> {
        let document = parse_json(text)?;
        let problem = document.object(&PROBLEM_KEYS)?;
        let dimension = read_dimension(&problem)?;
        let arms = read_arms(&problem, dimension)?;
        let ids = read_ids(&problem, arms.len())?;
        let tolerance = read_tolerance(&problem)?;
        let radius = read_radius(&problem, dimension)?;
        let mut belief = Belief::with_radius(radius).map_err(|e| Error::Input(e.to_string()))?;
        let has_counts = read_observations(&problem, &mut belief)?;
        let unit_arms = needs_unit_arms(&belief);
        Ok(Self { arms, ids, belief, has_counts, unit_arms, tolerance })
    }
}

fn read_dimension(problem: &Object<'_, '_>) -> Result<usize> {
    let node = problem.require("dimension", "give the number of features of an arm")?;
    Ok(node.whole(MOST_FEATURES)? as usize)
}

fn read_arms(problem: &Object<'_, '_>, dimension: usize) -> Result<FiniteArms<'static>> {
    let node = problem.require("arms", "give a list of feature vectors to choose from")?;
    let mut features = Vec::new();
    let rows = node.list(|arm| arm.vector(dimension, LARGEST, &mut features))?;
    if rows.is_empty() {
        return Err(node.refuse("is empty: give at least one feature vector"));
    }
    check_memory(problem, dimension)?;
    FiniteArms::new(dimension, features).map_err(|e| Error::Input(e.to_string()))
}

/// An allocation that fails aborts the program without a word, so a large one is tried beforehand.
fn check_memory(problem: &Object<'_, '_>, dimension: usize) -> Result<()> {
    let numbers = MATRICES * dimension * dimension;
    if Vec::<f64>::new().try_reserve_exact(numbers).is_ok() {
        return Ok(());
    }
    let gigabytes = (numbers * size_of::<f64>()) as f64 / 1e9;
    let node = problem.require("dimension", "")?;
    Err(node.refuse(format_args!(
        "is {dimension}: planning needs about {gigabytes:.0} GB of memory, more than there is; use fewer features"
    )))
}

fn read_ids(problem: &Object<'_, '_>, arms: usize) -> Result<Option<Vec<String>>> {
    let Some(node) = problem.get("ids").filter(|node| !node.is_null()) else { return Ok(None) };
    let mut seen = HashMap::new();
    let ids = node.list(|id| read_id(&id, &mut seen))?;
    if ids.len() != arms {
        let got = ids.len();
        return Err(node.refuse(format_args!("has length {got}: it must be {arms}, one name for each arm")));
    }
    Ok(Some(ids))
}

/// A name that is not among those already `seen`, each with its index.
fn read_id(id: &Node<'_, '_>, seen: &mut HashMap<String, usize>) -> Result<String> {
    let (name, index) = (id.text()?, seen.len());
    let Some(first) = seen.insert(name.clone(), index) else { return Ok(name) };
    let shown = shorten(&name);
    Err(id.refuse(format_args!("is \"{shown}\", as is ids[{first}]: give each arm a name of its own")))
}

fn read_tolerance(problem: &Object<'_, '_>) -> Result<f64> {
    let Some(node) = problem.get("tolerance") else { return Ok(DEFAULT_TOLERANCE) };
    let tolerance = node.number()?;
    if (1e-12..=1e-2).contains(&tolerance) { Ok(tolerance) } else { Err(node.must_be("from 1e-12 to 1e-2")) }
}

fn read_radius(problem: &Object<'_, '_>, dimension: usize) -> Result<Radius> {
    let default = Radius::all()[0].name;
    let mut options = Problem { dimension, delta: DEFAULT_DELTA, norm_bound: None };
    let Some(node) = problem.get("set") else {
        return Radius::by_name(default, &options).map_err(|e| Error::Input(format!("set: {e}")));
    };
    let set = node.object(&SET_KEYS)?;
    read_options(&set, &mut options)?;
    let name = match set.get("radius") {
        Some(radius) if radius.is_object() => return read_excess(&radius, &options),
        Some(radius) => read_name(&radius)?,
        None => default.to_owned(),
    };
    Radius::by_name(&name, &options).map_err(|e| node.refuse_field(&e))
}

fn read_options(set: &Object<'_, '_>, options: &mut Problem) -> Result<()> {
    if let Some(delta) = set.get("delta") {
        options.delta = delta.number()?;
        if !(options.delta > 0.0 && options.delta < 1.0) {
            return Err(delta.must_be("strictly between 0 and 1, for instance 0.05"));
        }
    }
    if let Some(bound) = set.get("norm_bound").filter(|bound| !bound.is_null()) {
        let value = bound.number()?;
        if !(1.0 / LARGEST..=LARGEST).contains(&value) {
            return Err(bound.must_be("positive (1e-6 to 1e6), or null if no bound on the norm is known"));
        }
        options.norm_bound = Some(value);
    }
    Ok(())
}

fn read_name(radius: &Node<'_, '_>) -> Result<String> {
    let name = radius.text()?;
    let names: Vec<&str> = Radius::all().iter().map(|info| info.name).collect();
    if names.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(radius.refuse(format_args!("is \"{}\", which is no radius: {}", shorten(&name), suggest(&name, &names))))
}

fn read_excess(radius: &Node<'_, '_>, options: &Problem) -> Result<Radius> {
    let object = radius.object(&EXCESS_KEYS)?;
    let excess =
        object.require("excess", "give how far above its least value the loss may lie")?.number_within(LARGEST)?;
    let ridge = object.get("ridge").map_or(Ok(0.0), |node| node.number_within(LARGEST))?;
    Excess::new(excess, ridge, options).map(Radius::from).map_err(|e| radius.refuse_field(&e))
}

fn needs_unit_arms(belief: &Belief) -> bool {
    belief.feature_bound() == 1.0
}

/// Whether a count exceeds one.
fn read_observations(problem: &Object<'_, '_>, belief: &mut Belief) -> Result<bool> {
    let Some(node) = problem.get("observations") else { return Ok(false) };
    let mut x = Vec::new();
    let counts = node.list(|observation| read_observation(&observation, belief, &mut x))?;
    Ok(counts.into_iter().any(|count| count > 1))
}

/// Its count.
fn read_observation(node: &Node<'_, '_>, belief: &mut Belief, x: &mut Vec<f64>) -> Result<u64> {
    let observation = node.object(&OBSERVATION_KEYS)?;
    x.clear();
    observation.require("x", "give the features of the arm that was played")?.vector(belief.dimension(), LARGEST, x)?;
    if needs_unit_arms(belief) {
        // A unit vector written in few digits is meant as one.
        optimist::arms::normalise(x);
    }
    let reward_node = observation.require("reward", "give the outcome, from 0 to 1")?;
    let reward = reward_node.number()?;
    if !(0.0..=1.0).contains(&reward) {
        return Err(reward_node.must_be("from 0 to 1: the outcome of each of the count observations, not their sum"));
    }
    let count = observation.get("count").map_or(Ok(1), |count| count.whole(MOST_OBSERVATIONS))?;
    belief.observe_many(x, reward, count).map_err(|e| node.refuse_field(&e))?;
    Ok(count)
}
