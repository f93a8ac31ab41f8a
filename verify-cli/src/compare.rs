//! `receipt compare`: two arms of a measurement, number by number, or the reason why not.

use std::fs::File;
use std::path::{Path, PathBuf};

use verify_core::bench::{
    Compared, DataError, Declared, Drain, Files, Floor, Gate, Profile, Question, RawFile, Section, Shape, exit_code_files,
};
use verify_core::{escape, limits};

use crate::args::{Color, CompareArgs, MeasuredArgs, Presentation};
use crate::compared::Answer;
use crate::exit;
use crate::html;
use crate::inputs::read_bounded;
use crate::output::{Output, complain};

pub(crate) fn run(arguments: &CompareArgs, output: &mut Output) -> u8 {
    let html = match page(arguments, output) {
        Ok(html) => html,
        Err(why) => return refuse(&why, arguments.format),
    };
    let arms = arms(arguments);
    let files = raw_files(arms.iter().flatten());
    let compared = match question(arguments, &files, arms) {
        Ok(question) => verify_core::bench::compare(&question),
        Err(why) => Compared::unasked(&why),
    };
    let answer = show(&compared, arguments.format, output);
    match html {
        None => compared.exit.code,
        Some(mut page) => {
            page.print(&html::compare::page(&compared, &answer));
            exit::worst(compared.exit.code, page.finish())
        }
    }
}

/// Where the page goes, if one is asked for. The error says why answer or page cannot be written.
fn page(arguments: &CompareArgs, output: &Output) -> Result<Option<Output>, String> {
    let html = arguments.html.as_deref().map(|path| Output::to(path, Color::Never)).transpose()?;
    let read = files_of(arguments);
    let replaced = output.replaced(&read).or_else(|| html.as_ref()?.replaced(&read));
    let is_shared = html.as_ref().is_some_and(|html| html.shares_place_with(output));
    match replaced.or_else(|| is_shared.then(|| "answer and page cannot go to the same place".to_owned())) {
        Some(why) => Err(why),
        None => Ok(html),
    }
}

/// Refuses a call that cannot be answered where it was to be answered: on standard output.
pub(crate) fn refuse(why: &str, format: Presentation) -> u8 {
    let mut output = Output::to_standard_output(Color::Never);
    let compared = Compared::unasked(why);
    show(&compared, format, &mut output);
    exit::worst(compared.exit.code, output.finish())
}

fn show(compared: &Compared, format: Presentation, output: &mut Output) -> Answer {
    say_refusal(compared.exit.name, compared.why.as_deref());
    let answer = Answer::of(compared);
    output.print(&match format {
        Presentation::Text => answer.text(),
        Presentation::Markdown => answer.markdown(),
        Presentation::Json => format!("{}\n", compared.to_json_pretty()),
    });
    answer
}

/// The first line on standard error, where there is no answer but a refusal.
pub(crate) fn say_refusal(name: &str, why: Option<&str>) {
    if let Some(why) = why {
        complain(&format!("REFUSED {name}: {why}"));
    }
}

/// Every file that is named and read.
fn files_of(arguments: &CompareArgs) -> Vec<PathBuf> {
    let settings = [&arguments.floor, &arguments.between_windows, &arguments.drain, &arguments.gate];
    let named = settings.into_iter().chain([&arguments.a, &arguments.b]).flatten().cloned();
    named.chain(arguments.measured.files()).collect()
}

fn arms(arguments: &CompareArgs) -> [Vec<RawFile>; 2] {
    match (&arguments.a, &arguments.b) {
        (Some(a), Some(b)) => [vec![raw(a)], vec![raw(b)]],
        _ => arguments.measured.arms(),
    }
}

fn question<'f>(arguments: &CompareArgs, files: &'f Files, arms: [Vec<RawFile>; 2]) -> Result<Question<'f>, String> {
    let mut question = arguments.measured.question(files, arms)?;
    question.waivers.clone_from(&arguments.waive);
    question.floor = setting(arguments.floor.as_deref(), "the floor", Floor::read)?;
    question.between_windows = setting(arguments.between_windows.as_deref(), "the floor between windows", Floor::read)?;
    question.drain = setting(arguments.drain.as_deref(), "the drain record", Drain::read)?;
    question.gate = setting(arguments.gate.as_deref(), "the accuracy gate", Gate::read)?;
    question.headline.clone_from(&arguments.headline);
    Ok(question)
}

impl MeasuredArgs {
    /// Every file that is named and read.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let raw = [&self.a_single, &self.a_sweep, &self.b_single, &self.b_sweep, &self.shape].into_iter().flatten();
        raw.chain([&self.profile, &self.profile_a, &self.profile_b].into_iter().flatten()).cloned()
    }

    /// The arms, by the flags that name their halves.
    pub(crate) fn arms(&self) -> [Vec<RawFile>; 2] {
        let of = |section: Section, paths: &[PathBuf]| paths.iter().map(|path| RawFile::of(section, name(path))).collect::<Vec<_>>();
        let arm = |single: &[PathBuf], sweep: &[PathBuf]| [of(Section::Single, single), of(Section::Sweep, sweep)].concat();
        [arm(&self.a_single, &self.a_sweep), arm(&self.b_single, &self.b_sweep)]
    }

    /// What is asked about two arms. The error is a word for people.
    pub(crate) fn question<'f>(&self, files: &'f Files, [a, b]: [Vec<RawFile>; 2]) -> Result<Question<'f>, String> {
        let mut question = Question::new(files, a, b);
        if !self.shape.is_empty() {
            question.shapes = self.shape.iter().map(|named| shape(named)).collect::<Result<_, _>>()?;
        }
        if let Some(profile) = setting(self.profile.as_deref(), "the profile", Profile::read)? {
            question.profile = profile;
        }
        question.declared = [
            setting(self.profile_a.as_deref(), "what is declared of arm A", Declared::read)?,
            setting(self.profile_b.as_deref(), "what is declared of arm B", Declared::read)?,
        ];
        Ok(question)
    }
}

pub(crate) fn raw(path: &Path) -> RawFile {
    RawFile::new(name(path))
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The bytes of raw files, and the exit codes that stand beside them.
pub(crate) fn raw_files<'r>(raw: impl IntoIterator<Item = &'r RawFile>) -> Files {
    let mut files = Files::default();
    for raw in raw {
        let content = read(Path::new(&raw.name));
        if content.is_err() {
            for beside in exit_code_files(&raw.name) {
                if let Ok(bytes) = read(Path::new(&beside)) {
                    files.add(beside, Ok(bytes));
                }
            }
        }
        files.add(&raw.name, content);
    }
    files
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    const LIMIT: u64 = limits::BENCH_FILE_BYTES as u64;
    File::open(path).and_then(|file| read_bounded(file, LIMIT)).map_err(|error| error.to_string())
}

fn setting<T>(path: Option<&Path>, what: &str, parse: impl FnOnce(&[u8]) -> Result<T, DataError>) -> Result<Option<T>, String> {
    let Some(path) = path else { return Ok(None) };
    let refused = |why: String| format!("cannot read {what} {}: {why}", escape(&path.to_string_lossy()));
    let bytes = read(path).map_err(refused)?;
    parse(&bytes).map(Some).map_err(|error| refused(error.to_string()))
}

/// A built-in shape by its name, or one in a file.
fn shape(named: &Path) -> Result<Shape, String> {
    match Shape::built_in().into_iter().find(|shape| named.as_os_str() == shape.name()) {
        Some(shape) => Ok(shape),
        None => setting(Some(named), "the shape", Shape::read)?.ok_or_else(|| "no shape is named".to_owned()),
    }
}
