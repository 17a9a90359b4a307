//! From numbers to pixels, and the numbers that an axis shows.

use super::Text;

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal distances are equal differences.
    #[default]
    Linear,
    /// Equal distances are equal ratios; numbers that are not positive have no place.
    Log,
}

impl Scale {
    /// Whether a number has a place on such an axis. Numbers close to overflow have none, so that differences are finite.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Scale::Linear => value.abs() < 1e300,
            Scale::Log => (1e-300..1e300).contains(&value),
        }
    }

    fn forward(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log => value.log10(),
        }
    }

    fn back(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log => 10f64.powf(value),
        }
    }
}

/// A mark on an axis; those without a label are small.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tick {
    /// Where it is.
    pub value: f64,
    /// What stands beside it.
    pub label: Option<Text>,
}

/// The part of the number line that an axis shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    /// How it is divided.
    pub scale: Scale,
    /// Its lower end.
    pub low: f64,
    /// Its upper end, above the lower one.
    pub high: f64,
}

/// Rounding noise of sums is not worth a longer axis than this.
const DECADES: f64 = 12.0;

impl Span {
    /// The smallest span of all data that have a place; a unit span if none has, a wider one around a single number.
    pub(super) fn of(scale: Scale, data: impl Iterator<Item = f64>) -> Self {
        let (low, high) = data
            .filter(|&v| scale.holds(v))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return match scale {
                Scale::Linear => Self { scale, low: 0.0, high: 1.0 },
                Scale::Log => Self { scale, low: 1.0, high: 10.0 },
            };
        }
        let low = if scale == Scale::Log { low.max(high * 10f64.powf(-DECADES)) } else { low };
        Self { scale, low, high }.widened()
    }

    /// The span between two given numbers, or of the data if they are not the ends of a span.
    pub(super) fn fixed(scale: Scale, range: Option<(f64, f64)>, data: impl Iterator<Item = f64>) -> Self {
        match range {
            Some((low, high)) if low < high && scale.holds(low) && scale.holds(high) => {
                Self { scale, low, high }.widened()
            }
            _ => Self::of(scale, data),
        }
    }

    /// The same, wide enough for its ends to be told apart.
    fn widened(self) -> Self {
        let (low, high) = (self.low, self.high);
        let size = low.abs().max(high.abs());
        let (low, high) = match self.scale {
            Scale::Linear if size == 0.0 => (0.0, 1.0),
            Scale::Linear if high - low <= 1e-9 * size => (low - 0.5 * size, high + 0.5 * size),
            Scale::Log if high <= low * (1.0 + 1e-9) => (low / 3.0, high * 3.0),
            _ => (low, high),
        };
        Self { low, high, ..self }
    }

    /// The same with a margin at both ends, as a part of its length.
    pub(super) fn padded(self, part: f64) -> Self {
        let (low, high) = (self.scale.forward(self.low), self.scale.forward(self.high));
        let margin = part * (high - low);
        Self { low: self.scale.back(low - margin), high: self.scale.back(high + margin), ..self }
    }

    /// The same from zero, if that is a linear axis that begins just above it.
    pub(super) fn starting_at_zero(self) -> Self {
        let near = self.scale == Scale::Linear && self.low > 0.0 && self.low < 0.05 * self.high;
        Self { low: if near { 0.0 } else { self.low }, ..self }
    }

    /// The same, extended to round numbers; zero belongs to it if the data come near.
    pub(super) fn rounded(self) -> Self {
        let (mut low, mut high) = (self.low, self.high);
        match self.scale {
            Scale::Linear => {
                if low > 0.0 && low < 0.6 * high {
                    low = 0.0;
                }
                let step = step(high - low);
                (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
            }
            Scale::Log => {
                let rounds = |v: f64| [1.0, 2.0, 5.0, 10.0].map(|m| m * 10f64.powf(v.log10().floor()));
                low = rounds(low).into_iter().rev().find(|&r| r <= low * (1.0 + 1e-9)).unwrap_or(low);
                high = rounds(high).into_iter().find(|&r| r >= high * (1.0 - 1e-9)).unwrap_or(high);
            }
        }
        Self { low, high, ..self }
    }

    /// Where a number lies between the ends: 0 at the lower, 1 at the upper one; none if it has no place on the axis.
    pub(super) fn part(&self, value: f64) -> Option<f64> {
        let at = |v| self.scale.forward(v);
        let part = (at(value) - at(self.low)) / (at(self.high) - at(self.low));
        (self.scale.holds(value) && part.is_finite()).then_some(part)
    }

    /// Marks at round numbers.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Log => self.log_ticks(),
        }
    }

    /// Marks at given numbers.
    pub(super) fn ticks_at(&self, values: &[f64]) -> Vec<Tick> {
        let inside = values.iter().filter(|&&v| self.contains(v));
        inside.map(|&value| Tick { value, label: Some(Text::new(in_words(value)).size(12.0)) }).collect()
    }

    fn contains(&self, value: f64) -> bool {
        self.part(value).is_some_and(|part| (-1e-9..=1.0 + 1e-9).contains(&part))
    }

    fn linear_ticks(&self) -> Vec<Tick> {
        let step = step(self.high - self.low);
        let first = (self.low / step - 1e-9).ceil();
        // A span has seven steps at most; more would be the work of rounding.
        let values = (0..12).map(|i| (first + f64::from(i)) * step).filter(|&v| self.contains(v));
        values.map(|value| Tick { value, label: Some(Text::new(label(value, step)).size(12.0)) }).collect()
    }

    fn log_ticks(&self) -> Vec<Tick> {
        let decades = (self.high / self.low).log10();
        if decades < 0.5 {
            return Span { scale: Scale::Linear, ..*self }.linear_ticks();
        }
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let stride = (decades / 8.0).ceil() as i32;
        // Few digits for all, or powers for all.
        let powers = first < -4 || last > 6;
        let mut ticks = Vec::new();
        for exponent in first..=last {
            for mantissa in 1..10 {
                let value = f64::from(mantissa) * 10f64.powi(exponent);
                let shown = match mantissa {
                    1 => exponent.rem_euclid(stride) == 0,
                    2 | 5 => decades < 1.5,
                    _ => false,
                };
                if self.contains(value) && (shown || decades <= 6.0) {
                    let label = shown.then(|| log_label(mantissa, exponent, powers).size(12.0));
                    ticks.push(Tick { value, label });
                }
            }
        }
        ticks
    }
}

/// A round step (1, 2 or 5 times a power of ten) that divides a length into three to seven parts.
fn step(length: f64) -> f64 {
    let raw = (length / 7.0).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|f| f * power >= raw * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// A number with the decimals that its step needs, in groups of three; very large and very small ones as powers.
fn label(value: f64, step: f64) -> String {
    let size = value.abs();
    if size >= 1e9 || step < 1e-6 {
        return format!("{value:e}");
    }
    let decimals = (-(step * 1.000_001).log10().floor()).max(0.0) as usize;
    grouped(&format!("{value:.decimals$}"))
}

/// `-12345.6` as `−12,345.6`.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("−", digits));
    let sign = if digits.chars().all(|c| matches!(c, '0' | '.')) { "" } else { sign };
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = sign.to_owned();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

fn log_label(mantissa: i32, exponent: i32, powers: bool) -> Text {
    if powers {
        let base = if mantissa == 1 { "10".to_owned() } else { format!("{mantissa}·10") };
        return Text::new(base).sup(exponent.to_string().replace('-', "−"));
    }
    let decimals = (-exponent).max(0) as usize;
    Text::new(grouped(&format!("{:.decimals$}", f64::from(mantissa) * 10f64.powi(exponent))))
}

/// A number in running text: four significant digits.
pub(super) fn in_words(value: f64) -> String {
    let digits = if value == 0.0 || !value.is_finite() { 0 } else { 3 - value.abs().log10().floor() as i32 };
    if !(-6..=8).contains(&digits) {
        return format!("{value:.3e}");
    }
    let decimals = digits.max(0) as usize;
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    grouped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> Vec<String> {
        Span { scale, low, high }.ticks().into_iter().filter_map(|t| Some(t.label?.plain())).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(Scale::Linear, 0.0, 10_000.0), ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]);
        assert_eq!(labels(Scale::Linear, -1.0, 1.0), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(Scale::Linear, 0.0, 0.13), ["0.00", "0.02", "0.04", "0.06", "0.08", "0.10", "0.12"]);
        assert_eq!(labels(Scale::Log, 1.0, 10_000.0), ["1", "10", "100", "1,000", "10,000"]);
        assert_eq!(labels(Scale::Log, 5.0, 100.0), ["5", "10", "20", "50", "100"]);
        assert_eq!(labels(Scale::Log, 1e-6, 1.0), ["10−6", "10−5", "10−4", "10−3", "10−2", "10−1", "100"]);
        assert_eq!(labels(Scale::Log, 40.0, 60.0), ["40", "45", "50", "55", "60"]);
    }

    #[test]
    fn small_ticks_of_a_log_axis_have_no_labels() {
        let ticks = Span { scale: Scale::Log, low: 1.0, high: 1000.0 }.ticks();
        assert_eq!((ticks.len(), ticks.iter().filter(|t| t.label.is_some()).count()), (28, 4));
    }

    #[test]
    fn strange_data_have_a_span_and_few_ticks() {
        let strange: [&[f64]; 9] = [
            &[],
            &[f64::NAN],
            &[f64::INFINITY, f64::NEG_INFINITY],
            &[0.0, 0.0],
            &[-3.0],
            &[1e300, -1e300, 1e299],
            &[1e10, 1e10 + 1e-6],
            &[f64::MIN_POSITIVE, 1.0],
            &[5.0, 5.0, f64::NAN],
        ];
        for data in strange {
            for scale in [Scale::Linear, Scale::Log] {
                let plain = Span::of(scale, data.iter().copied());
                for span in [plain, plain.rounded(), plain.padded(0.04), plain.padded(0.04).rounded()] {
                    assert!(span.low < span.high, "{data:?} {span:?}");
                    let ticks = span.ticks();
                    assert!((1..80).contains(&ticks.len()), "{data:?} {span:?} {}", ticks.len());
                    assert!(ticks.iter().all(|t| span.contains(t.value)));
                }
                for &v in data.iter().filter(|&&v| scale.holds(v) && v > 1e-12) {
                    assert!(plain.contains(v) && plain.rounded().contains(v), "{v} {plain:?}");
                }
            }
        }
    }

    #[test]
    fn given_numbers_are_marked_if_they_are_inside() {
        let ticks = Span { scale: Scale::Log, low: 4.0, high: 600.0 }.ticks_at(&[5.0, 50.0, 500.0, 5000.0, 0.0]);
        let labels: Vec<String> = ticks.into_iter().map(|t| t.label.unwrap().plain()).collect();
        assert_eq!(labels, ["5", "50", "500"]);
    }

    #[test]
    fn rounds_begin_at_zero_and_far_data_do_not() {
        let span = |scale, low| Span { scale, low, high: 1000.0 }.starting_at_zero().low;
        assert_eq!((span(Scale::Linear, 1.0), span(Scale::Linear, 300.0), span(Scale::Log, 1.0)), (0.0, 300.0, 1.0));
    }

    #[test]
    fn places_are_proportional() {
        let log = Span { scale: Scale::Log, low: 1.0, high: 100.0 };
        assert!((log.part(10.0).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!((log.part(0.0), log.part(f64::NAN), log.part(-1.0)), (None, None, None));
        let linear = Span { scale: Scale::Linear, low: -1.0, high: 3.0 };
        assert_eq!((linear.part(0.0), linear.part(f64::INFINITY)), (Some(0.25), None));
    }

    #[test]
    fn numbers_in_words_have_four_digits() {
        let words = [0.0, 12.3456, 123_456.7, 0.000_12, -2.5, 1e12].map(in_words);
        assert_eq!(words, ["0", "12.35", "123,457", "0.00012", "−2.5", "1.000e12"]);
    }
}
