//! What may be played in an environment.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::hybrid::{Context, Hybrid};

/// What may be played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ArmsDocument", into = "ArmsDocument")]
pub enum Arms {
    /// Drawn uniformly.
    Drawn {
        /// From where.
        shape: Shape,
        /// How many.
        count: usize,
        /// When.
        redraw: Redraw,
    },
    /// Given.
    List {
        /// What the list is called, by which lists of the same length are told apart.
        name: Option<String>,
        /// The arms.
        arms: Vec<Vec<f64>>,
    },
    /// The whole unit ball.
    Ball,
    /// The whole unit sphere.
    Sphere,
    /// Arms with parameters of their own, drawn every round.
    Hybrid(Hybrid),
}

/// From where arms are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The unit ball.
    Ball,
    /// The unit sphere.
    Sphere,
    /// The half of the unit ball on which x'theta* <= 0.
    HalfBall,
}

/// When arms are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Redraw {
    /// Once a run.
    #[default]
    Run,
    /// Afresh every round.
    Round,
}

impl Arms {
    /// Whether every run draws its own.
    pub(crate) fn is_drawn(&self) -> bool {
        matches!(self, Arms::Drawn { .. } | Arms::Hybrid(_))
    }

    /// Whether they change from round to round.
    pub(crate) fn is_changing(&self) -> bool {
        matches!(self, Arms::Drawn { redraw: Redraw::Round, .. } | Arms::Hybrid(_))
    }

    /// Arms with parameters of their own, if they are such, however they are handed out.
    pub(crate) fn hybrid(&self) -> Option<&Hybrid> {
        match self {
            Arms::Hybrid(hybrid) => Some(hybrid),
            _ => None,
        }
    }

    /// The same, if they are handed out as such.
    pub(crate) fn as_hybrid(&self) -> Option<&Hybrid> {
        self.hybrid().filter(|hybrid| !hybrid.written_out)
    }

    /// The arms that are given; none are if they are not a list.
    pub fn list(&self) -> &[Vec<f64>] {
        match self {
            Arms::List { arms, .. } => arms,
            _ => &[],
        }
    }

    /// How many are drawn, if they are drawn.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Arms::Drawn { count, .. } | Arms::Hybrid(Hybrid { count, .. }) => Some(*count),
            _ => None,
        }
    }

    pub(crate) fn kind(&self) -> ArmsKind {
        match self {
            Arms::Drawn { shape: Shape::Ball, .. } => ArmsKind::BallSample,
            Arms::Drawn { shape: Shape::Sphere, .. } => ArmsKind::SphereSample,
            Arms::Drawn { shape: Shape::HalfBall, .. } => ArmsKind::HalfBallSample,
            Arms::List { .. } => ArmsKind::List,
            Arms::Ball => ArmsKind::Ball,
            Arms::Sphere => ArmsKind::Sphere,
            Arms::Hybrid(_) => ArmsKind::Hybrid,
        }
    }
}

/// `ball-sample=40`, `list=mine`, `sphere`, `hybrid=10 shared=4 own=3`.
impl fmt::Display for Arms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().name())?;
        match self {
            Arms::Drawn { count, .. } => write!(f, "={count}"),
            Arms::List { name: Some(name), .. } => write!(f, "={name}"),
            Arms::List { name: None, arms } => write!(f, "={}", arms.len()),
            Arms::Ball | Arms::Sphere => Ok(()),
            Arms::Hybrid(hybrid) => write_hybrid(f, hybrid),
        }
    }
}

fn write_hybrid(f: &mut fmt::Formatter<'_>, hybrid: &Hybrid) -> fmt::Result {
    let Hybrid { count, shared, own, context, written_out } = hybrid;
    write!(f, "={count} shared={shared} own={own}")?;
    if *context == Context::Each {
        f.write_str(" context=each")?;
    }
    if *written_out {
        f.write_str(" written_out")?;
    }
    Ok(())
}

/// The word for arms in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ArmsKind {
    BallSample,
    SphereSample,
    HalfBallSample,
    List,
    Ball,
    Sphere,
    Hybrid,
}

impl ArmsKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ArmsKind::BallSample => "ball-sample",
            ArmsKind::SphereSample => "sphere-sample",
            ArmsKind::HalfBallSample => "half-ball-sample",
            ArmsKind::List => "list",
            ArmsKind::Ball => "ball",
            ArmsKind::Sphere => "sphere",
            ArmsKind::Hybrid => "hybrid",
        }
    }

    /// From where arms are drawn, if they are.
    pub(super) fn shape(self) -> Option<Shape> {
        match self {
            ArmsKind::BallSample => Some(Shape::Ball),
            ArmsKind::SphereSample => Some(Shape::Sphere),
            ArmsKind::HalfBallSample => Some(Shape::HalfBall),
            ArmsKind::List | ArmsKind::Ball | ArmsKind::Sphere | ArmsKind::Hybrid => None,
        }
    }
}

/// Arms as they are written in `experiment.json` and `summary.json`: the keys are those of experiment files.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArmsDocument {
    kind: ArmsKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(default)]
    redraw: Redraw,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shared: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Context>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written_out: Option<bool>,
}

impl ArmsDocument {
    /// Arms of which nothing but the kind is known.
    fn blank(kind: ArmsKind) -> Self {
        let (redraw, list) = (Redraw::Run, Vec::new());
        Self { kind, count: None, redraw, list, name: None, shared: None, own: None, context: None, written_out: None }
    }

    /// Arms with parameters of their own, if all keys of those are there.
    fn hybrid(&self) -> Option<Hybrid> {
        let Self { count, shared, own, context, written_out, .. } = *self;
        Some(Hybrid { count: count?, shared: shared?, own: own?, context: context?, written_out: written_out? })
    }

    fn has_hybrid_keys(&self) -> bool {
        self.shared.is_some() || self.own.is_some() || self.context.is_some() || self.written_out.is_some()
    }
}

impl From<Arms> for ArmsDocument {
    fn from(arms: Arms) -> Self {
        let blank = Self::blank(arms.kind());
        match arms {
            Arms::Drawn { count, redraw, .. } => Self { count: Some(count), redraw, ..blank },
            Arms::List { name, arms } => Self { list: arms, name, ..blank },
            Arms::Ball | Arms::Sphere => blank,
            Arms::Hybrid(Hybrid { count, shared, own, context, written_out }) => Self {
                count: Some(count),
                redraw: Redraw::Round,
                shared: Some(shared),
                own: Some(own),
                context: Some(context),
                written_out: Some(written_out),
                ..blank
            },
        }
    }
}

impl TryFrom<ArmsDocument> for Arms {
    type Error = String;

    fn try_from(document: ArmsDocument) -> Result<Self, String> {
        let (hybrid, has_hybrid_keys) = (document.hybrid(), document.has_hybrid_keys());
        let ArmsDocument { kind, count, redraw, list, name, .. } = document;
        match (kind, kind.shape(), count) {
            (ArmsKind::Hybrid, ..) if redraw == Redraw::Round && list.is_empty() && name.is_none() => {
                hybrid.map(Arms::Hybrid).ok_or_else(|| unfit(kind))
            }
            _ if has_hybrid_keys => Err(unfit(kind)),
            (_, Some(shape), Some(count)) if list.is_empty() && name.is_none() => {
                Ok(Arms::Drawn { shape, count, redraw })
            }
            (ArmsKind::List, None, None) if redraw == Redraw::Run && !list.is_empty() => {
                Ok(Arms::List { name, arms: list })
            }
            (ArmsKind::Ball, None, None) if redraw == Redraw::Run && list.is_empty() => Ok(Arms::Ball),
            (ArmsKind::Sphere, None, None) if redraw == Redraw::Run && list.is_empty() => Ok(Arms::Sphere),
            _ => Err(unfit(kind)),
        }
    }
}

fn unfit(kind: ArmsKind) -> String {
    format!("the keys of arms do not fit their kind, \"{}\"", kind.name())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_read_back_and_nonsense_is_refused() {
        for document in [
            json!({"kind": "ball-sample", "count": 4, "redraw": "round"}),
            json!({"kind": "half-ball-sample", "count": 4, "redraw": "run"}),
            json!({"kind": "list", "redraw": "run", "list": [[1.0, 0.0]], "name": "mine"}),
            json!({"kind": "sphere", "redraw": "run"}),
            json!({"kind": "hybrid", "count": 5, "redraw": "round", "shared": 0, "own": 3, "context": "each",
                   "written_out": true}),
        ] {
            let arms: Arms = serde_json::from_value(document.clone()).unwrap();
            assert_eq!(serde_json::to_value(arms).unwrap(), document);
        }
        for nonsense in [
            json!({"kind": "ball-sample"}),
            json!({"kind": "ball", "count": 3}),
            json!({"kind": "list"}),
            json!({"kind": "sphere", "redraw": "round"}),
            json!({"kind": "sphere-sample", "count": 3, "list": [[1.0]]}),
            json!({"kind": "sphere-sample", "count": 3, "own": 1}),
            json!({"kind": "hybrid", "count": 5, "redraw": "round", "own": 3, "context": "each", "written_out": true}),
            json!({"kind": "hybrid", "count": 5, "redraw": "run", "shared": 0, "own": 3, "context": "each",
                   "written_out": true}),
        ] {
            let error = serde_json::from_value::<Arms>(nonsense).unwrap_err().to_string();
            assert!(error.contains("do not fit their kind"), "{error}");
        }
    }
}
