//! Puts every test vector to the core and prints one answer a line, by the protocol of `test-vectors/README.md`:
//! `cargo run -p verify-core --example vectors -- test-vectors`

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "an example reads files and prints")]

mod judge;
mod run;

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: vectors FOLDER");
        return ExitCode::from(2);
    };
    match answer_all(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}", verify_core::escape(&error));
            ExitCode::from(3)
        }
    }
}

fn answer_all(folder: &Path) -> Result<(), String> {
    let manifest = std::fs::read(folder.join("manifest.json")).map_err(|error| format!("manifest.json: {error}"))?;
    let manifest: Value = serde_json::from_slice(&manifest).map_err(|error| format!("manifest.json: {error}"))?;
    if manifest["version"] != 1 {
        return Err(format!("the manifest has version {}; this program reads version 1", manifest["version"]));
    }
    for entry in manifest["vectors"].as_array().into_iter().flatten() {
        let mut answer = judge::judge(folder, entry).map_err(|fault| format!("{}: {fault}", entry["id"]))?.answer();
        answer["id"] = entry["id"].clone();
        println!("{answer}");
    }
    for entry in manifest["logs"].as_array().into_iter().flatten() {
        let audit = judge::audit(folder, entry).map_err(|fault| format!("{}: {fault}", entry["id"]))?;
        let mut answer = judge::answer_about_log(&audit);
        answer["log"] = entry["id"].clone();
        println!("{answer}");
    }
    Ok(())
}
