//! The options that say what figures look like, made from the keys of style files.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use optimist_lab::report::{PLOT_KEYS, PlotKey, PlotOrder};

use crate::failure::Result;

/// The values of the options that were given.
pub(crate) struct LookArgs(Vec<(&'static str, Vec<String>)>);

impl LookArgs {
    /// Sets what was given.
    ///
    /// # Errors
    /// If a value is not allowed.
    pub(crate) fn apply(&self, order: &mut PlotOrder) -> Result<()> {
        for (key, values) in &self.0 {
            order.set(key, values).map_err(|error| match error {
                // Options are known with their dashes.
                optimist_lab::Error::Input(text) => optimist_lab::Error::Input(format!("--{text}")),
                other => other,
            })?;
        }
        Ok(())
    }
}

impl Args for LookArgs {
    fn augment_args(command: Command) -> Command {
        command.args(PLOT_KEYS.iter().map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn option(key: &'static PlotKey) -> Arg {
    let arg = Arg::new(key.name).long(key.name).help(key.help);
    if key.is_switch() {
        return arg.action(ArgAction::SetTrue);
    }
    let arg = arg.value_name(key.value).action(if key.many { ArgAction::Append } else { ArgAction::Set });
    let arg = if key.commas { arg.value_delimiter(',') } else { arg };
    if key.choices.is_empty() {
        return arg;
    }
    let values: Vec<PossibleValue> =
        key.choices.iter().map(|(name, meaning)| PossibleValue::new(*name).help(*meaning)).collect();
    arg.value_parser(values)
}

impl FromArgMatches for LookArgs {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, Error> {
        let given = |key: &PlotKey| -> Option<Vec<String>> {
            if key.is_switch() {
                return matches.get_flag(key.name).then(|| vec!["true".to_owned()]);
            }
            matches.get_many::<String>(key.name).map(|values| values.cloned().collect())
        };
        Ok(Self(PLOT_KEYS.iter().filter_map(|key| Some((key.name, given(key)?))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
