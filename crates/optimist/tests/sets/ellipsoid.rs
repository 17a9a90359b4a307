//! The ellipsoid.

use super::*;

#[test]
fn the_ellipsoid_contains_the_level_set() {
    let mut rng = rng(17);
    let mut members = 0;
    for case in 0..90 {
        let d = [1, 2, 4][case % 3];
        let s = [0.5, 2.0, 5.0][case / 3 % 3];
        let data = Data::random(&mut rng, d, 10, [3, 60, 600][case / 9 % 3], s);
        // Small excesses as well as real radii: the inequality is closest to equality there.
        let radius = match case % 5 {
            0 => Radius::by_name("ofuglb", &options(d, Some(s))).unwrap(),
            1 => Radius::by_name("mixture", &options(d, Some(s))).unwrap(),
            2 => Radius::by_name("tight", &options(d, Some(s))).unwrap(),
            3 => Radius::from(Excess::new(2.0, 0.0, &options(d, Some(s))).unwrap()),
            _ => Radius::from(Excess::new(30.0, 0.5, &options(d, Some(s))).unwrap()),
        };
        let mut belief = data.belief(radius);
        let guarantee = belief.guarantee();
        let set = belief.set();
        let enclosing = EnclosingEllipsoid::around(&set, &guarantee).unwrap();
        let ellipsoid = enclosing.view();
        assert_eq!((enclosing.guarantee().delta, enclosing.guarantee().name), (guarantee.delta, "ellipsoid"));
        assert!(ellipsoid.contains(set.centre()));
        for _ in 0..200 {
            let theta = in_ball(&mut rng, d, s);
            if set.contains(&theta) {
                members += 1;
                assert!(ellipsoid.contains(&theta), "d {d}, S {s}: {theta:?}");
            }
        }
        let mut solver = SupportSolver::new(d);
        for _ in 0..5 {
            let x = in_ball(&mut rng, d, 1.0);
            let support = solver.solve(&set, &x, Target::exact(1e-8)).unwrap();
            assert!(ellipsoid.support(&x) >= support.value, "{} and {support:?}", ellipsoid.support(&x));
        }
    }
    println!("ellipsoid: {members} members of level sets tried");
    assert!(members > 3000);
}

#[test]
fn the_ellipsoid_contains_the_level_set_around_any_centre() {
    // Far from the minimiser the set reaches much further downhill than a quadratic of its excess would allow.
    let mut rng = rng(21);
    let mut members = 0;
    for _ in 0..30 {
        let data = Data::random(&mut rng, 2, 10, 400, 1.0);
        let history = data.history();
        let centre = in_ball(&mut rng, 2, 2.0);
        let mut at = Evaluation::new(2);
        evaluate(&history, &centre, Order::Hessian, &mut at);
        let set = LevelSet::new(&history, 0.0, at.loss + 0.5, 2.0, &centre, &at);
        let enclosing =
            EnclosingEllipsoid::around(&set, &Belief::new(2, Some(2.0), DELTA).unwrap().guarantee()).unwrap();
        let ellipsoid = enclosing.view();
        let inside = (0..200).map(|_| in_ball(&mut rng, 2, 2.0)).filter(|theta| set.contains(theta));
        members += inside.inspect(|theta| assert!(ellipsoid.contains(theta), "{theta:?} around {centre:?}")).count();
    }
    assert!(members > 1000, "{members}");
}

#[test]
fn the_ellipsoid_of_a_long_history_is_close_to_the_level_set() {
    // With a small ball self-concordance costs little: the ellipsoid's support exceeds that of the set by at most the
    // square root of (1/q(D))/2 and of the term for lambda. This would fail for a matrix or a radius that is off by a
    // factor.
    let mut rng = rng(18);
    let s = 0.5;
    let data = Data::random(&mut rng, 2, 10, 20_000, 0.25);
    let mut belief = data.belief(Radius::by_name("ofuglb", &options(2, Some(s))).unwrap());
    let guarantee = belief.guarantee();
    let set = belief.set();
    let enclosing = EnclosingEllipsoid::around(&set, &guarantee).unwrap();
    let ellipsoid = enclosing.view();
    let mut solver = SupportSolver::new(2);
    for _ in 0..20 {
        let x = in_ball(&mut rng, 2, 1.0);
        let width = solver.solve(&set, &x, Target::exact(1e-9)).unwrap().value - dot(&x, set.centre());
        let ratio = (ellipsoid.support(&x) - dot(&x, set.centre())) / width;
        assert!((1.0..1.35).contains(&ratio), "{ratio}");
    }
}

#[test]
fn the_ellipsoids_support_and_boundary_agree() {
    let mut rng = rng(19);
    let data = Data::random(&mut rng, 2, 10, 100, 1.0);
    let mut belief = data.belief(Radius::by_name("ofuglb", &options(2, Some(2.0))).unwrap());
    let guarantee = belief.guarantee();
    let enclosing = EnclosingEllipsoid::around(&belief.set(), &guarantee).unwrap();
    let ellipsoid = enclosing.view();
    let boundary = enclosing.boundary(3600);
    for point in &boundary {
        let stretched = |factor: f64| [0, 1].map(|j| ellipsoid.centre[j] + factor * (point[j] - ellipsoid.centre[j]));
        assert!(ellipsoid.contains(&stretched(1.0 - 1e-12)) && !ellipsoid.contains(&stretched(1.0 + 1e-12)));
    }
    for _ in 0..20 {
        let x = gaussian(&mut rng, 2);
        let mut at = [0.0; 2];
        ellipsoid.maximiser(&x, &mut at);
        assert_close(dot(&x, &at), ellipsoid.support(&x), 1e-12);
        let seen = boundary.iter().map(|point| dot(&x, point)).fold(f64::NEG_INFINITY, f64::max);
        // Of 3600 points one is within 1/3600 of a turn of the maximiser, which costs the square of that angle.
        let reach = ellipsoid.support(&x) - dot(&x, ellipsoid.centre);
        assert!(seen <= ellipsoid.support(&x) + 1e-12 && seen >= ellipsoid.support(&x) - 1e-6 * reach);
    }
}

#[test]
fn an_ellipsoid_needs_a_ball() {
    let mut belief = Belief::new(2, None, DELTA).unwrap();
    let guarantee = belief.guarantee();
    let error = EnclosingEllipsoid::around(&belief.set(), &guarantee).unwrap_err();
    assert!(error.to_string().contains("norm_bound"));
}

#[test]
fn the_gradient_at_a_constrained_minimiser_points_outwards() {
    // Why the first-order term of the ellipsoid vanishes: S||g|| + g'theta_hat = 0 inside and on the sphere.
    let mut rng = rng(20);
    for _ in 0..30 {
        let data = Data::random(&mut rng, 3, 8, 40, 3.0);
        let theta = data.minimiser(Penalty::ball(1.0));
        let mut at = Evaluation::new(3);
        evaluate(&data.history(), &theta, Order::Gradient, &mut at);
        let slack = norm(&at.gradient) + dot(&at.gradient, &theta);
        assert!(slack.abs() < 1e-7 * (1.0 + norm(&at.gradient)), "{slack}");
    }
}
