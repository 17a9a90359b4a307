//! A table with classes, as a bandit.

use std::collections::HashMap;

use optimist_engine::Action;
use optimist_tables::Table;

use super::candidates::{candidates, check};
use super::entry::Entry;
use super::examples::{Examples, Orders, play, usual_orders};
use super::options::ReplayOptions;
use super::page::Shown;
use super::prepared::{Data, Prepared, Replayed, facts, setup};
use super::read::{Fate, Read, read};
use super::words::{counted, left_out, tidy};
use crate::error::{Error, Result};
use crate::report::{count, percent};
use crate::simulation::Progress;

/// Classes beyond which a column is none of classes: each is an action, and every decision looks at all.
const MOST_CLASSES: usize = 1000;

/// Reads a table.
///
/// # Errors
/// If options or data are at fault.
pub(super) fn prepare(args: &ReplayOptions, table: Table, label: &str) -> Result<Prepared> {
    let (examples, read) = examples(args, table, label)?;
    let rows = examples.labels.len();
    let rounds = args.rounds.map_or(rows, |rounds| rounds.get().min(rows));
    let count_of_orders = args.orders.map_or_else(|| usual_orders(rounds), |orders| orders.get());
    let orders = Orders { count: count_of_orders, rounds };
    let actions = examples.classes.iter().map(|class| Action::from(class.as_str())).collect();
    let setup = setup(args, read.schema.columns.clone(), actions);
    let candidates = candidates(args, false)?;
    check(&setup, &candidates)?;
    let (lines, notes, data) = (read.schema.lines, read.notes, Data::Examples { examples, orders });
    Ok(Prepared { options: args.clone(), data, setup, candidates, lines, notes })
}

/// Replays a table.
///
/// # Errors
/// If an engine refuses its settings or a context.
pub(super) fn run(
    prepared: &Prepared,
    examples: &Examples,
    orders: Orders,
    progress: &dyn Progress,
) -> Result<Replayed> {
    let Prepared { options: args, setup, candidates, .. } = prepared;
    let (rows, rounds) = (examples.labels.len(), orders.rounds);
    let courses = play(examples, setup, candidates, orders, progress)?;
    let of = |(candidate, courses)| Entry::of_courses(candidate, courses, rounds);
    let wanted = candidates.len() * orders.count;
    let finished = courses.iter().flatten().filter(|course| course.rounds == rounds).count();
    let entries: Vec<Entry> = candidates.iter().zip(courses).filter_map(of).collect();

    let (class, right) = examples.majority();
    let wrong = 1.0 - right as f64 / rows as f64;
    let yardstick = format!("always the most frequent class, `{class}`");
    let label = args.label.as_deref().unwrap_or_default();
    let what = format!(
        "{} rows, {} classes, {} of {} rounds",
        count(rows as u64),
        examples.classes.len(),
        counted(orders.count, "random order"),
        count(rounds as u64)
    );
    let shown = Shown {
        title: format!("{}: {label}", args.name()),
        lead: vec![format!("{what}. {yardstick}: {} mistakes.", percent(wrong))],
        yardstick: Some((wrong, format!("always {class}"))),
        schema: prepared.lines.clone(),
        facts: facts(args, &what, &prepared.notes),
        is_log: false,
    };
    let last = format!("{yardstick}: {} mistakes, {}", tidy(wrong * rounds as f64), percent(wrong));
    let stopped = (finished < wanted).then(|| format!("{finished} of {wanted} courses were played to their end"));
    Ok(Replayed { rounds, entries, shown, what, yardstick: Some(last), logged: None, delta: args.delta, stopped })
}

fn examples(args: &ReplayOptions, table: Table, label: &str) -> Result<(Examples, Read)> {
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let (mut classes, mut labels, mut unlabelled) = (Vec::new(), Vec::new(), 0u64);
    let file = args.name();
    let mut read = read(args, table, &[("--label", label)], |_, cells| {
        if cells[0].is_missing() {
            unlabelled += 1;
            return Ok(Fate::LeftOut);
        }
        let class = cells[0].label().into_owned();
        let next = classes.len() as u32;
        let number = *numbers.entry(class).or_insert_with_key(|class| {
            classes.push(class.clone());
            next
        });
        if classes.len() > MOST_CLASSES {
            return Err(Error::input(format!(
                "{file}: --label \"{label}\" has more than {} classes: each is an action, so give a column with fewer values; an \
                 amount can be cut into ranges first",
                count(MOST_CLASSES as u64)
            )));
        }
        labels.push(number);
        Ok(Fate::Kept)
    })?;
    let wrong = |what: String| Err(Error::input(format!("{file}: --label \"{label}\" {what}")));
    match &classes[..] {
        [] => return wrong("has no value in any row: give another column".to_owned()),
        [one] => {
            let what =
                format!("has one class, \"{}\", in all rows: there is nothing to choose", crate::input::shorten(one));
            return wrong(what + "; give another column");
        }
        _ => {}
    }
    if unlabelled > 0 {
        read.notes.push(left_out(unlabelled as usize, "row", "without a label"));
    }
    // In the order of their names, so that results do not depend on which comes first in the file.
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    order.sort_by(|a, b| classes[*a as usize].cmp(&classes[*b as usize]));
    let mut places = vec![0; classes.len()];
    order.iter().zip(0..).for_each(|(class, place)| places[*class as usize] = place);
    labels.iter_mut().for_each(|label| *label = places[*label as usize]);
    classes.sort();
    let contexts = std::mem::take(&mut read.contexts);
    Ok((Examples { contexts, classes, labels }, read))
}
