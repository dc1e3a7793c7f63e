//! Any bytes as an attestation: `cargo +nightly fuzz run attestation`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::attest::json::{canonical, parse};
use recourse::attest::{Attestation, Expect, Options, Registry, Verifier};

fuzz_target!(|data: &[u8]| {
    if let Ok(value) = parse(data, usize::MAX) {
        // What was read is written in one way, and read back as the same.
        let once = canonical(&value).expect("what was read can be written");
        let again = parse(&once, usize::MAX).expect("what was written can be read");
        assert_eq!(canonical(&again).expect("what was read can be written"), once);
    }
    if let Ok(attestation) = Attestation::parse(data) {
        let copy = Attestation::parse(attestation.canonical()).expect("its canonical form is an attestation");
        assert_eq!((copy.id(), copy.payload()), (attestation.id(), attestation.payload()));
    }
    // Without keys nothing is valid.
    let empty = Registry::from_value(&parse(b"{\"keys\":[]}", 100).expect("valid JSON")).expect("a registry");
    assert!(Verifier::offline(Options::default(), empty).verify_json(data, Expect::default()).is_err());
});
