//! `receipt floor`: the noise of a configuration that is measured several times.

use std::path::PathBuf;

use verify_core::bench::{Floored, Question, RawFile, floor};

use crate::args::{Color, Document, FloorArgs};
use crate::compare::{raw, raw_files, say_refusal};
use crate::compared::floor_text;
use crate::exit;
use crate::output::Output;

pub(crate) fn run(arguments: &FloorArgs, output: &mut Output) -> u8 {
    let read: Vec<PathBuf> = arguments.pairs.iter().cloned().chain(arguments.measured.files()).collect();
    if let Some(why) = output.replaced(&read) {
        return refuse(&why);
    }
    let pairs: Vec<[Vec<RawFile>; 2]> = match arguments.pairs.as_slice() {
        [] => vec![arguments.measured.arms()],
        files => files.chunks_exact(2).map(|pair| [&pair[..1], &pair[1..]].map(|arm| arm.iter().map(|file| raw(file)).collect())).collect(),
    };
    let files = raw_files(pairs.iter().flatten().flatten());
    let questions: Result<Vec<Question<'_>>, String> = pairs.into_iter().map(|arms| arguments.measured.question(&files, arms)).collect();
    let floored = match questions {
        _ if arguments.pairs.len() % 2 == 1 => Floored::unasked("raw files come in pairs"),
        Ok(questions) => floor(&questions),
        Err(why) => Floored::unasked(&why),
    };
    show(&floored, arguments.format, output)
}

/// Refuses a call that cannot be answered where it was to be answered: on standard output.
pub(crate) fn refuse(why: &str) -> u8 {
    let mut output = Output::to_standard_output(Color::Never);
    let code = show(&Floored::unasked(why), Document::Json, &mut output);
    exit::worst(code, output.finish())
}

fn show(floored: &Floored, format: Document, output: &mut Output) -> u8 {
    say_refusal(floored.exit.name, floored.why.as_deref());
    output.print(&match (&floored.floor, format) {
        (Some(floor), Document::Text) => floor_text(floor),
        _ => format!("{}\n", floored.to_json_pretty()),
    });
    floored.exit.code
}
