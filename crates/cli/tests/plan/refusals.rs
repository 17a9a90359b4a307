//! Bad input: exit code 2, nothing on standard output, and one line that names the place and the remedy.

use insta::assert_snapshot;

use crate::command::refused;

/// Text that is not JSON.
mod syntax {
    use super::*;

    #[test]
    fn empty_input() {
        assert_snapshot!(refused(""), @"error: stdin: empty: give a problem as JSON (optimist plan --help shows one)");
    }

    #[test]
    fn only_space() {
        assert_snapshot!(refused(" \n\t "), @"error: stdin: empty: give a problem as JSON (optimist plan --help shows one)");
    }

    #[test]
    fn malformed() {
        assert_snapshot!(refused(r#"{"dimension": 2,
 "arms": [[1, 0}"#), @"error: stdin: line 2, column 16: expected `,` or `]`; mend the JSON there");
    }

    #[test]
    fn cut_off() {
        assert_snapshot!(refused(r#"{"dimension": 2,
 "arms": [[1, 0],"#), @"error: stdin: line 2, column 17: the JSON ends too early; complete it");
    }

    #[test]
    fn trailing_comma() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0],]}"#), @"error: stdin: line 1, column 34: a comma before the closing bracket, which JSON does not allow: remove it");
    }

    #[test]
    fn trailing_comma_of_an_object() {
        assert_snapshot!(refused("{\"dimension\": 1,\n \"arms\": [[1]],\n}"), @"error: stdin: line 3, column 1: a comma before the closing bracket, which JSON does not allow: remove it");
    }

    #[test]
    fn single_quotes() {
        assert_snapshot!(refused("{'dimension': 1}"), @"error: stdin: line 1, column 2: a single quote: JSON strings take double quotes");
        assert_snapshot!(refused(r#"{"dimension": 1, "arms": [[1]], "ids": ['é']}"#), @"error: stdin: line 1, column 41: a single quote: JSON strings take double quotes");
    }

    #[test]
    fn numbers_that_are_not_finite() {
        for word in ["NaN", "nan", "-NaN", "Infinity", "-Infinity", "inf", "-inf"] {
            let message = refused(format!("{{\"dimension\": 1,\n \"é\": 1, \"arms\": [[1], [{word}]]}}"));
            assert!(message.starts_with("error: stdin: line 2, column "), "{message}");
            assert!(
                message.ends_with(": JSON has no NaN or infinity: give a finite number, or null where none is known")
            );
        }
    }

    #[test]
    fn two_documents() {
        assert_snapshot!(refused(r#"{"dimension": 1, "arms": [[1]]} {}"#), @"error: stdin: line 1, column 33: trailing characters; mend the JSON there");
    }

    #[test]
    fn nan_is_no_json() {
        assert_snapshot!(refused(r#"{"dimension": 1, "arms": [[NaN]]}"#), @"error: stdin: line 1, column 28: JSON has no NaN or infinity: give a finite number, or null where none is known");
    }

    #[test]
    fn not_an_object() {
        assert_snapshot!(refused("[1, 2]"), @"error: stdin: the document is a list: it must be an object with the keys dimension, arms, ids, observations, set, tolerance");
    }

    #[test]
    fn a_bare_text() {
        assert_snapshot!(refused(r#""problem""#), @r#"error: stdin: the document is "problem": it must be an object with the keys dimension, arms, ids, observations, set, tolerance"#);
    }
}

/// The number of features.
mod dimension {
    use super::*;

    #[test]
    fn dimension_missing() {
        assert_snapshot!(refused(r#"{"arms": [[1]]}"#), @"error: stdin: dimension is missing: give the number of features of an arm");
    }

    #[test]
    fn dimension_zero() {
        assert_snapshot!(refused(r#"{"dimension": 0, "arms": [[]]}"#), @"error: stdin: dimension is 0: it must be a whole number from 1 to 100000");
    }

    #[test]
    fn dimension_negative() {
        assert_snapshot!(refused(r#"{"dimension": -2, "arms": [[1, 0]]}"#), @"error: stdin: dimension is -2: it must be a whole number from 1 to 100000");
    }

    #[test]
    fn dimension_fractional() {
        assert_snapshot!(refused(r#"{"dimension": 1.5, "arms": [[1]]}"#), @"error: stdin: dimension is 1.5: it must be a whole number from 1 to 100000");
    }

    #[test]
    fn dimension_absurd() {
        assert_snapshot!(refused(r#"{"dimension": 1000000, "arms": [[1]]}"#), @"error: stdin: dimension is 1000000: it must be a whole number from 1 to 100000");
    }

    #[test]
    fn dimension_text() {
        assert_snapshot!(refused(r#"{"dimension": "2", "arms": [[1, 0]]}"#), @r#"error: stdin: dimension is "2": it must be a number, without quotes"#);
    }

    #[test]
    fn dimension_null() {
        assert_snapshot!(refused(r#"{"dimension": null, "arms": [[1, 0]]}"#), @"error: stdin: dimension is null: it must be a number");
    }
}

/// The arms and their names.
mod arms {
    use super::*;

    #[test]
    fn arms_missing() {
        assert_snapshot!(refused(r#"{"dimension": 2}"#), @"error: stdin: arms is missing: give a list of feature vectors to choose from");
    }

    #[test]
    fn arms_empty() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": []}"#), @"error: stdin: arms is empty: give at least one feature vector");
    }

    #[test]
    fn arms_no_list() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": {"a": [1, 0]}}"#), @"error: stdin: arms is an object: it must be a list");
    }

    #[test]
    fn arms_flat() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [1, 0]}"#), @"error: stdin: arms[0] is 1: it must be a list");
    }

    #[test]
    fn arm_too_short() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [1]]}"#), @"error: stdin: arms[1] has length 1: it must be 2, the dimension");
    }

    #[test]
    fn arm_with_text() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, "a"]]}"#), @r#"error: stdin: arms[0][1] is "a": it must be a number, without quotes"#);
    }

    #[test]
    fn arm_with_true() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, true]]}"#), @"error: stdin: arms[0][1] is true: it must be a number");
    }

    #[test]
    fn arm_with_null() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[null, 0]]}"#), @"error: stdin: arms[0][0] is null: it must be a number");
    }

    #[test]
    fn arm_with_overflow() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, -1e999]]}"#), @"error: stdin: arms[1][1] is -1e999: it must be a finite number, below 1.8e308 in size");
    }

    #[test]
    fn arm_of_absurd_size() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1e300, 0]]}"#), @"error: stdin: arms[0][0] is 1e300: it must be at most 1e6 in size: rescale");
    }

    #[test]
    fn ids_too_few() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "ids": ["a"]}"#), @"error: stdin: ids has length 1: it must be 2, one name for each arm");
    }

    #[test]
    fn ids_repeated() {
        assert_snapshot!(refused(r#"{"dimension": 1, "arms": [[1], [2], [3]], "ids": ["a", "b", "a"]}"#), @r#"error: stdin: ids[2] is "a", as is ids[0]: give each arm a name of its own"#);
    }

    #[test]
    fn ids_not_text() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "ids": ["a", 7]}"#), @"error: stdin: ids[1] is 7: it must be text in quotes");
    }

    #[test]
    fn ids_broken_text() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "ids": ["a", "\ud800"]}"#), @r#"error: stdin: ids[1] holds a broken \u escape: write the character itself"#);
    }
}

/// What was observed.
mod observations {
    use super::*;

    #[test]
    fn observations_null() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": null}"#), @"error: stdin: observations is null: it must be a list");
    }

    #[test]
    fn observation_no_object() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [[1, 0]]}"#), @"error: stdin: observations[0] is a list: it must be an object with the keys x, reward, count");
    }

    #[test]
    fn x_missing() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"reward": 1}]}"#), @"error: stdin: observations[0].x is missing: give the features of the arm that was played");
    }

    #[test]
    fn x_too_long() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 1}, {"x": [1, 0, 0], "reward": 1}]}"#), @"error: stdin: observations[1].x has length 3: it must be 2, the dimension");
    }

    #[test]
    fn x_with_overflow() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 1e400], "reward": 1}]}"#), @"error: stdin: observations[0].x[1] is 1e400: it must be a finite number, below 1.8e308 in size");
    }

    #[test]
    fn reward_missing() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0]}]}"#), @"error: stdin: observations[0].reward is missing: give the outcome, from 0 to 1");
    }

    #[test]
    fn reward_above_one() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 3, "count": 5}]}"#), @"error: stdin: observations[0].reward is 3: it must be from 0 to 1: the outcome of each of the count observations, not their sum");
    }

    #[test]
    fn reward_negative() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": -0.1}]}"#), @"error: stdin: observations[0].reward is -0.1: it must be from 0 to 1: the outcome of each of the count observations, not their sum");
    }

    #[test]
    fn reward_true() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": true}]}"#), @"error: stdin: observations[0].reward is true: it must be a number");
    }

    #[test]
    fn count_zero() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 1, "count": 0}]}"#), @"error: stdin: observations[0].count is 0: it must be a whole number from 1 to 9007199254740992");
    }

    #[test]
    fn count_negative() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 1, "count": -3}]}"#), @"error: stdin: observations[0].count is -3: it must be a whole number from 1 to 9007199254740992");
    }

    #[test]
    fn count_fractional() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 1, "count": 2.5}]}"#), @"error: stdin: observations[0].count is 2.5: it must be a whole number from 1 to 9007199254740992");
    }

    #[test]
    fn count_absurd() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 1, "count": 1e300}]}"#), @"error: stdin: observations[0].count is 1e300: it must be a whole number from 1 to 9007199254740992");
    }

    #[test]
    fn count_null() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "reward": 1, "count": null}]}"#), @"error: stdin: observations[0].count is null: it must be a number");
    }
}

/// The set.
mod set {
    use super::*;

    #[test]
    fn set_text() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": "mixture"}"#), @r#"error: stdin: set is "mixture": it must be an object with the keys radius, norm_bound, delta"#);
    }

    #[test]
    fn radius_number() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"radius": 2}}"#), @"error: stdin: set.radius is 2: it must be text in quotes");
    }

    #[test]
    fn delta_zero() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"delta": 0}}"#), @"error: stdin: set.delta is 0: it must be strictly between 0 and 1, for instance 0.05");
    }

    #[test]
    fn delta_one() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"delta": 1}}"#), @"error: stdin: set.delta is 1: it must be strictly between 0 and 1, for instance 0.05");
    }

    #[test]
    fn delta_percent() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"delta": "5%"}}"#), @r#"error: stdin: set.delta is "5%": it must be a number, without quotes"#);
    }

    #[test]
    fn norm_bound_zero() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"norm_bound": 0}}"#), @"error: stdin: set.norm_bound is 0: it must be positive (1e-6 to 1e6), or null if no bound on the norm is known");
    }

    #[test]
    fn norm_bound_negative() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"norm_bound": -1}}"#), @"error: stdin: set.norm_bound is -1: it must be positive (1e-6 to 1e6), or null if no bound on the norm is known");
    }

    #[test]
    fn norm_bound_overflow() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"norm_bound": 1e999}}"#), @"error: stdin: set.norm_bound is 1e999: it must be a finite number, below 1.8e308 in size");
    }

    #[test]
    fn excess_missing() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"radius": {"ridge": 1}}}"#), @"error: stdin: set.radius.excess is missing: give how far above its least value the loss may lie");
    }

    #[test]
    fn excess_negative() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"radius": {"excess": -1, "ridge": 1}}}"#), @"error: stdin: set.radius.excess is -1: it must be zero or positive");
    }

    #[test]
    fn ridge_negative() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"radius": {"excess": 1, "ridge": -1}}}"#), @"error: stdin: set.radius.ridge is -1: it must be zero or positive");
    }

    #[test]
    fn tolerance_zero() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "tolerance": 0}"#), @"error: stdin: tolerance is 0: it must be from 1e-12 to 1e-2");
    }

    #[test]
    fn tolerance_too_large() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "tolerance": 0.1}"#), @"error: stdin: tolerance is 0.1: it must be from 1e-12 to 1e-2");
    }
}

/// Keys that are unknown, misplaced or repeated.
mod keys {
    use super::*;

    #[test]
    fn key_misspelt() {
        assert_snapshot!(refused(r#"{"dimensions": 2, "arms": [[1, 0]]}"#), @r#"error: stdin: dimensions is not a known key: did you mean "dimension"? (known: dimension, arms, ids, observations, set, tolerance)"#);
    }

    #[test]
    fn key_of_an_observation() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "observations": [{"x": [1, 0], "rewards": 1}]}"#), @r#"error: stdin: observations[0].rewards is not a known key: did you mean "reward"? (known: x, reward, count)"#);
    }

    #[test]
    fn key_of_the_set() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"Radius": "mixture"}}"#), @r#"error: stdin: set.Radius is not a known key: did you mean "radius"? (known: radius, norm_bound, delta)"#);
    }

    #[test]
    fn key_of_the_radius() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"radius": {"exces": 1}}}"#), @r#"error: stdin: set.radius.exces is not a known key: did you mean "excess"? (known: excess, ridge)"#);
    }

    #[test]
    fn key_one_level_too_high() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "delta": 0.05}"#), @r#"error: stdin: delta is not a known key: put "delta" into "set""#);
    }

    #[test]
    fn key_two_levels_too_high() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "set": {"excess": 2}}"#), @r#"error: stdin: set.excess is not a known key: put "excess" into "radius""#);
    }

    #[test]
    fn key_with_a_line_break() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "a\nb": 1}"#), @r#"error: stdin: a\nb is not a known key: use one of dimension, arms, ids, observations, set, tolerance"#);
    }

    #[test]
    fn key_without_end() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz": 1}"#), @r#"error: stdin: zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz... is not a known key: use one of dimension, arms, ids, observations, set, tolerance"#);
    }

    #[test]
    fn key_repeated() {
        assert_snapshot!(refused(r#"{"dimension": 2, "arms": [[1, 0], [0, 1]], "dimension": 3}"#), @"error: stdin: dimension is given twice: keep one");
    }
}

#[test]
fn bytes_that_are_not_text() {
    assert_snapshot!(refused(b"{\"dimension\": \xff}"), @"error: stdin: not UTF-8 text (byte 15): save the file as UTF-8");
}

/// The list of names grows with the registry, so only the beginning is fixed.
#[test]
fn radius_unknown() {
    let message = refused(r#"{"dimension": 1, "arms": [[1]], "set": {"radius": "mixtur"}}"#);
    let beginning =
        r#"error: stdin: set.radius is "mixtur", which is no radius: did you mean "mixture"? (known: mixture"#;
    assert!(message.starts_with(beginning), "{message}");
}
