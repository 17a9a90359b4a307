//! What the user calls environments: one text, a list of texts, or a text with settings in braces.

use std::collections::HashSet;

use super::table::Field;
use crate::error::Result;
use crate::experiment::Environment;
use crate::experiment::settings::value_of;
use crate::input::{nearest, quoted, shown_text};

/// Gives the environments their labels.
pub(super) fn apply(field: &Field<'_, '_>, environments: &mut [Environment]) -> Result<()> {
    let texts = field.texts()?;
    let (given, wanted) = (texts.len(), environments.len());
    if given != 1 && given != wanted {
        return Err(field.refuse(format_args!(
            "has {given} labels: there {} (the key written first varies slowest); give as many labels, or one text with \
             settings in braces",
            count(wanted)
        )));
    }
    let mut labels = HashSet::new();
    for (i, environment) in environments.iter_mut().enumerate() {
        let label = filled(field, &texts[i % given], environment)?;
        if !labels.insert(label.clone()) {
            return Err(repeated(field, &label, wanted));
        }
        environment.label = Some(label);
    }
    Ok(())
}

fn count(environments: usize) -> String {
    if environments == 1 { "is 1 environment".to_owned() } else { format!("are {environments} environments") }
}

fn repeated(field: &Field<'_, '_>, label: &str, environments: usize) -> crate::Error {
    field.refuse(format_args!(
        "calls two of the {environments} environments {}: give a list of different labels, or put into braces what varies, \
         such as \"kappa {{kappa}}\"",
        shown_text(label)
    ))
}

/// A label with the values of settings in place of their names in braces.
fn filled(field: &Field<'_, '_>, text: &str, environment: &Environment) -> Result<String> {
    let (mut label, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err(field.refuse(format_args!("is {}: a brace is not closed", shown_text(text))));
        };
        let value = value_of(environment, name.trim()).map_err(|known| unknown(field, name.trim(), &known))?;
        label += before;
        label += &value;
        rest = after;
    }
    Ok(label + rest)
}

fn unknown(field: &Field<'_, '_>, name: &str, known: &[&str]) -> crate::Error {
    let near = nearest(name, known).map_or_else(String::new, |near| format!("did you mean {{{near}}}? "));
    let name = shown_text(name);
    field.refuse(format_args!("has {name} in braces, which is no setting here: {near}{} are", quoted(known)))
}
