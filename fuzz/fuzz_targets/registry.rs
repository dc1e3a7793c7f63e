//! Any bytes as a key registry: `cargo +nightly fuzz run registry`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use recourse::attest::Registry;
use recourse::attest::cache::read_registry;

fuzz_target!(|data: &[u8]| {
    if let Ok(registry) = read_registry(data) {
        for key in &registry.keys {
            // A key that may verify is found in exactly one place.
            if let Ok(found) = registry.lookup(&key.key_id) {
                let named = registry.keys.iter().filter(|other| other.key_id == key.key_id).count();
                assert!(named == 1 || !found.state.verifies());
            }
        }
        // Entries that cannot be used are not written again; the rest is.
        let again = Registry::from_value(&registry.to_value()).expect("what was written can be read");
        assert_eq!((&again.keys, again.version), (&registry.keys, registry.version));
    }
});
