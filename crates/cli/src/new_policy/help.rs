//! What `--help` says of the command beside its options.

/// What `new-policy` does.
pub(crate) const NEW_POLICY: &str = "\
Writes what a policy of your own begins with: a crate that compiles, with a simple rule that
works and comments that say what to change, its line of the registry, the checks that every
policy must pass as a test, and a program that plays it beside `optimist` and writes a report.
With --python, one file: a class, and a few lines that play it beside ours.

Nothing is overwritten. docs/own-policy.md goes through the files.";

/// How to ask for it.
pub(crate) const DETAILS: &str = "\
Examples:

  optimist new-policy thrifty                    the crate thrifty/, here
  optimist new-policy thrifty --out work/thrifty
  optimist new-policy thrifty --library ../optimist
  optimist new-policy thrifty --python           the file thrifty_policy.py

The crate needs the source of Optimist. It names the repository by its path: that of --library
as you give it (relative to where you are; an absolute path stays one), otherwise that of the
repository around the current directory, relative to the crate. If neither is there, Cargo.toml
asks for the version of this program, and a comment says what to put in its place.";
