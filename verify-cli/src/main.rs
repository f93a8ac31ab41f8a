//! `receipt`: an offline verifier of Polaris receipts for a terminal and for CI.
//!
//! The command line reads files, calls the core and prints its answer; every rule of verification is in the core.
//! `args` says what can be asked; `verify` answers two commands, every other file that has the name of a command answers that one;
//! `inputs` turns paths into bytes, `evidence` names below a folder, `engine` judges many of them, `text`, `json` and `html` show a result,
//! and `exit` holds the tables of exit codes.

#![forbid(unsafe_code)]

mod args;
mod audit;
mod classify;
mod compare;
mod compared;
mod engine;
mod evidence;
mod exit;
mod explain;
mod floor;
mod html;
mod inputs;
mod inspect;
mod json;
mod layout;
mod log_folder;
mod output;
mod policy;
mod quote;
mod score;
mod terms;
mod text;
mod trace;
mod verify;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Color, Command, Presentation};
use output::{Output, complain};
use verify::View;

fn main() -> ExitCode {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |location| format!(" at {}:{}", location.file(), location.line()));
        let payload = info.payload();
        let said = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        complain(&format!("internal error{place}: {}", verify_core::escape(said)));
    }));
    let code = panic::catch_unwind(AssertUnwindSafe(|| match Cli::try_parse() {
        Ok(cli) => run(&cli),
        Err(refusal) => show_refusal(&refusal),
    }));
    ExitCode::from(code.unwrap_or(exit::INTERNAL))
}

fn run(cli: &Cli) -> u8 {
    let mut output = match Output::to(&cli.output, cli.color) {
        Ok(output) => output,
        Err(message) => {
            return match &cli.command {
                Command::Compare(arguments) => compare::refuse(&message, arguments.format),
                Command::Floor(_) => floor::refuse(&message),
                _ => {
                    complain(&format!("error: {message}"));
                    exit::USAGE
                }
            };
        }
    };
    let code = match &cli.command {
        Command::Verify(arguments) => verify::run(arguments, View::Report, &mut output),
        Command::Audit(arguments) => audit::run(arguments, &mut output),
        Command::Claims(arguments) => verify::run(arguments, View::Claims, &mut output),
        Command::Quote(arguments) => quote::run(arguments, &mut output),
        Command::Inspect(arguments) => inspect::run(arguments, &mut output),
        Command::Score(arguments) => score::run(arguments, &mut output),
        Command::Compare(arguments) => compare::run(arguments, &mut output),
        Command::Floor(arguments) => floor::run(arguments, &mut output),
        Command::Trace(arguments) => trace::run(arguments, &mut output),
        Command::Explain(arguments) => explain::run(arguments, &mut output),
        Command::Policy(arguments) => policy::run(&arguments.action, &mut output),
        Command::Classify(arguments) => classify::run(arguments, &mut output),
    };
    exit::worst(code, output.finish())
}

/// Shows help and version, which are answers, and usage errors, which repeat arguments and so need escaping.
fn show_refusal(refusal: &clap::Error) -> u8 {
    let shown = refusal.to_string();
    if !refusal.use_stderr() {
        let mut output = Output::to_standard_output(Color::Never);
        output.print(&shown);
        return output.finish();
    }
    // The text repeats arguments; parsed again with escaped ones it cannot hold a line of theirs.
    let arguments: Vec<String> = std::env::args_os().map(|argument| verify_core::escape(&argument.to_string_lossy())).collect();
    let shown = Cli::try_parse_from(&arguments).err().map_or_else(|| verify_core::escape(&shown), |refusal| refusal.to_string());
    let shown = shown.trim_end();
    let asked = Cli::command().ignore_errors(true).try_get_matches_from(&arguments).ok();
    let command = asked.as_ref().and_then(|asked| asked.subcommand_name());
    if !matches!(command, Some("compare" | "floor")) {
        complain(shown);
        return exit::USAGE;
    }
    // Their refusals have a name on the first line, and are whole answers where it is certain in which form.
    let (why, usage) = shown.split_once("\n\n").unwrap_or((shown, ""));
    let why = why.trim_start_matches("error: ").lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let is_asked_for = |format: &str| {
        arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == format) || arguments.contains(&format!("--format={format}"))
    };
    let code = match command {
        Some("floor") if !is_asked_for("text") => floor::refuse(&why),
        Some("compare") if is_asked_for("json") => compare::refuse(&why, Presentation::Json),
        _ => {
            compare::say_refusal("USAGE", Some(&why));
            exit::USAGE
        }
    };
    complain(usage);
    code
}
