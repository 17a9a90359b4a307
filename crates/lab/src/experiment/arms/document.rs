//! Arms in stored documents.

use serde::{Deserialize, Serialize};

use super::{Arms, ArmsKind, Categories, Gaussian, List, Redraw, Sample, Table};
use crate::experiment::hybrid::{Context, Hybrid};

/// Arms as they are written in `experiment.json` and `summary.json`: the keys are those of experiment files.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum ArmsDocument {
    Own(OwnDocument),
    Plain(PlainDocument),
}

/// Kinds that are written as they are.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub(super) enum OwnDocument {
    Gaussian(Gaussian),
    Categories(Categories),
    Table(Table),
}

/// Kinds that share their keys.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlainDocument {
    kind: ArmsKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(default)]
    redraw: Redraw,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rates: Vec<f64>,
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

impl PlainDocument {
    /// Arms of which nothing but the kind is known.
    fn blank(kind: ArmsKind) -> Self {
        let (redraw, list, rates) = (Redraw::Run, Vec::new(), Vec::new());
        let (name, shared, own, context, written_out) = (None, None, None, None, None);
        Self { kind, count: None, redraw, list, rates, name, shared, own, context, written_out }
    }

    /// Arms with parameters of their own, if all keys of those are there.
    fn hybrid(&self) -> Option<Hybrid> {
        let Self { count, shared, own, context, written_out, .. } = *self;
        Some(Hybrid { count: count?, shared: shared?, own: own?, context: context?, written_out: written_out? })
    }

    fn has_hybrid_keys(&self) -> bool {
        self.shared.is_some() || self.own.is_some() || self.context.is_some() || self.written_out.is_some()
    }

    fn has_list_keys(&self) -> bool {
        !self.list.is_empty() || !self.rates.is_empty() || self.name.is_some()
    }

    /// A list, if the keys are those of one.
    fn list(self) -> Option<List> {
        let Self { count, redraw, list, rates, name, .. } = self;
        let has_rates = rates.is_empty() || rates.len() == list.len();
        let is_drawn = count.is_some_and(|count| (1..=list.len()).contains(&count));
        let fits = !list.is_empty() && has_rates && (is_drawn || count.is_none() && redraw == Redraw::Run);
        let sample = count.map(|count| Sample { count, redraw });
        fits.then(|| List { name, arms: list.into(), rates: rates.into(), sample })
    }
}

impl From<Arms> for ArmsDocument {
    fn from(arms: Arms) -> Self {
        let blank = PlainDocument::blank(arms.kind());
        Self::Plain(match arms {
            Arms::Gaussian(gaussian) => return Self::Own(OwnDocument::Gaussian(gaussian)),
            Arms::Categories(categories) => return Self::Own(OwnDocument::Categories(categories)),
            Arms::Table(table) => return Self::Own(OwnDocument::Table(table)),
            Arms::Drawn { count, redraw, .. } => PlainDocument { count: Some(count), redraw, ..blank },
            Arms::List(List { name, arms, rates, sample }) => PlainDocument {
                list: arms.to_vec(),
                rates: rates.to_vec(),
                name,
                count: sample.map(|sample| sample.count),
                redraw: sample.map_or(Redraw::Run, |sample| sample.redraw),
                ..blank
            },
            Arms::Ball | Arms::Sphere => blank,
            Arms::Hybrid(Hybrid { count, shared, own, context, written_out }) => PlainDocument {
                count: Some(count),
                redraw: Redraw::Round,
                shared: Some(shared),
                own: Some(own),
                context: Some(context),
                written_out: Some(written_out),
                ..blank
            },
        })
    }
}

impl TryFrom<ArmsDocument> for Arms {
    type Error = String;

    fn try_from(document: ArmsDocument) -> Result<Self, String> {
        match document {
            ArmsDocument::Own(OwnDocument::Gaussian(gaussian)) => Ok(Arms::Gaussian(gaussian)),
            ArmsDocument::Own(OwnDocument::Categories(categories)) => Ok(Arms::Categories(categories)),
            ArmsDocument::Own(OwnDocument::Table(table)) => Ok(Arms::Table(table)),
            ArmsDocument::Plain(document) => document.read(),
        }
    }
}

impl PlainDocument {
    fn read(self) -> Result<Arms, String> {
        let (kind, redraw, count, has_list_keys) = (self.kind, self.redraw, self.count, self.has_list_keys());
        match (kind, kind.shape(), count) {
            (ArmsKind::Hybrid, ..) if redraw == Redraw::Round && !has_list_keys => self.hybrid().map(Arms::Hybrid),
            _ if self.has_hybrid_keys() => None,
            (_, Some(shape), Some(count)) if !has_list_keys => Some(Arms::Drawn { shape, count, redraw }),
            (ArmsKind::List, ..) => self.list().map(Arms::List),
            (ArmsKind::Ball, None, None) if redraw == Redraw::Run && !has_list_keys => Some(Arms::Ball),
            (ArmsKind::Sphere, None, None) if redraw == Redraw::Run && !has_list_keys => Some(Arms::Sphere),
            _ => None,
        }
        .ok_or_else(|| unfit(kind))
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
            json!({"kind": "list", "redraw": "round", "count": 1, "list": [[1.0], [0.5]], "rates": [0.25, 0.5]}),
            json!({"kind": "gaussian", "count": 4, "redraw": "round", "correlation": 0.5, "form": "ar1"}),
            json!({"kind": "categories", "count": 4, "redraw": "run", "levels": [2, 1], "weights": [[0.5, 0.5], [1.0]]}),
            json!({"kind": "table", "name": "mine", "digest": "ab", "columns": ["a"], "order": "shuffle", "scale": "norm",
                   "rows": "context", "count": 3, "written_out": true, "width": 1, "features": [0.5, 1.0]}),
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
            json!({"kind": "list", "redraw": "round", "list": [[1.0]]}),
            json!({"kind": "list", "count": 2, "list": [[1.0]]}),
            json!({"kind": "list", "list": [[1.0]], "rates": [0.5, 0.5]}),
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
