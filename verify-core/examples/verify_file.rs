//! Verifies one receipt file with the default policy and prints what matters:
//! `cargo run -p verify-core --example verify_file -- receipt.json`

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example reads files and prints")]

use std::process::ExitCode;

use verify_core::{Anchors, Effect, Policy, Request, Verifier};

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: verify_file RECEIPT.json");
        return ExitCode::from(2);
    };
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{}: {error}", verify_core::escape(&path));
            return ExitCode::from(3);
        }
    };
    let verifier = Verifier::new(Policy::strict(), Anchors::intel());
    let report = verifier.verify(&Request::new(&bytes).named(&path));
    println!("{}", report.headline());
    for problem in report.problems.iter().filter(|problem| problem.effect > Effect::Notes) {
        println!("  {}: {} ({})", problem.code, problem.message, problem.location);
    }
    ExitCode::from(report.exit_code)
}
