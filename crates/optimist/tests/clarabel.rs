//! Support values against an independent solver: the same problem as an exponential-cone program.

use std::collections::BTreeMap;

use crate::common::conic;
use crate::common::problems::{Limits, RandomProblem};
use optimist::plan::{SupportSolver, Target};

/// Problems to be compared. Some of the series are beyond the other solver.
const COMPARED: usize = 400;

#[test]
fn support_values_agree_with_a_conic_solver() {
    let limits = Limits { dimension: 20, rows: 200 };
    let (mut by_status, mut unsure) = (BTreeMap::<String, usize>::new(), 0);
    for index in 0.. {
        let problem = RandomProblem::random(77, index, limits);
        let mut belief = problem.belief();
        let set = belief.set();
        let x = &problem.directions[index as usize % 3];
        if !conic::is_moderate(&problem, &set) || x.iter().all(|v| *v == 0.0) {
            continue;
        }
        let mut solver = SupportSolver::new(problem.dimension);
        let support = solver.solve(&set, x, Target::exact(1e-8)).expect("a sound direction");
        match conic::compare(&set, x, &support, solver.maximiser()) {
            Some(verdict) => {
                verdict.unwrap_or_else(|wrong| panic!("problem {index}: {wrong}"));
                *by_status.entry(format!("{:?}", support.status)).or_default() += 1;
            }
            None => unsure += 1,
        }
        if by_status.values().sum::<usize>() == COMPARED {
            break;
        }
    }
    println!("{by_status:?}, {unsure} beyond the conic solver");
    for (status, least) in [("Corner", 5), ("Level", 5), ("Both", 5), ("Empty", 1), ("Unbounded", 5)] {
        assert!(by_status.get(status).is_some_and(|n| *n >= least), "too few of status {status}: {by_status:?}");
    }
    assert!(unsure <= COMPARED / 3, "the conic solver was unsure of {unsure} problems");
}
