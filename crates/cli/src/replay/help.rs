//! What `optimist replay --help` says beside the options.

/// What `replay` does.
pub(crate) const REPLAY: &str = "\
Tries policies on data of your own, in two ways.

A table with classes (--label) becomes a bandit: every row is a context, every class an action,
and a policy learns only whether the class that it chose was right. What is counted is mistakes
while learning, in several random orders of the rows.

A log of decisions (--arm, --reward, or dsjson) says what other policies would have earned. Each
goes through the log in its order as an apprentice: before every row it says what it would do,
then it learns what was done and what came of it. With the logged probabilities (--propensity)
there are estimates with intervals; without them the log must look uniformly random, and only
rows count in which the candidate would have done what was done.

What the columns are is guessed from the first 10,000 rows and told on standard error; options
overrule it. Rows are held in memory once: 8 bytes per number, 4 per category, the text itself
otherwise. Ctrl-C stops, and shows what is there.";

/// How to use it, and how to read what it says.
pub(crate) const DETAILS: &str = r#"Examples:

  optimist replay flowers.csv --label species
  optimist replay visits.csv.gz --label bought --policy bayes-ucb,greedy --model disjoint,hybrid
  optimist replay clicks.parquet --arm banner --reward clicked --propensity p --out clicks
  optimist replay sales.csv --arm offer --reward revenue --reward-scale cap:100 --propensity p
  optimist replay decisions.dsjson

What is printed:

  mistakes      rounds in which the chosen class was wrong, per order: the mean over orders and
                its standard error
  mean reward   of a decision, with its standard error, estimated in up to four ways:
                doubly robust (the one to read first), inverse propensity, self-normalised,
                clipped (weights cut at 10)
  95%           the usual interval, right for many rows and a look at the end
  95% at all times
                holds however often one looks, and whatever the logging policy learnt meanwhile
  verdict       usable; suspicious; too little support; or refused, and why

Models: disjoint (each action has a model of its own), hybrid (and shared parameters), shared
(actions differ by their features only, so they need some).

With --json: {"rounds", "entries": [{"policy", "model", "rounds", "mistakes", "reward",
"seconds", ...}]}. rounds are those of one order; mistakes, reward (a sum) and seconds are means
over orders; mistakes are null in a log, where reward is an estimate, null if refused. Further
keys: orders, mistakes_error, mean_reward, mean_reward_error; of a log estimates (method, value,
standard_error, asymptotic, always_valid), effective_rows, verdict, concerns.

With --out DIR: results.csv (learning curves: policy, model, order, round, mistakes, reward),
results.json (as --json), report.html (one file that needs no other) and figures/.
docs/replay.md shows both ways from the beginning to the end."#;
