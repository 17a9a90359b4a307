//! Which numbers a row holds: a constant, coordinates of the context and of the action, and products of these; those that meet
//! shared parameters first, those that meet the action's own after them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::encoder::Encoder;
use crate::error::{Error, Result, known_names};
use crate::settings::{Settings, Structure};

/// A coordinate of one of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Source {
    Context(u32),
    Action(u32),
}

/// What one number of a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Term {
    Constant,
    One(Source),
    Product(Source, Source),
}

impl Term {
    /// Whether it differs between actions.
    fn varies(self) -> bool {
        matches!(
            self,
            Term::One(Source::Action(_)) | Term::Product(Source::Action(_), _) | Term::Product(_, Source::Action(_))
        )
    }
}

/// A column of one of the two sides, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Side {
    Context(usize),
    Action(usize),
}

/// What belongs where, in columns: from this follow the terms, also of coordinates that come later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Outline {
    /// Whether there are shared parameters.
    shared: bool,
    /// Whether actions have parameters of their own: at least a constant's.
    has_own: bool,
    /// Whether all columns of the context meet parameters of the action's own.
    own_all: bool,
    /// Columns of the context that do, by name.
    own: Vec<String>,
    /// Pairs of columns whose products count.
    products: Vec<(Side, Side)>,
}

/// The terms of a row, and what they are multiplied by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Layout {
    outline: Outline,
    shared: Vec<Term>,
    own: Vec<Term>,
    /// What a constant is written as: as large as the largest norm of the rest, because a one beside many standardised numbers
    /// would need a parameter that every prior finds unlikely.
    constant: f64,
    /// What every number is multiplied by, so that rows have norm one at most; longer ones are shortened to that.
    factor: f64,
}

/// Rows may be longer by so much than those of the warm-up before they are shortened.
const SLACK: f64 = 1.25;

impl Layout {
    /// The layout that settings ask for.
    pub(crate) fn new(settings: &Settings, context: &Encoder, action: &Encoder) -> Result<Self> {
        let outline = Outline::new(settings, context, action)?;
        let mut this = Self { outline, shared: Vec::new(), own: Vec::new(), constant: 1.0, factor: 1.0 };
        this.complete(context, action);
        Ok(this)
    }

    /// Appends the terms of coordinates that have come since.
    pub(crate) fn complete(&mut self, context: &Encoder, action: &Encoder) {
        let append = |terms: &mut Vec<Term>, wanted: Vec<Term>| {
            let known: BTreeSet<Term> = terms.iter().copied().collect();
            terms.extend(wanted.into_iter().filter(|term| !known.contains(term)));
        };
        append(&mut self.shared, self.outline.shared_terms(context, action));
        append(&mut self.own, self.outline.own_terms(context));
    }

    /// Chooses the constant and the factor for rows whose rest, without constants, has norm `largest` at most.
    pub(crate) fn scale(&mut self, largest: f64) {
        self.constant = if largest > 0.0 { largest } else { 1.0 };
        let constants = [&self.shared, &self.own].into_iter().filter(|terms| terms.contains(&Term::Constant)).count();
        let rest = SLACK * largest;
        self.factor = 1.0 / (constants as f64 * self.constant * self.constant + rest * rest).sqrt();
    }

    /// Numbers that meet shared parameters.
    pub(crate) fn shared(&self) -> usize {
        self.shared.len()
    }

    /// Numbers that meet the action's own.
    pub(crate) fn own(&self) -> usize {
        self.own.len()
    }

    /// Numbers of a row.
    pub(crate) fn dimension(&self) -> usize {
        self.shared.len() + self.own.len()
    }

    /// Whether rows differ between actions.
    pub(crate) fn varies(&self) -> bool {
        self.terms().any(Term::varies)
    }

    fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        self.shared.iter().chain(&self.own).copied()
    }

    /// Writes a row; what does not depend on the action is taken from `base`, the row of another action, if there is one.
    pub(crate) fn fill(&self, context: &[f64], action: &[f64], base: Option<&[f64]>, out: &mut [f64]) {
        let value = |source| match source {
            Source::Context(i) => context[i as usize],
            Source::Action(i) => action[i as usize],
        };
        if let Some(base) = base {
            out.copy_from_slice(base);
        }
        for (out, term) in out.iter_mut().zip(self.terms()) {
            if base.is_some() && !term.varies() {
                continue;
            }
            *out = self.factor
                * match term {
                    Term::Constant => self.constant,
                    Term::One(source) => value(source),
                    Term::Product(a, b) => value(a) * value(b),
                };
        }
    }

    /// Shortens a row to norm one, if it is longer, and says whether it was.
    pub(crate) fn shorten(row: &mut [f64]) -> bool {
        let square: f64 = row.iter().map(|v| v * v).sum();
        if square > 1.0 {
            // A hair below one, so that rounding leaves none above.
            let factor = (1.0 - 1e-15) / square.sqrt();
            row.iter_mut().for_each(|v| *v *= factor);
        }
        square > 1.0
    }

    /// The norm of a row without its constants, before any factor.
    pub(crate) fn rest_norm(&self, row: &[f64]) -> f64 {
        let rest = |(v, term): (&f64, Term)| if term == Term::Constant { 0.0 } else { v * v };
        row.iter().zip(self.terms()).map(rest).sum::<f64>().sqrt() / self.factor
    }

    /// What each number of a row is called.
    pub(crate) fn names(&self, context: &Encoder, action: &Encoder) -> Vec<String> {
        let one = |source: Source| match source {
            Source::Context(i) => context.names()[i as usize].clone(),
            Source::Action(i) => action.names()[i as usize].clone(),
        };
        let name = |term: Term| match term {
            Term::Constant => "constant".to_owned(),
            Term::One(source) => one(source),
            Term::Product(a, b) => format!("{}:{}", one(a), one(b)),
        };
        let shared = self.shared.iter().map(|term| name(*term));
        shared.chain(self.own.iter().map(|term| format!("{} (own)", name(*term)))).collect()
    }

    /// What was decided, in a sentence.
    pub(crate) fn describe(&self) -> String {
        let what = match (self.shared(), self.own()) {
            (p, 0) => format!("all actions share {p} parameters"),
            (0, q) => format!("each action has {q} parameters of its own, and none is shared"),
            (p, q) => format!("all actions share {p} parameters, and each has {q} of its own"),
        };
        format!(
            "{what}; a constant is written as {:.4}, every row is multiplied by {:.4}, and one longer than 1 is shortened to that \
             (no bounds are given then, nor where a number was cut, and sets do not learn from it)",
            self.constant, self.factor
        )
    }

    /// Checks a stored state.
    pub(crate) fn is_sound(&self, context: &Encoder, action: &Encoder) -> bool {
        let inside = |source: Source| match source {
            Source::Context(i) => (i as usize) < context.dimension(),
            Source::Action(i) => (i as usize) < action.dimension(),
        };
        let fits = |term: Term| match term {
            Term::Constant => true,
            Term::One(a) => inside(a),
            Term::Product(a, b) => inside(a) && inside(b),
        };
        let own = |term: &Term| !term.varies();
        let positive = |v: f64| v > 0.0 && v.is_finite();
        self.outline.is_sound(context, action)
            && self.terms().all(fits)
            && self.own.iter().all(own)
            && positive(self.constant)
            && positive(self.factor)
    }
}

impl Outline {
    fn new(settings: &Settings, context: &Encoder, action: &Encoder) -> Result<Self> {
        let featured = action.dimension() > 0;
        let structure = settings.model.unwrap_or(if featured { Structure::Hybrid } else { Structure::Disjoint });
        let inferred = settings.context.is_none();
        let column = |name: &str| {
            let own = context.position(name).map(Side::Context);
            own.or(action.position(name).map(Side::Action))
        };
        let unknown = |field: &str, name: &str| {
            let names = context.columns().chain(action.columns()).map(|column| column.name.as_str());
            Error::setting(field, format!("names the column \"{name}\": {}", known_names(name, names)))
        };
        let mut own = match &settings.own {
            Some(names) => names.clone(),
            None => Vec::new(),
        };
        let mut products = Vec::new();
        for interaction in &settings.interactions {
            let Some((a, b)) = interaction.split_once(':').filter(|(_, b)| !b.contains(':')) else {
                let what = format!(
                    "holds \"{interaction}\": write two columns with a colon between them, such as device:price"
                );
                return Err(Error::setting("interactions", what));
            };
            match (a, b) {
                (name, "action") | ("action", name) => own.push(name.into()),
                (a, b) => match (column(a), column(b)) {
                    (Some(first), Some(second)) => {
                        let of_action = [first, second].iter().any(|side| matches!(side, Side::Action(_)));
                        if structure == Structure::Disjoint && of_action {
                            let what = format!(
                                "holds \"{interaction}\", a product with a feature of the actions: a disjoint model shares no \
                                 parameter that it could meet; use model = \"hybrid\""
                            );
                            return Err(Error::setting("interactions", what));
                        }
                        products.push((first, second));
                    }
                    // A column that is inferred may come later in the warm-up.
                    _ if inferred => {}
                    (None, _) => return Err(unknown("interactions", a)),
                    (_, None) => return Err(unknown("interactions", b)),
                },
            }
        }
        if let Some(name) = own.iter().find(|name| !inferred && context.position(name).is_none()) {
            return Err(unknown("own", name));
        }
        let own_all = structure != Structure::Shared && settings.own.is_none();
        if structure == Structure::Shared && !featured && own.is_empty() {
            return Err(Error::setting(
                "model",
                "is \"shared\", but actions have no features and nothing tells them apart: give features, an interaction such as \
                 device:action, or use \"disjoint\"",
            ));
        }
        let has_own = structure != Structure::Shared || !own.is_empty();
        Ok(Self { shared: structure != Structure::Disjoint, has_own, own_all, own, products })
    }

    /// Checks a stored state: the columns are there.
    fn is_sound(&self, context: &Encoder, action: &Encoder) -> bool {
        let inside = |side: &Side| match side {
            Side::Context(i) => *i < context.columns().count(),
            Side::Action(i) => *i < action.columns().count(),
        };
        self.products.iter().all(|(a, b)| inside(a) && inside(b))
    }

    fn shared_terms(&self, context: &Encoder, action: &Encoder) -> Vec<Term> {
        if !self.shared {
            return Vec::new();
        }
        let contexts = (0..context.dimension() as u32).map(|i| Term::One(Source::Context(i)));
        let actions = (0..action.dimension() as u32).map(|i| Term::One(Source::Action(i)));
        let products = self.products.iter().flat_map(|(a, b)| product_terms(*a, *b, context, action));
        [Term::Constant].into_iter().chain(contexts).chain(actions).chain(products).collect()
    }

    fn own_terms(&self, context: &Encoder) -> Vec<Term> {
        if !self.has_own {
            return Vec::new();
        }
        let of_own = |(i, name): (usize, &str)| {
            let counts = self.own_all || self.own.iter().any(|own| own == name);
            if counts { context.coordinates(i) } else { Vec::new() }
        };
        let names = context.columns().map(|column| column.name.as_str()).enumerate();
        let mut coordinates: Vec<u32> = names.flat_map(of_own).collect();
        coordinates.sort_unstable();
        let ones = coordinates.into_iter().map(|i| Term::One(Source::Context(i)));
        let among_contexts = |pair: &&(Side, Side)| matches!(pair, (Side::Context(_), Side::Context(_)));
        let products = self.products.iter().filter(among_contexts).filter(|_| self.own_all);
        let products = products.flat_map(|(a, b)| product_terms(*a, *b, context, context));
        [Term::Constant].into_iter().chain(ones).chain(products).collect()
    }
}

fn product_terms(a: Side, b: Side, context: &Encoder, action: &Encoder) -> Vec<Term> {
    let sources = |side| -> Vec<Source> {
        match side {
            Side::Context(i) => context.coordinates(i).into_iter().map(Source::Context).collect(),
            Side::Action(i) => action.coordinates(i).into_iter().map(Source::Action).collect(),
        }
    };
    let second = sources(b);
    sources(a).into_iter().flat_map(|a| second.iter().map(move |b| Term::Product(a, *b))).collect()
}
