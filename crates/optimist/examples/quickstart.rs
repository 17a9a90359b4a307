//! Three offers, a few outcomes, and what is known then: `cargo run --example quickstart`.

use optimist::plan::{Answers, SupportSolver, Target};
use optimist::{Belief, Result};

fn main() -> Result<()> {
    let offers = [("blue", [1.0, 0.0]), ("mixed", [0.6, 0.8]), ("green", [0.0, 1.0])];
    // Two features, a parameter of norm 4 at most, and answers that are all right together with probability 95%.
    let mut belief = Belief::new(2, Some(4.0), 0.05)?;
    belief.observe_many(&[1.0, 0.0], 1.0, 12)?; // blue: twelve successes
    belief.observe_many(&[1.0, 0.0], 0.0, 5)?; // and five failures
    belief.observe(&[0.0, 1.0], 0.0)?; // green: one failure

    let set = belief.set();
    let (mut solver, mut answers) = (SupportSolver::new(2), Answers::new(2, 1e-9)?);
    for (name, x) in offers {
        let optimistic = solver.solve(&set, &x, Target::exact(1e-9))?.value;
        let sure = answers.interval(&set, &x)?;
        println!("{name:6} log-odds up to {optimistic:6.3}, probability in [{:.3}, {:.3}]", sure.lower, sure.upper);
    }
    Ok(())
}
