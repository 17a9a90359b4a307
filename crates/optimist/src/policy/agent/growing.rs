//! Features that are added to what an agent knows.

use super::Agent;
use crate::error::{Error, Result, check_dimension_size};
use crate::policy::rule::Rule;
use crate::policy::shortlist::Shortlist;

impl<R: Rule> Agent<R> {
    /// [`Policy::grow`](crate::policy::Policy::grow) for a copy, which may not be used if this fails.
    pub(super) fn take_in(&mut self, dimension: usize, own: usize) -> Result<()> {
        let (d, q) = (self.problem.dimension, self.rule.own_features());
        let p = d - q;
        self.check_size(dimension, own)?;
        self.latest.take();
        self.rule.grow(&mut self.options, dimension, own)?;
        if let Some(belief) = &mut self.certifier {
            belief.grow(dimension)?;
        }
        self.problem.dimension = dimension;
        self.plays.grow((p, dimension - own), dimension);
        // Lists are others now, and the memory for answers is too small.
        self.shortlist = Shortlist::default();
        self.answers = None;
        self.limit_memory()
    }

    fn check_size(&self, dimension: usize, own: usize) -> Result<()> {
        check_dimension_size("dimension", dimension)?;
        let (d, q) = (self.problem.dimension, self.rule.own_features());
        let refused = |field: &str, what: String| Err(Error::Option { field: field.into(), what });
        if own > dimension {
            return refused("own", format!("is {own}: it must be at most the dimension, {dimension}"));
        }
        if q == 0 && own > 0 {
            let what =
                format!("is {own}: \"{}\" was built without own features; build it anew with option own", R::INFO.name);
            return refused("own", what);
        }
        if own < q {
            return refused("own", format!("is {own}: it must be at least {q}, features cannot be taken away"));
        }
        let (shared, p) = (dimension - own, d - q);
        if shared < p {
            let what = format!(
                "is {dimension}, with {own} own features: {shared} would be shared and it must be at least {p}, features \
                 cannot be taken away"
            );
            return refused("dimension", what);
        }
        if q > 0 && p == 0 && shared > 0 {
            let what = format!(
                "is {dimension}, with {own} own features: \"{}\" was built as one model per arm, which share nothing; \
                 give the new features to every arm (own = {dimension}), or build it anew",
                R::INFO.name
            );
            return refused("dimension", what);
        }
        Ok(())
    }
}
