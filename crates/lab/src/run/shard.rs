//! A part of the runs, for one machine of many.

use std::fmt;
use std::str::FromStr;

/// Part `part` of `of`, counted from one: the runs whose number leaves part - 1 when divided by `of`, so that in every part
/// all policies meet the same bandits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    part: usize,
    of: usize,
}

impl Shard {
    /// Whether a run belongs to it.
    pub fn has(self, run: usize) -> bool {
        run % self.of == self.part - 1
    }

    /// How many parts there are.
    pub fn parts(self) -> usize {
        self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match numbers {
            Some((part, of)) if 1 <= part && part <= of => Ok(Self { part, of }),
            _ => Err("give part/parts, for instance 1/4 on the first of four machines".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_the_runs() {
        let parts: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).to_vec();
        for run in 0..20 {
            assert_eq!(parts.iter().filter(|shard| shard.has(run)).count(), 1);
        }
        for wrong in ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        assert_eq!(parts[1].to_string(), "2/3");
    }
}
