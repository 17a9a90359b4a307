//! Rows of a table.

use optimist::{ArmSet, FiniteArms, HybridArms};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::hybrid::write_out;
use crate::experiment::{Order, Table};

/// How far a table was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Passage {
    /// The place of the next row.
    next: usize,
    /// The numbers of the rows in a random order, of which those up to the next one are settled. Empty if there is none.
    shuffled: Vec<usize>,
}

impl Passage {
    /// The arms of a round.
    pub(super) fn draw(&mut self, table: &Table, rng: &mut ChaCha8Rng) -> optimist::Result<ArmSet<'static>> {
        let Some(hybrid) = table.hybrid() else {
            let mut features = Vec::with_capacity(table.count * table.width);
            (0..table.count).for_each(|_| features.extend_from_slice(table.row(self.advance(table, rng))));
            return FiniteArms::new(table.width, features).map(ArmSet::from);
        };
        let context = table.row(self.advance(table, rng));
        if hybrid.written_out {
            return FiniteArms::new(hybrid.parameters(), write_out(&hybrid, &context.repeat(table.count)))
                .map(ArmSet::from);
        }
        let owners: Vec<u64> = (0..table.count as u64).collect();
        HybridArms::same(owners, context.to_vec()).map(ArmSet::from)
    }

    /// The number of the next row.
    fn advance(&mut self, table: &Table, rng: &mut ChaCha8Rng) -> usize {
        let (rows, place) = (table.len(), self.next);
        self.next = (place + 1) % rows;
        match table.order {
            Order::File => place,
            Order::Resample => rng.random_range(0..rows),
            Order::Shuffle => {
                if self.shuffled.is_empty() {
                    self.shuffled = (0..rows).collect();
                }
                // One step of a shuffle for each row, so that a round takes no longer where the table is long.
                self.shuffled.swap(place, rng.random_range(place..rows));
                self.shuffled[place]
            }
        }
    }
}
