//! Integrals over [0, 1].

/// Gauss and Legendre's ten points on [-1, 1], the positive half: nodes and weights.
const GAUSS: [(f64, f64); 5] = [
    (0.14887433898163122, 0.29552422471475287),
    (0.4333953941292472, 0.26926671930999635),
    (0.6794095682990244, 0.21908636251598204),
    (0.8650633666889845, 0.1494513491505806),
    (0.9739065285171717, 0.06667134430868814),
];

/// The integral of f over [0, 1] in `panels` equal parts. The nearest singularity of a logistic function is at i pi: on
/// parts whose length in its argument is at most 1 the error is below rounding.
pub(super) fn integral(panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    let half = 0.5 / panels as f64;
    let panel = |k: usize| -> f64 {
        let centre = (2 * k + 1) as f64 * half;
        GAUSS.iter().map(|&(x, w)| half * w * (f(centre - half * x) + f(centre + half * x))).sum()
    };
    (0..panels).map(panel).sum()
}

/// The integral of f(v, z1 + v (z2 - z1)) over v in [0, 1], f smooth on the scale of 1 in its second argument.
pub(super) fn along(z1: f64, z2: f64, f: impl Fn(f64, f64) -> f64) -> f64 {
    integral((z2 - z1).abs().ceil().max(1.0) as usize, |v| f(v, z1 + v * (z2 - z1)))
}

#[test]
fn polynomials_and_exponentials_are_exact() {
    assert!((integral(1, |v| 20.0 * v.powi(19)) - 1.0).abs() < 1e-14);
    assert!((along(0.0, 7.0, |_, z| z.exp()) * 7.0 - 7.0_f64.exp_m1()).abs() < 1e-12 * 7.0_f64.exp());
}
