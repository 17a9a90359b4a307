//! States as text and as bytes, with and without the generator.

use optimist::policy::{self, Session};
use optimist::{Error, generator};

use super::{arms, every_policy, play};

#[test]
fn bytes_restore_what_text_restores() {
    for mut policy in every_policy() {
        let name = policy.info().name;
        let mut rng = generator(1);
        for rounds in [0, 1, 30] {
            play(&mut *policy, rounds, &mut rng);
            let (text, bytes) = (policy.save().unwrap(), policy.save_bytes().unwrap());
            let restored = policy::restore_bytes(&bytes).unwrap();
            assert_eq!(restored.save_bytes().unwrap(), bytes, "{name}");
            assert_eq!(restored.save().unwrap(), text, "{name}");
            assert_eq!(policy::restore(&text).unwrap().save_bytes().unwrap(), bytes, "{name}");
        }
    }
}

/// A session that was stored and restored half-way, as text or as bytes, plays on as if nothing had happened.
#[test]
fn a_session_goes_on_to_the_last_bit() {
    for policy in every_policy() {
        let name = policy.info().name;
        let mut whole = Session::new(policy, 9);
        let Session { policy, rng } = &mut whole;
        play(&mut **policy, 15, rng);
        let mut by_text = Session::restore(&whole.save().unwrap()).unwrap();
        let mut by_bytes = Session::restore_bytes(&whole.save_bytes().unwrap()).unwrap();
        for session in [&mut whole, &mut by_text, &mut by_bytes] {
            let Session { policy, rng } = session;
            play(&mut **policy, 15, rng);
        }
        let end = whole.save().unwrap();
        assert_eq!(by_text.save().unwrap(), end, "{name}");
        assert_eq!(by_bytes.save().unwrap(), end, "{name}");
        assert_eq!(whole.choose(&arms()).unwrap(), by_bytes.choose(&arms()).unwrap(), "{name}");
    }
}

#[test]
fn a_policy_without_its_generator_is_no_session() {
    let policy = every_policy().next().unwrap();
    let error = Session::restore(&policy.save().unwrap()).unwrap_err().to_string();
    assert!(error.contains("without its generator"), "{error}");
    // But the policy of a session can be had alone.
    let session = Session::new(policy, 1);
    assert!(policy::restore(&session.save().unwrap()).is_ok());
    assert!(policy::restore_bytes(&session.save_bytes().unwrap()).is_ok());
}

/// Every byte of a binary document matters, and no damage makes a program panic.
#[test]
fn damaged_bytes_are_refused() {
    for mut policy in every_policy() {
        let name = policy.info().name;
        play(&mut *policy, 12, &mut generator(4));
        let bytes = policy.save_bytes().unwrap();
        for at in (0..bytes.len()).step_by((bytes.len() / 200).max(1)) {
            assert!(policy::restore_bytes(&bytes[..at]).is_err(), "{name}: cut at {at}");
            for change in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                let error = policy::restore_bytes(&damaged).err();
                assert!(matches!(error, Some(Error::Document { .. })), "{name}: byte {at}: {error:?}");
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(policy::restore_bytes(&longer).is_err(), "{name}: a byte too many");
    }
}

#[test]
fn a_document_of_the_other_form_is_told() {
    let policy = every_policy().next().unwrap();
    let text = policy.save().unwrap();
    let said = policy::restore_bytes(format!("\n {text}").as_bytes()).unwrap_err().to_string();
    assert_eq!(said, "the document is JSON text, not a stored policy in binary form: restore it with restore");
    let bytes = policy.save_bytes().unwrap();
    let said = policy::restore(&String::from_utf8_lossy(&bytes)).unwrap_err().to_string();
    assert_eq!(said, "the document is a stored policy in binary form, not JSON: restore it with restore_bytes");
}

/// A document may be laid out anew; what its strings and numbers say may not change.
#[test]
fn a_document_may_be_reformatted() {
    let mut policy = every_policy().next().unwrap();
    play(&mut *policy, 12, &mut generator(5));
    let text = policy.save().unwrap();
    let spaced = text.replace(',', ",\n  ").replace(":{", " : { ");
    assert_ne!(spaced, text);
    assert_eq!(policy::restore(&spaced).unwrap().save().unwrap(), text);
    let changed = text.replacen("\"optimist\"", "\"opti mist\"", 1);
    assert!(policy::restore(&changed).is_err());
}

#[test]
fn bytes_are_smaller_than_text() {
    let mut policy = every_policy().next().unwrap();
    play(&mut *policy, 200, &mut generator(6));
    let (text, bytes) = (policy.save().unwrap().len(), policy.save_bytes().unwrap().len());
    assert!(3 * bytes < 2 * text, "{bytes} bytes, {text} characters");
}
