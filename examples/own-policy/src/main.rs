//! Compares the policy with ours in the laboratory, and the radius with the default one.

use optimist::set::Radius;
use optimist::{Belief, Problem};
use own_policy::laboratory::{EXPERIMENT, mean_regrets};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    own_policy::register()?;
    for (name, regret) in mean_regrets(EXPERIMENT)? {
        println!("{name}: mean regret {regret:.1}");
    }
    let problem = Problem { dimension: 2, delta: 0.05, norm_bound: Some(16.0) };
    for name in ["mixture", "two-scales"] {
        let mut belief = Belief::with_radius(Radius::by_name(name, &problem)?)?;
        belief.observe_many(&[1.0, 0.0], 0.7, 100)?;
        let set = belief.set();
        println!("{name}: losses up to {:.2} above the least", set.level() - set.centre_loss());
    }
    Ok(())
}
