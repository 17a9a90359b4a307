//! Says what the columns of a table are: `cargo run -p optimist-tables --example columns -- visits.csv`.
//!
//! `--no-header` behind the file says that its first line is data.

use std::process::ExitCode;

use optimist_tables::{GuessOptions, Options, Table, guess};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        eprintln!("give a file, or - for standard input");
        return ExitCode::FAILURE;
    };
    let options = Options { header: !arguments.iter().any(|argument| argument == "--no-header"), ..Options::default() };
    let guesses = Table::open(path, &options).and_then(|mut table| {
        println!("{path} is {}{}", table.format(), if table.is_gzip() { ", packed with gzip" } else { "" });
        let guesses = guess(&mut table, &GuessOptions::default())?;
        println!("{}", table.malformed());
        Ok(guesses)
    });
    match guesses {
        Ok(guesses) => {
            for guess in guesses {
                let example = guess.example.as_deref().unwrap_or("none");
                println!("{guess} ({} of {} rows missing, for example {example})", guess.missing, guess.rows);
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
