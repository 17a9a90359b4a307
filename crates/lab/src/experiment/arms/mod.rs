//! What may be played in an environment. Every kind that has keys of its own is a file.

mod categories;
mod document;
mod gaussian;
mod list;
mod table;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::categories::Categories;
use self::document::ArmsDocument;
pub use self::gaussian::{Form, Gaussian};
pub use self::list::{List, Sample};
pub use self::table::{Order, Rows, Scale, Table};
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
    List(List),
    /// The whole unit ball.
    Ball,
    /// The whole unit sphere.
    Sphere,
    /// Arms with parameters of their own, drawn every round.
    Hybrid(Hybrid),
    /// Normal features, correlated or not.
    Gaussian(Gaussian),
    /// Categories as ones and zeros.
    Categories(Categories),
    /// Rows of a table.
    Table(Table),
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
    /// Whether runs may have others than the first.
    pub(crate) fn is_drawn(&self) -> bool {
        match self {
            Arms::Drawn { .. } | Arms::Hybrid(_) | Arms::Gaussian(_) | Arms::Categories(_) | Arms::Table(_) => true,
            Arms::List(list) => list.sample.is_some(),
            Arms::Ball | Arms::Sphere => false,
        }
    }

    /// Whether they change from round to round.
    pub(crate) fn is_changing(&self) -> bool {
        matches!(self, Arms::Hybrid(_) | Arms::Table(_)) || self.redraw() == Some(Redraw::Round)
    }

    /// When they are drawn, if the user has the choice.
    pub(crate) fn redraw(&self) -> Option<Redraw> {
        match self {
            Arms::Drawn { redraw, .. }
            | Arms::Gaussian(Gaussian { redraw, .. })
            | Arms::Categories(Categories { redraw, .. }) => Some(*redraw),
            Arms::List(list) => list.sample.map(|sample| sample.redraw),
            Arms::Ball | Arms::Sphere | Arms::Hybrid(_) | Arms::Table(_) => None,
        }
    }

    /// Arms with parameters of their own, if they are such, however they are handed out.
    pub(crate) fn hybrid(&self) -> Option<Hybrid> {
        match self {
            Arms::Hybrid(hybrid) => Some(*hybrid),
            Arms::Table(table) => table.hybrid(),
            _ => None,
        }
    }

    /// The same, if they are handed out as such.
    pub(crate) fn as_hybrid(&self) -> Option<Hybrid> {
        self.hybrid().filter(|hybrid| !hybrid.written_out)
    }

    /// The arms that are given; none are if they are not a list.
    pub fn list(&self) -> &[Vec<f64>] {
        match self {
            Arms::List(list) => &list.arms,
            _ => &[],
        }
    }

    /// How many numbers are given.
    pub(crate) fn numbers(&self) -> usize {
        match self {
            Arms::List(list) => list.arms.iter().map(Vec::len).sum(),
            Arms::Table(table) => table.features.0.len(),
            _ => 0,
        }
    }

    /// The features of an arm, if the arms say how many there are.
    pub(crate) fn width(&self) -> Option<usize> {
        match self {
            Arms::List(list) => list.arms.first().map(Vec::len),
            Arms::Categories(categories) => Some(categories.width()),
            Arms::Table(table) => Some(table.hybrid().map_or(table.width, |hybrid| hybrid.dimension())),
            _ => None,
        }
    }

    /// How many are drawn, if they are drawn.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Arms::Drawn { count, .. }
            | Arms::Hybrid(Hybrid { count, .. })
            | Arms::Gaussian(Gaussian { count, .. })
            | Arms::Categories(Categories { count, .. })
            | Arms::Table(Table { count, .. }) => Some(*count),
            Arms::List(list) => list.sample.map(|sample| sample.count),
            Arms::Ball | Arms::Sphere => None,
        }
    }

    /// The same without the rows of a table, for those who want to know what they are and not all of them.
    pub(crate) fn without_rows(&self) -> Self {
        match self {
            Arms::Table(table) => Arms::Table(table.without_rows()),
            other => other.clone(),
        }
    }

    pub(crate) fn kind(&self) -> ArmsKind {
        match self {
            Arms::Drawn { shape: Shape::Ball, .. } => ArmsKind::BallSample,
            Arms::Drawn { shape: Shape::Sphere, .. } => ArmsKind::SphereSample,
            Arms::Drawn { shape: Shape::HalfBall, .. } => ArmsKind::HalfBallSample,
            Arms::List(_) => ArmsKind::List,
            Arms::Ball => ArmsKind::Ball,
            Arms::Sphere => ArmsKind::Sphere,
            Arms::Hybrid(_) => ArmsKind::Hybrid,
            Arms::Gaussian(_) => ArmsKind::Gaussian,
            Arms::Categories(_) => ArmsKind::Categories,
            Arms::Table(_) => ArmsKind::Table,
        }
    }
}

/// `ball-sample=40`, `list=mine`, `sphere`, `hybrid=10 shared=4 own=3`.
impl fmt::Display for Arms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().name())?;
        match self {
            Arms::Drawn { count, .. } => write!(f, "={count}"),
            Arms::List(list) => write!(f, "={list}"),
            Arms::Ball | Arms::Sphere => Ok(()),
            Arms::Hybrid(hybrid) => write_hybrid(f, hybrid),
            Arms::Gaussian(gaussian) => write!(f, "={gaussian}"),
            Arms::Categories(categories) => write!(f, "={categories}"),
            Arms::Table(table) => write!(f, "={table}"),
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
    Gaussian,
    Categories,
    Table,
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
            ArmsKind::Gaussian => "gaussian",
            ArmsKind::Categories => "categories",
            ArmsKind::Table => "table",
        }
    }

    /// From where arms are drawn, if they are.
    pub(in crate::experiment) fn shape(self) -> Option<Shape> {
        match self {
            ArmsKind::BallSample => Some(Shape::Ball),
            ArmsKind::SphereSample => Some(Shape::Sphere),
            ArmsKind::HalfBallSample => Some(Shape::HalfBall),
            _ => None,
        }
    }
}
