//! What may be played in an environment.

use std::fmt;

use serde::{Deserialize, Serialize};

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
        matches!(self, Arms::Drawn { .. })
    }

    /// Whether they change from round to round.
    pub(crate) fn is_changing(&self) -> bool {
        matches!(self, Arms::Drawn { redraw: Redraw::Round, .. })
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
            Arms::Drawn { count, .. } => Some(*count),
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
        }
    }
}

/// `ball-sample=40`, `list=mine`, `sphere`.
impl fmt::Display for Arms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().name())?;
        match self {
            Arms::Drawn { count, .. } => write!(f, "={count}"),
            Arms::List { name: Some(name), .. } => write!(f, "={name}"),
            Arms::List { name: None, arms } => write!(f, "={}", arms.len()),
            Arms::Ball | Arms::Sphere => Ok(()),
        }
    }
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
        }
    }

    /// From where arms are drawn, if they are.
    pub(super) fn shape(self) -> Option<Shape> {
        match self {
            ArmsKind::BallSample => Some(Shape::Ball),
            ArmsKind::SphereSample => Some(Shape::Sphere),
            ArmsKind::HalfBallSample => Some(Shape::HalfBall),
            ArmsKind::List | ArmsKind::Ball | ArmsKind::Sphere => None,
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
}

impl From<Arms> for ArmsDocument {
    fn from(arms: Arms) -> Self {
        let blank = Self { kind: arms.kind(), count: None, redraw: Redraw::Run, list: Vec::new(), name: None };
        match arms {
            Arms::Drawn { count, redraw, .. } => Self { count: Some(count), redraw, ..blank },
            Arms::List { name, arms } => Self { list: arms, name, ..blank },
            Arms::Ball | Arms::Sphere => blank,
        }
    }
}

impl TryFrom<ArmsDocument> for Arms {
    type Error = String;

    fn try_from(document: ArmsDocument) -> Result<Self, String> {
        let ArmsDocument { kind, count, redraw, list, name } = document;
        match (kind, kind.shape(), count) {
            (_, Some(shape), Some(count)) if list.is_empty() && name.is_none() => {
                Ok(Arms::Drawn { shape, count, redraw })
            }
            (ArmsKind::List, None, None) if redraw == Redraw::Run && !list.is_empty() => {
                Ok(Arms::List { name, arms: list })
            }
            (ArmsKind::Ball, None, None) if redraw == Redraw::Run && list.is_empty() => Ok(Arms::Ball),
            (ArmsKind::Sphere, None, None) if redraw == Redraw::Run && list.is_empty() => Ok(Arms::Sphere),
            _ => Err(format!("the keys of arms do not fit their kind, \"{}\"", kind.name())),
        }
    }
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
        ] {
            let error = serde_json::from_value::<Arms>(nonsense).unwrap_err().to_string();
            assert!(error.contains("do not fit their kind"), "{error}");
        }
    }
}
