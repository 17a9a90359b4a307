//! The texts that teach: what `--help` prints beside the options.

use crate::radii;

/// What the program is for.
pub(crate) const ABOUT: &str = "\
Chooses between options whose outcome is yes or no, and says how sure it is.

Every option (arm) is a vector of features x; its outcome is a success with probability
1 / (1 + exp(-x'theta)), for a theta nobody knows. From what was observed so far, optimist
computes the set of all theta that the data still allow, and for each arm the largest and
the least probability of success over that set. Playing the arm with the largest one is
optimism: it either pays off, or teaches the most about what was wrong.";

/// Where to begin.
pub(crate) const BEGIN: &str = "\
Begin with `optimist plan --help`, which shows a complete problem to copy.
`optimist policies` lists the rules that choose arms round by round; `optimist run --help`
shows how to compare them in a simulation, `optimist theory --help` what theory says.

Exit codes: 0 done; 1 the machine or the program failed, such as a full disk; 2 the input is
at fault; 130 stopped by Ctrl-C. If it is not 0, the last line on standard error says why, and
how to mend it. docs/experiments.md, \"Exit codes\", says more.";

/// What `plan` does.
pub(crate) const PLAN: &str = "\
Reads observations and arms, and prints for every arm what is known of its probability of
success, and which arm to play.";

const INPUT: &str = r#"Input, a JSON object:

{
  "dimension": 2,
  "arms": [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]],
  "ids": ["blue", "mixed", "green"],
  "observations": [
    {"x": [1.0, 0.0], "reward": 1, "count": 12},
    {"x": [1.0, 0.0], "reward": 0, "count": 5},
    {"x": [0.0, 1.0], "reward": 0}
  ],
  "set": {"radius": "mixture", "norm_bound": 4.0, "delta": 0.05},
  "tolerance": 1e-9
}

  dimension      number of features of an arm
  arms           the arms to choose from, a feature vector each
  ids            names of the arms, all different, repeated in the output (optional)
  observations   what was played and what came of it, in the order in which it came; a
                 reward is the outcome (0 to 1) of each of the count observations (1 if
                 absent). No observations is fine: leave them out. For sequential-mixing
                 and likelihood-ratio give no counts: data merged or sorted by outcome
                 void their promise
  set            radius      a name from the table below, or {"excess": e, "ridge": r} for
                             the set of all theta whose loss with ridge r is at most e
                             above its least value (no promise; delta is not used;
                             ridge is 0 if absent)
                 norm_bound  a number that theta's norm surely does not exceed; null or
                             absent if none is known, where the radius allows it
                 delta       the probability with which the answers may be wrong, ever;
                             0.05 if absent
                 Without set: the first radius of the table, no norm bound, delta 0.05
  tolerance      relative accuracy of the values, 1e-12 to 1e-2; 1e-9 if absent"#;

const OUTPUT: &str = r#"Output, a JSON object on standard output:

  estimate       the theta that fits the observations best, with the radius's own penalty;
                 within norm_bound as printed below: if the observations contradict the
                 declared one, it is the estimate without it, as the intervals are
  level, ridge,  the set is all theta with L(theta) + ridge/2 ||theta||^2 <= level and
  norm_bound     ||theta|| <= norm_bound (null: none), where L is the log-loss: the sum of
                 count (log(1 + exp(z)) - reward z) with z = x'theta (likelihood-ratio
                 weighs the observations in it)
  arms           for each arm, in order:
    id             its name, if ids were given
    value          the largest x'theta over the set, the optimistic log-odds of success;
                   null if the set has no end in this direction
    upper_bound    a certified bound: the true maximum lies between value and this
    theta          a theta of the set that attains the value; null if value is
    status         what holds the maximiser: level, corner (the norm bound), both; or
                   zero-direction (x is zero), unbounded, inexact (value and bound hold,
                   but further apart than the tolerance), empty (no theta fits the data:
                   the set's promise is broken, and the values are those of its centre)
    lower, upper   certified bounds on the probability of success. All bounds of all arms
                   hold at all times together with probability 1 - delta, whatever rule
                   chose the arms and whenever one looks
    warnings       words about this arm, if any: inexact (see status), misfit (see below)
  choice         index of the arm with the largest value (the first among equals)
  choice_id      its name, if ids were given
  guarantee      what the set promises: radius, delta, norm_bound, assumptions, citation
  warnings       words about all of it, if any: empty, norm-bound-refuted, no-promise,
                 unordered-counts, not-converged; a sentence on standard error explains each

With --csv, a table of the arms instead: id (index if no ids were given), value, upper_bound,
status, lower, upper, chosen, which is true for the choice and false for the others, and
warning: the words about the arm and about all of it, separated by semicolons, or empty. A
value or upper_bound without end is left empty, as it is null in JSON; its status says so.

Misfit: an arm whose own outcomes contradict what the model says of it is warned of, with its
rate and its interval. By an interval from its outcomes alone, which needs no features and
holds at all times, its probability must lie outside of lower to upper. If the model is right
and so are the intervals, that happens with probability 0.001 at most, for all arms of the
list together, however often one looks (0.001/K for each of K arms; n kl(rate, p) <=
log(1000 K) + 1 + log(n + 1) after n outcomes). It spends nothing of delta. A warning means
that an interaction of features is missing, that rows are not independent, or that the world
drifts; no warning means only that no played arm of the list shows it."#;

/// What `policies` does.
pub(crate) const POLICIES: &str = "\
Lists the policies: rules that choose an arm every round and learn from its outcome. Without a
name, a table of all of them; with a name, everything about that one: idea, formulas, what is
guaranteed under which assumptions, cost, memory, options with their defaults.";

/// How to read what `policies` prints.
pub(crate) const POLICIES_DETAILS: &str = "\
Examples:

  optimist policies                    all, the default first
  optimist policies laplace-ts         one in full
  optimist policies laplace-ts --json  the same for programs

What is listed:

  family          optimism   the arm that is best for the most favourable parameter the data allow
                  index      estimate plus a multiple of its standard deviation
                  sampling   the arm that is best for a parameter drawn at random
                  baseline   something to compare with
  guarantee       what the policy's own confidence set promises
  cost per round  time to choose and to learn: K arms, d features, n distinct arms observed
  memory          what it remembers, in numbers
  arm sets        finite: a list of arms; ball, sphere: every vector of norm at most one, or one
  reference       the paper

With --json, a list of objects (or one object, if a name is given) with the keys name, family,
summary, doc, keeps_set (whether it has a confidence set of its own), guarantee, guaranteed
(whether that set promises something with default options), planning (how it finds its arm), cost,
memory, arm_sets, reference, randomised (whether choices are random), order (what depends on the
order of rewards), constant_cost (whether a round costs the same however many arms were seen),
uses_history (whether all observations are kept, so that any set can certify), needs_norm_bound,
unit_arms, required (options without a default), example (values for those), options (name and help
of each), shared_options (those that policies have in common), default_options.

Which one?
  bayes-ucb        wastes the fewest trials; intervals are proved, choices are not
  insured          the same within a budget: what its choices cost is certified
  laplace-ts       when rewards come in batches, or the log is to be evaluated for other rules
  optimist         when every choice must come with a proof
  optimist-stream  the same in constant memory: ever-new arms, streams
The guide (docs/guide.md, \"Policies\") says more, and shows how to run one from Rust.";

/// The rest of the help of `plan`: input, output, radii.
pub(crate) fn plan_details() -> String {
    let table = radii::table().lines().map(|line| format!("  {line}\n")).collect::<String>();
    format!("{INPUT}\n\n{OUTPUT}\n\nRadii:\n\n{}", table.trim_end())
}

/// What `run` does.
pub(crate) const RUN: &str = "\
Runs an experiment: every policy plays every environment in so many runs, on all cores. In
the same run all policies meet the same arms, the same theta and the same luck, so that
differences between them are theirs.

Results do not depend on the number of threads. Ctrl-C keeps the runs that are finished, and
the same command goes on from there; so it does after a crash. A policy, an environment or
more runs may be added to the file: only what is new is run.

A finished run counts for the build of optimist that made it, known by the bytes of the
program: compiled anew from other code, optimist runs everything again, so that no number
outlives the code behind it. One line says what is kept and what is run again.

  --keep greedy                  you know that greedy is untouched: keep its runs
  --keep all --rerun optimist    you have changed optimist and nothing else
  --rerun optimist               run optimist again, also with the same build

A policy is called by its name or its label; who is named outdoes all.";

const RUN_EXAMPLE: &str = r#"An experiment, a TOML file:

  name = "kappa-50"
  seed = 1
  runs = 50
  horizon = 4000

  [environment]
  dimension = 2
  arms = { kind = "ball-sample", count = 40 }
  kappa = [50, 400]                # a list: both are run

  [[policy]]
  name = "optimist"

  [[policy]]
  name = "ofulog-r"
  label = "as printed"
  radius = "paper"                 # any option of the policy (optimist policies ofulog-r)
"#;

const RUN_RESULTS: &str = "\
Results, in DIR:

  report.html      tables and figures, one file that needs no other
  summary.json     per environment and policy: regret (mean, std, median, quantiles) at the
                   end and at checkpoints, seconds per run, rounds per second, solves per round,
                   runs in which theta* ever left the policy's confidence set; the builds of
                   optimist that made the runs
  theory.json      bounds and yardsticks of the runs' instances, beside the regret
  results.csv      one line per environment, policy, run and checkpoint, with the build; what a
                   sweep varies has columns of its own, such as kappa
  results.parquet  the same, with --parquet
  differences.csv  every pair of policies, compared run by run: mean difference of regret, 95%
                   interval, p values of a paired t test and of Wilcoxon's, adjusted after Holm
  tables/          the final regret as final.tex and final.md; `optimist table DIR` prints parts
  figures/         every figure as SVG and PNG; `optimist plot DIR` draws others
  choices/         one table a run, with --choices: arm, probability, reward, delay
  experiment.json, runs.log   what was asked for, and the finished runs; keep them to resume";

/// What a file for `run` holds, and what comes of it.
pub(crate) fn run_details() -> String {
    format!("{RUN_EXAMPLE}\nKeys:\n\n{}\n{RUN_RESULTS}", optimist_lab::experiment::keys_help())
}

/// What `merge` does.
pub(crate) const MERGE: &str = "\
Puts the parts of an experiment together that `optimist run --shard` has made on several
machines. The result equals that of a single run to the last bit, times excepted. Parts of
other experiments, and parts that contradict each other, are refused; missing runs are
reported, and `optimist run` with the same --out adds them.

Copy the same optimist to all machines. Parts of several builds are put together with a
warning that names them, and the report does so too; --keep all says that they are of the
same code. To go on with such a whole, `optimist run` needs --keep all as well.";

/// What `table` does.
pub(crate) const TABLE: &str = "\
Prints the final regret of an experiment as papers print it: a line per policy, a column per
environment, mean and standard error. The best is in bold; a star marks those that are not
significantly worse than the best, by paired t tests (in the same run all policies meet the
same bandit with the same luck), adjusted after Holm for all pairs of the policies shown.

`optimist run` and `optimist merge` leave the whole table as tables/final.tex and
tables/final.md in their directory.";

/// What `paper` does.
pub(crate) const PAPER: &str = "\
Reproduces \"Instance-Wise Minimax-Optimal Algorithms for Logistic Bandits\" (Abeille, Faury,
Calauzenes 2021) and holds its claims against the numbers. Writes DIR/report.html, one file
that needs no other, DIR/figures and DIR/data. Its studies, all of them unless --only says
otherwise:

  kappas       the paper's experiments at six levels of kappa, its claims, its confidence
               sets and definitions
  policies     every policy there is on the same instances
  lower-bound  Theorem 2: the worst regret of several policies among neighbouring
               parameters, for growing horizons, against what no policy can stay below
  transitory   instances made to prolong the first phase: a good arm hidden among bad
               ones, and half of a ball; how long the phase lasts as kappa_X grows

Takes about two minutes on two cores. Ctrl-C keeps the runs that are finished, and the
same command goes on from there. Runs of another build of optimist are run again, as by
`optimist run`; --keep all keeps them.";

/// The end of `optimist plot --help`.
pub(crate) const PLOT_DETAILS: &str = "\
Examples:

  A figure for one column of a paper: 85 mm wide, letters of 8 pt, good in grey too. The PDF goes
  into \\includegraphics; the lines for that are printed and saved as .tex.

    optimist plot results/quickstart --format pdf --width 85mm --font-size 8pt --no-title \\
        --styles both --legend inside --label optimist=Ours

  With the letters of the document itself, for \\input (needs \\usepackage{pgf}):

    optimist plot results/quickstart --format pgf --width 85mm --font-size 8pt --no-title

  A sweep as small multiples across both columns, with intervals of 95%:

    optimist plot results/kappa-sweep --panels --band bootstrap --format pdf --width 178mm --font-size 8pt

  All figures of a paper alike: write a style once, change it, use it everywhere.

    optimist plot --print-style > paper.toml
    optimist plot results/quickstart --style paper.toml

  The numbers that are drawn, for another program:

    optimist plot results/quickstart --format csv,vega

Standard output is the list of the files that were written.
";

/// What `pictures` does.
pub(crate) const PICTURES: &str = "\
Draws the pictures of the documentation as SVG, DIR/NAME.svg, the same ones every time but for
the one of times:

  confidence     the confidence sets of five radii after the same 2,000 outcomes, and the
                 intervals of ten arms
  regret         mean regret of eight policies: two features, 40 arms, kappa = 50, 50 runs of
                 10,000 rounds; takes less than a minute
  insurance      regret of `insured` by its budget; takes a few minutes
  step           regret per round before and after a step change, by half-life
  latency        time of a round as observations accumulate, on this machine

One shows a table that `make bench-peers` makes; without it, it is skipped:

  peers          mistakes and time of every setting of this and of other libraries

The others are figures of the report of `optimist paper`, which must have been run before,
without --quick; without a report they are skipped:

  paper          regret of the paper's algorithms at kappa = 50, on logarithmic axes
  decomposition  the parts of that regret
  bounds         that regret below its bounds
  lower-bound    the worst regret among neighbouring parameters, in the plane
  transitory     the length of the transitory phase: the hidden arm

`optimist pictures --out docs/images` renews those of this project; `optimist plot` draws
the figures of an experiment of your own.";

/// What `theory` does.
pub(crate) const THEORY: &str = "\
Says what theory says of an instance: how flat the logistic curve is at its arms (kappa), which
arms are bad and tell little, what the regret of optimism is at most, what that of every policy
is at least. Nothing is played. The instance is a parameter theta* with arms, or that of an
experiment's environments.";

/// How to ask `theory`, and how to read what it says.
pub(crate) const THEORY_DETAILS: &str = "\
Examples:

  optimist theory --theta 3,1 --arms examples/arms.csv
  optimist theory --theta 2,0,0 --sphere 3 --horizon 100000
  optimist theory examples/quickstart.toml --json

What is said:

  kappa          one over the slope of the curve, at the worst, for the longest arm and all theta
                 that the norm bound allows; kappa_* at the best arm under theta*, kappa_X at the
                 flattest
  best arm       the one that succeeds most often
  detrimental    arms that are bad and tell little: log-odds at most -1 if those of the best arm
                 are positive, otherwise a slope of at most half of the best arm's
  arms           log-odds x'theta*; probability of success; gap to the best arm's; mu', the slope,
                 which is the information in an outcome; least mu', for all theta of the bound
  upper bound    what the regret after T rounds of policies that are optimistic over a confidence
                 set cannot exceed (OFULog, OFULog-r and our default, or the experiment's), with
                 the probability stated: true, and far above what happens. The least of
                   Theorem 1   the paper's, with all constants
                   by arms     by how often each arm that is not best can be played
                   worst arm   T times the largest gap
                 and detrimental plays: how often such arms are played at most. It rests on one
                 event, of probability 1 - delta: for our default and other level sets of the plain
                 loss on that of the set itself (docs/theory.md, \"The upper bound\")
  lower bound    for ball and sphere: every policy has at least this regret, on average, for some
                 parameter as near to theta* as stated
  Graves-Lai     for a list of arms: as T grows, regret / log T tends to at least this for every
                 policy that is good for all parameters, less if it may rely on the norm bound;
                 and how often arms must be tried. It says nothing of small T. Beyond some
                 hundred arms it takes long and is left out unless --graves-lai is given

With --json one object: kappa, kappa_star, kappa_x, optimal_arm (number from zero, or a point),
detrimental (numbers), arms (a list of what is known of each), lower_bound, upper_bound (by
policy), graves_lai, graves_lai_bounded, notes (why something is missing); or
{\"environments\": [...]} if the experiment has several. docs/theory.md has the formulas, and
what the keys mean.";
