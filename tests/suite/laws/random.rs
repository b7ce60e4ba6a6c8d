//! Random programs against an oracle, briefly; `cargo run --bin fuzz` runs them for hours.

use conformance::fuzz::TARGETS;
use std::time::Duration;

/// So many programs of each target, or as many as 3 seconds allow; the same ones each time.
const PROGRAMS: u64 = 4000;

#[test]
fn random_programs_agree_with_the_oracle() {
    for target in TARGETS {
        let outcome = target.run(0, Duration::from_secs(3), PROGRAMS);
        let failures = outcome.failures.join("\n");
        assert!(
            outcome.failures.is_empty(),
            "{} of {}:\n{failures}",
            target.name,
            outcome.programs
        );
    }
}
