//! Claims against stores that fail, forget and lie.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use super::*;

/// A store, and what it does wrong at each request.
#[derive(Default)]
struct Store {
    objects: Mutex<HashMap<String, String>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Nothing comes through.
    Lost,
    /// It comes through, the answer does not.
    Deaf,
    /// It says that it did, and did not.
    Forgets,
    /// It makes what is there once more.
    Overwrites,
}

impl Store {
    fn answer(&self, ask: &Ask, fault: Fault) -> Answer {
        let unclear = || Answer::Unclear { why: "lost".to_owned() };
        if fault == Fault::Lost {
            return unclear();
        }
        let mut objects = self.objects.lock().unwrap();
        let answer = match ask {
            Ask::Create { at, .. } if objects.contains_key(at) && fault != Fault::Overwrites => {
                Answer::There {}
            }
            Ask::Create { .. } if fault == Fault::Forgets => Answer::Made {},
            Ask::Create { at, body, .. } => {
                objects.insert(at.clone(), body.clone());
                Answer::Made {}
            }
            Ask::Replace { at, over, .. } if objects.get(at) != Some(over) => Answer::There {},
            Ask::Replace { .. } if fault == Fault::Forgets => Answer::Made {},
            Ask::Replace { at, body, .. } => {
                objects.insert(at.clone(), body.clone());
                Answer::Made {}
            }
            Ask::Get { at, .. } => objects
                .get(at)
                .map_or(Answer::Absent {}, |body| Answer::Found { body: body.clone(), tag: body.clone() }),
            Ask::List { at } => {
                let name = |one: &String| Some(one.strip_prefix(at.as_str())?.strip_prefix('/')?.to_owned());
                Answer::Names { names: objects.keys().filter_map(name).collect() }
            }
        };
        if fault == Fault::Deaf { unclear() } else { answer }
    }
}

/// Claims with these faults, one for each request; then without.
fn claims(store: &Store, own: &str, faults: &[Fault]) -> Result<bool, String> {
    let mut faults = faults.iter().copied();
    spends(own, &mut |ask| store.answer(ask, faults.next().unwrap_or(Fault::None)))
}

/// What is asked of an object store for a nonce.
fn spends(own: &str, ask: &mut dyn FnMut(&Ask) -> Answer) -> Result<bool, String> {
    let first = claim("nonces/d/n", own, ask)?;
    if first {
        alone("nonces/d/n", own, ask)?;
    }
    Ok(first)
}

#[test]
fn every_row_of_faults_lets_at_most_one_run_and_a_lost_answer_is_no_reuse() {
    let all = [Fault::None, Fault::Lost, Fault::Deaf, Fault::Forgets, Fault::Overwrites];
    for row in 0..all.len().pow(5) {
        let faults: Vec<Fault> = (0..5).map(|at| all[row / all.len().pow(at) % all.len()]).collect();
        let store = Store::default();
        let one = claims(&store, "one", &faults);
        assert_ne!(one, Ok(false), "the first is never told that it was second: {faults:?}");
        let two = claims(&store, "two", &[]);
        assert!(!(one == Ok(true) && two == Ok(true)), "both ran: {faults:?}");
        if one == Ok(true) {
            assert_eq!(two, Ok(false), "{faults:?}");
        }
    }
    let store = Store::default();
    assert_eq!(claims(&store, "one", &[Fault::Deaf]), Ok(true), "its own words are there");
    assert_eq!(claims(&store, "two", &[Fault::Deaf, Fault::Deaf]), Ok(false));
    assert!(claims(&Store::default(), "one", &[Fault::Lost, Fault::Lost]).is_err());
    assert!(claims(&Store::default(), "one", &[Fault::Forgets]).is_err());
    assert!(claims(&Store::default(), "one", &[Fault::None, Fault::Lost]).is_err());
}

/// Somebody claims, and before one of his requests somebody else does, from beginning to end; and before one of his … Each
/// request to make something meets a store that heeds conditions or does not, as the next bit says.
fn claims_in_one_another(store: &Store, left: &[usize], heeds: &mut u32) -> Vec<Result<bool, String>> {
    let Some((at, rest)) = left.split_first() else { return Vec::new() };
    let mut within = Vec::new();
    let mut request = 0;
    let own = left.len().to_string();
    let done = spends(&own, &mut |ask| {
        if request == *at {
            within = claims_in_one_another(store, rest, heeds);
        }
        request += 1;
        let fault = match ask {
            Ask::Create { .. } => {
                let overwrites = *heeds & 1 == 1;
                *heeds >>= 1;
                if overwrites { Fault::Overwrites } else { Fault::None }
            }
            _ => Fault::None,
        };
        store.answer(ask, fault)
    });
    if request <= *at {
        within = claims_in_one_another(store, rest, heeds);
    }
    within.push(done);
    within
}

#[test]
fn a_store_that_overwrites_now_and_then_lets_at_most_one_run_and_says_so_to_the_others() {
    for bits in 0..1_u32 << 6 {
        for first in 0..5 {
            for second in 0..5 {
                let (store, mut heeds) = (Store::default(), bits);
                let done = claims_in_one_another(&store, &[first, second, 9], &mut heeds);
                let ran = done.iter().filter(|one| **one == Ok(true)).count();
                assert_eq!(done.len(), 3);
                assert!(ran <= 1, "{bits:06b} {first} {second}: {done:?}");
                for why in done.iter().filter_map(|one| one.as_ref().err()) {
                    assert!(why.contains("overwrites") || why.contains("take what it gave"), "{why}");
                }
                if bits == 0 {
                    assert_eq!(ran, 1, "{first} {second}: {done:?}");
                    assert!(done.iter().all(Result::is_ok), "{done:?}");
                }
            }
        }
    }
}

#[test]
fn a_document_is_replaced_by_one_alone_whatever_goes_wrong() {
    let all = [Fault::None, Fault::Lost, Fault::Deaf, Fault::Forgets];
    for first in all {
        for second in all {
            let store = Store::default();
            let ask = |ask: &Ask, fault| store.answer(ask, fault);
            let put = |body: &str, over: Option<&str>, faults: [Fault; 2]| {
                let mut faults = faults.into_iter();
                shared::put("r", body, shared::Form::Text, over, &mut |one| {
                    ask(one, faults.next().unwrap_or(Fault::None))
                })
            };
            assert_eq!(put("0", None, [Fault::None; 2]), Ok(Some("0".to_owned())));
            assert_eq!(put("1", None, [Fault::None; 2]), Ok(None), "there is one");
            let one = put("one", Some("0"), [first, second]);
            assert_ne!(one, Ok(None), "{first:?} {second:?}: nobody else was there");
            let two = put("two", Some("0"), [Fault::None; 2]);
            assert!(matches!(two, Ok(None | Some(_))));
            assert!(!(one == Ok(Some("one".to_owned())) && two != Ok(None)), "{first:?} {second:?}: both");
            if one.is_err() && two == Ok(None) {
                // It came through and nobody could know: it is told as what it is when it is looked at again.
                assert_eq!(put("one", Some("0"), [Fault::None; 2]), Ok(Some("one".to_owned())));
            }
        }
    }
}

#[test]
fn what_never_changes_and_reads_back_as_another_is_no_other_document() {
    let body = "the whole of it";
    for there in ["the whole", ""] {
        let short = |said: Answer| {
            let mut answers =
                [said, Answer::Found { body: there.to_owned(), tag: "t".to_owned() }].into_iter();
            let ask = &mut |_: &Ask| answers.next().unwrap();
            shared::put("a", body, shared::Form::Fixed, None, ask)
        };
        assert!(short(Answer::Made {}).unwrap_err().contains("other bytes"), "{there:?}");
        assert_eq!(short(Answer::There {}), Ok(None));
    }
    // A registry is replaced by others at any moment.
    let mut answers =
        [Answer::Made {}, Answer::Found { body: "newer".to_owned(), tag: "t".to_owned() }].into_iter();
    let ask = &mut |_: &Ask| answers.next().unwrap();
    assert_eq!(shared::put("r", body, shared::Form::Text, None, ask), Ok(None));
}

#[test]
fn one_of_fifty_claims_it() {
    let store = Store::default();
    let wins: usize = thread::scope(|scope| {
        let tries: Vec<_> = (0..50)
            .map(|n| {
                let store = &store;
                scope.spawn(move || claims(store, &n.to_string(), &[]) == Ok(true))
            })
            .collect();
        tries.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
    });
    assert_eq!(wins, 1);
}

#[test]
fn a_store_that_overwrites_is_found_out_before_it_is_believed() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::parse("s3://acme/x").unwrap();
    let fleet = Fleet::new(address, &Places::under(folder.path()));
    let store = Store::default();
    let proved = |fault| fleet.prove("own", &mut |ask| store.answer(ask, fault));
    assert!(proved(Fault::Overwrites).unwrap_err().contains("overwrites"));
    assert!(proved(Fault::Lost).is_err());
    assert!(!folder.path().join("state/store.proved").exists());
    assert_eq!(proved(Fault::None), Ok(()));
    assert_eq!(proved(Fault::Lost), Ok(()), "not asked again today");
}

#[test]
fn the_conversation_is_strict() {
    let ask = Ask::Create { at: "nonces/2026-01-01/x".to_owned(), body: "y".to_owned(), bytes: false };
    let line = serde_json::to_string(&ask).unwrap();
    assert_eq!(line, r#"{"do":"create","at":"nonces/2026-01-01/x","body":"y"}"#);
    assert_eq!(serde_json::from_str::<Ask>(&line).unwrap(), ask);
    for bad in [r#"{"is":"made","more":1}"#, r#"{"is":"yes"}"#, "{}", "null", r#"{"is":"found"}"#] {
        assert!(serde_json::from_str::<Answer>(bad).is_err(), "{bad}");
    }
}
