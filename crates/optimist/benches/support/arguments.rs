#![allow(dead_code, unreachable_pub)]
//! Arguments of a benchmark: `--name value` and `--name`.

use std::str::FromStr;

/// What was given after `--`.
pub struct Arguments {
    given: Vec<(String, String)>,
    usage: &'static str,
}

impl Arguments {
    /// Reads the command line. `named` take a value, `flags` do not; anything else ends the program with a message.
    pub fn read(usage: &'static str, named: &[&str], flags: &[&str]) -> Self {
        let mut arguments = Self { given: Vec::new(), usage };
        // Cargo adds `--bench` of its own.
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            if word == "--help" || word == "-h" {
                println!("{usage}");
                std::process::exit(0);
            }
            let name = word.strip_prefix("--").unwrap_or_default();
            let (name, attached) = name.split_once('=').map_or((name, None), |(n, v)| (n, Some(v.to_owned())));
            if flags.contains(&name) && attached.is_none() {
                arguments.given.push((name.to_owned(), String::new()));
            } else if named.contains(&name) {
                match attached.or_else(|| words.next()) {
                    Some(value) => arguments.given.push((name.to_owned(), value)),
                    None => arguments.refuse(&format!("--{name} needs a value")),
                }
            } else {
                arguments.refuse(&format!("{word} is not an argument"));
            }
        }
        arguments
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether `name` was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(n, _)| n == name)
    }

    /// All values of `name`, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.given.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The last value of `name`.
    pub fn get<T: FromStr>(&self, name: &str) -> Option<T> {
        let value = self.all(name).last()?;
        match value.parse() {
            Ok(value) => Some(value),
            Err(_) => self.refuse(&format!("--{name} is \"{value}\", which cannot be read")),
        }
    }

    /// Ends the program: exit code 2, what is wrong, and the usage.
    pub fn refuse(&self, what: &str) -> ! {
        eprintln!("error: {what}\n\n{}", self.usage);
        std::process::exit(2)
    }
}
