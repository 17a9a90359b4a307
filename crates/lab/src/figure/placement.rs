//! Where words go so that they do not get in each other's way.

use super::Text;

/// Places as near as possible to the wanted ones (in the sense of least squares) that keep their order, a distance of
/// `gap` and the limits. If the limits are too narrow for that, the distance shrinks.
pub(super) fn spread(wanted: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    let count = wanted.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    let steps = count.saturating_sub(1) as f64;
    let gap = gap.min((high - low).max(0.0) / steps.max(1.0));
    // After subtracting i * gap, places need only ascend: pool neighbours that do not (isotonic regression).
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (i, &index) in order.iter().enumerate() {
        pools.push((wanted[index] - gap * i as f64, 1));
        while let [.., (a, n), (b, m)] = pools[..]
            && a > b
        {
            pools.truncate(pools.len() - 2);
            pools.push(((a * n as f64 + b * m as f64) / (n + m) as f64, n + m));
        }
    }
    let top = (high - gap * steps).max(low);
    let levels = pools.into_iter().flat_map(|(level, n)| std::iter::repeat_n(level.clamp(low, top), n));
    let mut places = vec![0.0; count];
    for (i, (level, &index)) in levels.zip(&order).enumerate() {
        places[index] = level + gap * i as f64;
    }
    places
}

/// The text, or as much of its beginning as fits into a width, with an ellipsis.
pub(super) fn shortened(text: &str, width: f64, look: impl Fn(String) -> Text) -> Text {
    let whole = look(text.to_owned());
    if whole.width() <= width {
        return whole;
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() {
        let short = look(format!("{}…", kept.trim_end()));
        if short.width() <= width {
            return short;
        }
    }
    look("…".to_owned())
}

/// The text in lines that fit into a width, broken at spaces; what is too long for `most` lines ends in an ellipsis.
pub(super) fn wrapped(text: &str, width: f64, most: usize, look: impl Fn(String) -> Text) -> Vec<Text> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let room = lines.len() < most;
        match lines.last_mut() {
            Some(line) if !room || look(format!("{line} {word}")).width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| shortened(line, width, &look)).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn labels_never_overlap_nor_leave_and_keep_their_order() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..2000 {
            let count = rng.random_range(0..=14);
            // Often far outside the limits, often equal.
            let wanted: Vec<f64> = (0..count).map(|_| f64::from(rng.random_range(-10..40)) * 12.5).collect();
            let places = spread(&wanted, 17.0, 40.0, 300.0);
            for i in 0..count {
                assert!((40.0 - 1e-9..=300.0 + 1e-9).contains(&places[i]), "{wanted:?} {places:?}");
                for j in 0..i {
                    assert!((places[i] - places[j]).abs() >= 17.0 - 1e-9, "{wanted:?} {places:?}");
                    assert!(wanted[i] == wanted[j] || (wanted[i] < wanted[j]) == (places[i] < places[j]));
                }
            }
        }
    }

    #[test]
    fn labels_stay_where_they_are_if_they_can() {
        assert_eq!(spread(&[200.0, 50.0, 100.0], 17.0, 0.0, 300.0), [200.0, 50.0, 100.0]);
        assert_eq!(spread(&[100.0, 100.0], 20.0, 0.0, 300.0), [90.0, 110.0]);
        assert_eq!(spread(&[5.0, 5.0, 5.0], 20.0, 0.0, 10.0), [0.0, 5.0, 10.0]);
    }

    #[test]
    fn long_words_are_shortened_and_long_lines_broken() {
        let look = |text: String| Text::new(text);
        for width in [5.0, 20.0, 60.0, 300.0] {
            let short = shortened("a rather long label of a policy", width, look);
            assert!(short.width() <= width.max(Text::new("…").width()), "{}", short.plain());
        }
        let lines: Vec<String> =
            wrapped("one two three four five six", 80.0, 2, look).iter().map(Text::plain).collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("one two") && lines[1].ends_with('…'), "{lines:?}");
        assert!(wrapped("", 80.0, 2, look).is_empty());
    }
}
