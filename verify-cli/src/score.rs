//! `receipt score`: the label that figures earn, and why. It is arithmetic on figures that nobody verified.

use std::path::Path;

use serde_json::json;
use verify_core::escape;
use verify_core::tier::{Measurement, MeasurementError, Params, ScoreError, Scored, score};

use crate::args::{Document, ScoreArgs};
use crate::exit;
use crate::inputs::{Input, read_toml};
use crate::json::pretty;
use crate::layout::{BAD, GOOD, PLAIN, Page};
use crate::output::{Output, complain};
use crate::text::steps;

/// Why there is no label: a word for people and the exit code.
type Refusal = (String, u8);

pub(crate) fn run(arguments: &ScoreArgs, output: &mut Output) -> u8 {
    if !output.spares(arguments.from.iter().chain(&arguments.params)) {
        return exit::USAGE;
    }
    let (params, measurement, scored) = match derive(arguments) {
        Ok(derived) => derived,
        Err((message, code)) => {
            complain(&format!("error: {message}"));
            return code;
        }
    };
    let unexpected = arguments.expect_label.as_ref().filter(|expected| *expected != scored.label.name());
    let code = if unexpected.is_some() { exit::INVALID } else { exit::OK };
    output.print(&match arguments.format {
        Document::Text => page(&params, &scored),
        Document::Json => {
            let params = json!({ "name": escape(params.name()), "sha256": params.digest() });
            pretty(&json!({ "status": "UNVERIFIED", "params": params, "measurement": measurement, "scored": scored, "exit_code": code }))
        }
    });
    if let Some(expected) = unexpected {
        complain(&format!("the label is {}, not {expected}", scored.label));
    }
    code
}

/// Reads the parameters of the rule. The error names the file and says what it is for.
pub(crate) fn params(file: &Path) -> Result<Params, String> {
    read_toml(file, "parameters", "", |text| toml::from_str(text))
}

fn derive(arguments: &ScoreArgs) -> Result<(Params, Measurement, Scored), Refusal> {
    let params = match (&arguments.params, &arguments.preset) {
        (Some(file), _) => params(file),
        (None, preset) => {
            Params::preset(preset.as_deref().unwrap_or_default(), arguments.reference).map_err(|error| format!("{error} (--reference)"))
        }
    };
    let params = params.map_err(|message| (message, exit::USAGE))?;
    let measurement = measurement(arguments)?;
    let scored = score(&params, &measurement).map_err(|error| refusal(error, arguments.from.as_deref()))?;
    Ok((params, measurement, scored))
}

fn measurement(arguments: &ScoreArgs) -> Result<Measurement, Refusal> {
    let Some(path) = &arguments.from else {
        let mut measurement = Measurement::default();
        (measurement.value, measurement.frontier, measurement.ceiling) = (arguments.value, arguments.frontier, arguments.ceiling);
        (measurement.top1, measurement.kl) = (arguments.top1, arguments.kl);
        measurement.guards.clone_from(&arguments.guards);
        return Ok(measurement);
    };
    let name = escape(&path.to_string_lossy());
    let read = Input::named(path).ask(Measurement::read).map_err(|failure| (format!("{name}: {}", failure.message), failure.exit_code))?;
    read.map_err(|error| {
        let code = match error {
            MeasurementError::Receipt => exit::USAGE,
            _ if error.is_limit() => exit::UNVERIFIABLE,
            _ => exit::INVALID,
        };
        (format!("{name}: {error}"), code)
    })
}

/// A figure that no flag gave is a wrong call; one that a record lacks is something absent.
fn refusal(error: ScoreError, from: Option<&Path>) -> Refusal {
    match (from, error) {
        (Some(path), _) => (format!("{}: {error}", escape(&path.to_string_lossy())), exit::UNVERIFIABLE),
        (None, ScoreError::Missing(figure)) => (format!("the rule needs --{}", figure.name()), exit::USAGE),
        (None, _) => (error.to_string(), exit::USAGE),
    }
}

fn page(params: &Params, scored: &Scored) -> String {
    let mut page = Page::default();
    let (style, word) = if scored.pass { (GOOD, "passes") } else { (BAD, "does not pass") };
    page.head(scored.label.name(), style, &format!("{word}, by the parameters \"{}\" ({})", escape(params.name()), params.digest()));
    steps(scored, &mut page);
    let rounded = &scored.rounded;
    let printed: Vec<String> = [
        ("value", rounded.value, ""),
        ("frontier", rounded.frontier, ""),
        ("delta", rounded.delta, ""),
        ("over frontier", rounded.pct_over_frontier, "%"),
        ("effective", rounded.effective_pct, "%"),
        ("of ceiling", rounded.pct_of_ceiling, "%"),
    ]
    .into_iter()
    .filter_map(|(name, figure, unit)| Some(format!("{name} {:?}{unit}", figure?)))
    .collect();
    if !printed.is_empty() {
        page.row("Rounded", PLAIN, &printed.join(", "));
    }
    page.row("Note", PLAIN, "arithmetic on unverified figures: it does not say that they are true");
    page.into_text()
}
