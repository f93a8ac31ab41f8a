//! What can be asked on the command line.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use verify_core::bench::Waiver;
use verify_core::tier::{Guard, Label, Params};
use verify_core::{Expectation, SignerKey, Timestamp};

use crate::exit;

const EXAMPLES: &str = "\
Examples:
  receipt verify receipt.json             judge one receipt
  receipt verify runs/                    judge every receipt.json below runs/
  receipt verify --format jsonl runs/     one JSON report per line
  receipt verify -o report.txt runs/      the answer in a file
  receipt verify --policy mine.toml -     judge standard input by your own policy
  receipt audit LOG                       judge a whole log, and hold it against its receipts
  receipt claims receipt.json             list every statement with what carries it
  receipt quote quote.bin --collateral collateral.json
                                          judge a bare quote, without a receipt
  receipt score --preset classic --from result.json
                                          what label do these figures earn?
  receipt compare a.json b.json           compare two arms of a measurement
  receipt trace claims.toml               do published numbers follow from their raw files?
  receipt inspect receipt.json            show what a receipt says, unverified
  receipt classify record.json            which class of result does this record of a measurement support?
  receipt explain enclave.unpinned        what a finding means and what to do";

const VERIFY_EXAMPLES: &str = "\
Examples:
  receipt verify receipt.json
  receipt verify --policy authenticity runs/
  receipt verify --at now receipt.json
  receipt verify --collateral fresh.json --max-age 30d receipt.json
  receipt verify --expect commit=0123456 --expect label=L receipt.json
  receipt verify --run runs/00f85eed1e73664c9225ad528f1f8155
  receipt verify --trust-key 2eb2...41f0 signed.json
  receipt verify --root root.pem --tcb-signing-cert tcb.pem --policy test.toml receipt.json
  receipt verify --input input.json receipt.json
  receipt verify --score k3.toml receipt.json
  receipt verify --format jsonl - < receipts.jsonl
  find runs -name receipt.json | receipt verify --paths -";

const AUDIT_EXAMPLES: &str = "\
Examples:
  receipt audit sparkinfer-k3-log
  receipt audit --policy authenticity -v sparkinfer-log
  receipt audit --seal today.seal sparkinfer-k3-log
  receipt audit --since today.seal sparkinfer-k3-log
  receipt audit --html audit.html sparkinfer-k3-log
  receipt audit --format json --since yesterday/sparkinfer-k3-log sparkinfer-k3-log";

const SCORE_EXAMPLES: &str = "\
Examples:
  receipt score --params k3.toml --value 45.38 --frontier 40.02 --top1 1.0 --kl 0.0067
  receipt score --preset k3 --reference 18.4435 --from result.json
  receipt score --preset classic --from result.json --expect-label L";

const COMPARE_EXAMPLES: &str = "\
Examples:
  receipt compare a.json b.json
  receipt compare --a-single a1.json --a-sweep a2.json --b-single b1.json --b-sweep b2.json
  receipt compare --floor floor.json --format markdown a.json b.json
  receipt compare --profile mine.json --profile-a a.declared.json --profile-b b.declared.json a.json b.json
  receipt compare --waive 'sweep.*.prompt_tokens=a constant offset' --html page.html a.json b.json";

const FLOOR_EXAMPLES: &str = "\
Examples:
  receipt floor -o floor.json run1.json run2.json
  receipt floor --format text run1.json run2.json run3.json run4.json";
const CLASSIFY_EXAMPLES: &str = "\
Examples:
  receipt classify record.json
  receipt classify --promote --format markdown record.json
  receipt classify --require 3 --trust-key 2eb2...41f0 record.json";
const TRACE_EXAMPLES: &str = "\
Examples:
  receipt trace claims.toml
  receipt trace claims.toml --folder results --format markdown
  receipt trace claims.toml --coverage README.md --strict
  receipt trace claims.toml --pin";

const QUOTE_EXAMPLES: &str = "\
Examples:
  receipt quote quote.bin --collateral collateral.json
  receipt quote --at 2026-08-01T00:00:00Z quote.hex --collateral collateral.json
  base64 quote.bin | receipt quote - --collateral collateral.json";

/// Verify Polaris receipts offline.
///
/// A receipt says that some code, on some weights, earned a verdict. This tool says from the bytes alone what its evidence
/// proves and what it does not. It opens no network connection.
#[derive(Debug, Parser)]
#[command(name = "receipt", version, arg_required_else_help = true, after_help = format!("{EXAMPLES}\n\n{}", exit::TABLE))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colour; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// Write the answer to this file, which appears whole or not at all; - is standard output
    ///
    /// A file that is there is replaced, but never one that is read, a symbolic link or a device. Where there is no answer, it stays
    /// as it is. Words for people stay on standard error, and the exit code is the same.
    #[arg(short, long, global = true, value_name = "FILE", default_value = "-", hide_default_value = true)]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge receipts: what does their evidence prove?
    #[command(after_help = format!("{VERIFY_EXAMPLES}\n\n{}", exit::TABLE))]
    Verify(VerifyArgs),
    /// Audit a whole evaluation log: does every verdict rest on a receipt that holds, and was anything changed, dropped or reused?
    #[command(after_help = format!("{AUDIT_EXAMPLES}\n\n{}", exit::TABLE))]
    Audit(AuditArgs),
    /// List every statement of receipts with what carries it, and nothing else
    #[command(mut_arg("verbose", |argument| argument.hide(true)), after_help = exit::TABLE)]
    Claims(VerifyArgs),
    /// Judge a bare quote of a TDX trust domain or an SGX enclave: is it genuine, and what is it of?
    #[command(after_help = format!("{QUOTE_EXAMPLES}\n\n{}", exit::TABLE))]
    Quote(QuoteArgs),
    /// Show what receipts say, without judging: every output is UNVERIFIED
    #[command(after_help = exit::INSPECT_TABLE)]
    Inspect(InspectArgs),
    /// Derive the label that figures earn, with every step; nothing is verified
    #[command(after_help = format!("{SCORE_EXAMPLES}\n\n{}", exit::SCORE_TABLE))]
    Score(ScoreArgs),
    /// Compare two arms of a measurement, once it is certain that both were asked the same question
    #[command(after_help = format!("{COMPARE_EXAMPLES}\n\n{}", exit::COMPARE_TABLE))]
    Compare(CompareArgs),
    /// Measure the noise floor: how far apart pairs of arms of one configuration come out
    #[command(after_help = format!("{FLOOR_EXAMPLES}\n\n{}", exit::COMPARE_TABLE))]
    Floor(FloorArgs),
    /// Trace published numbers to the raw files that they follow from, and recompute them
    #[command(after_help = format!("{TRACE_EXAMPLES}\n\n{}", exit::TRACE_TABLE))]
    Trace(TraceArgs),
    /// Explain a code, or list them all
    Explain(ExplainArgs),
    /// Show or check policies
    Policy(PolicyArgs),
    /// Say which class of result the recorded evidence of a measurement supports, and what the next one lacks
    #[command(
        mut_arg("jobs", |argument| argument.hide(true)),
        mut_arg("no_progress", |argument| argument.hide(true)),
        after_help = format!("{CLASSIFY_EXAMPLES}\n\n{}", exit::CLASSIFY_TABLE)
    )]
    Classify(ClassifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Files, directories, or - for standard input
    ///
    /// A directory stands for every receipt.json below it, or, where there is none, for its own *.json files.
    /// Symbolic links below a directory are not followed. With --format jsonl, standard input holds a receipt a line, and each is
    /// answered by a line as it comes.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Standard input holds the path of a receipt a line
    ///
    /// Each is answered as it comes, however many there are.
    #[arg(long = "paths", conflicts_with_all = ["run", "input"])]
    pub(crate) are_paths: bool,
    /// A run directory: its receipt.json, compared with the files beside it
    ///
    /// attestation.json, result.json, eval.log and log.txt have to say the same as the receipt, where they are there. Symbolic
    /// links in the directory are not followed.
    #[arg(long, value_name = "DIR", conflicts_with = "paths")]
    pub(crate) run: Option<PathBuf>,
    /// A value that every receipt has to hold, carried by evidence; may be repeated
    ///
    /// POINTER is a JSON pointer into the receipt (/attestation/verdict/label), or one of the names commit, repo, model, image,
    /// scorer, key, label and pass. Of a commit the first 7 digits are enough.
    #[arg(long, value_name = "POINTER=VALUE")]
    pub(crate) expect: Vec<Expectation>,
    /// How to show the reports
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) judgement: JudgementArgs,
    /// The very input that the enclave was given; one receipt only
    ///
    /// It is needed where a receipt does not lead to its input. Another file than the one under the quote makes the receipt invalid.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Show passed checks, notes and claims too
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print nothing: the exit code is the answer
    #[arg(short, long, conflicts_with = "output")]
    pub(crate) quiet: bool,
}

impl VerifyArgs {
    /// The files that are named beside the receipts.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.input.iter().chain(self.judgement.files())
    }
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The folder of the log: runs/ with a directory for each run, index.json, and ledger.jsonl where the log keeps one
    ///
    /// Only regular files are read; symbolic links below the folder are findings and are not followed.
    #[arg(value_name = "DIR")]
    pub(crate) log: PathBuf,
    /// An earlier copy of the log, or its seal: whatever of it was changed or removed since is a finding
    #[arg(long, value_name = "DIR|FILE")]
    pub(crate) since: Option<PathBuf>,
    /// Write a seal of the log to this file: the digests of its files and its published verdicts, for a later --since
    #[arg(long, value_name = "FILE")]
    pub(crate) seal: Option<PathBuf>,
    /// Write the answer to this file as a page of HTML, too: without scripts, and with nothing that is fetched
    ///
    /// It appears whole or not at all, and never replaces what is read, a symbolic link or a device. Whoever has the file can read it in
    /// a browser, on a phone or on paper.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// How to show the answer: json is one object, jsonl one a run, one a finding, and one with the sum
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) judgement: JudgementArgs,
    /// List every run, and name all of them everywhere
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print nothing: the exit code is the answer
    #[arg(short, long, conflicts_with = "output")]
    pub(crate) quiet: bool,
}

/// How every receipt is judged.
#[derive(Debug, Args)]
pub(crate) struct JudgementArgs {
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    /// Fresh collateral for a second verdict, at the start of its own window
    ///
    /// The quote is judged as carried and by this collateral, and the worse of the two counts: what was revoked or fell behind since
    /// shows. The file is the JSON of either known container, for the same platform.
    #[arg(long, value_name = "FILE")]
    pub(crate) collateral: Option<PathBuf>,
    /// A policy: strict, authenticity, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "strict")]
    pub(crate) policy: PathBuf,
    /// Ask for collateral with this TCB evaluation number or a later one
    #[arg(long, value_name = "N")]
    pub(crate) min_eval: Option<u32>,
    /// Ask for collateral that is at most this old now, such as 30d or 12h
    ///
    /// With --collateral that is the fresh one: its start is compared with the clock of this machine.
    #[arg(long, value_name = "AGE")]
    pub(crate) max_age: Option<String>,
    /// An Ed25519 key that may sign receipts, in base64 or hex; may be repeated
    ///
    /// A receipt that carries a signature in the place of a quote is unverifiable without one: the key inside of a file proves
    /// nothing.
    #[arg(long, value_name = "KEY")]
    pub(crate) trust_key: Vec<SignerKey>,
    /// A file of such keys: one a line, with # comments, or a JSON array of texts
    #[arg(long, value_name = "FILE")]
    pub(crate) trust_keys: Vec<PathBuf>,
    /// Derive the claimed tier again, by these parameters, and count a difference (TOML)
    #[arg(long, value_name = "PARAMS.toml")]
    pub(crate) score: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) effort: EffortArgs,
}

/// How many inputs are judged.
#[derive(Debug, Args)]
pub(crate) struct EffortArgs {
    /// How many threads judge; one for each processor by default. The answers are the same, in the same order
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Show no progress; it is shown on a terminal only, and never where CI is set
    #[arg(long)]
    pub(crate) no_progress: bool,
}

impl JudgementArgs {
    /// The files that are named here.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.collateral, &self.score].into_iter().flatten();
        files.chain([&self.policy]).chain(&self.trust_keys).chain(self.terms.files())
    }
}

#[derive(Debug, Args)]
pub(crate) struct QuoteArgs {
    /// The quote as bytes, hex or base64; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) quote: PathBuf,
    /// The collateral: a Polaris item map or a QuoteCollateralV3, as JSON; - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) collateral: PathBuf,
    /// How to show the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    /// Show passed checks and notes too
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print nothing: the exit code is the answer
    #[arg(short, long, conflicts_with = "output")]
    pub(crate) quiet: bool,
}

/// When, and trusting whom.
#[derive(Debug, Args)]
pub(crate) struct TermsArgs {
    /// The instant to judge at: collateral, now, or RFC 3339
    ///
    /// collateral is the start of the common validity window of what Intel signed: the same answer on every day.
    #[arg(long, value_name = "INSTANT", default_value = "collateral", value_parser = At::parse)]
    pub(crate) at: At,
    /// A root certificate to trust in the place of Intel's (PEM or DER)
    #[arg(long, value_name = "FILE")]
    pub(crate) root: Option<PathBuf>,
    /// A TCB signing certificate to use in the place of Intel's (PEM or DER)
    #[arg(long, value_name = "FILE")]
    pub(crate) tcb_signing_cert: Option<PathBuf>,
}

impl TermsArgs {
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.root, &self.tcb_signing_cert].into_iter().flatten()
    }
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// Files, directories, or - for standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to show what was decoded
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("rule").required(true).args(["params", "preset"]))]
pub(crate) struct ScoreArgs {
    /// The parameters of the rule (TOML)
    #[arg(long, value_name = "PARAMS.toml")]
    pub(crate) params: Option<PathBuf>,
    /// The parameters of a known producer
    #[arg(long, value_parser = PossibleValuesParser::new(Params::PRESETS))]
    pub(crate) preset: Option<String>,
    /// The speed that a preset sizes gains by; 0 for none. The K3 presets need it
    #[arg(long, value_name = "SPEED", conflicts_with = "params", allow_hyphen_values = true)]
    pub(crate) reference: Option<f64>,
    /// Take the figures from a producer's result.json, or from a log with a RESULT_JSON line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["value", "frontier", "ceiling", "top1", "kl", "guards"])]
    pub(crate) from: Option<PathBuf>,
    /// The measured speed, or latency
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) value: Option<f64>,
    /// The best one before; 0 or less where there is none
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) frontier: Option<f64>,
    /// What the hardware could reach; it decides nothing
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) ceiling: Option<f64>,
    /// Fraction of tokens that agree with the reference's first choice, from 0 to 1
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true)]
    pub(crate) top1: Option<f64>,
    /// Mean KL divergence from the reference
    #[arg(long, value_name = "NATS", allow_hyphen_values = true)]
    pub(crate) kl: Option<f64>,
    /// A speed that must not have got worse: speed/base, or that ratio alone; can be repeated. By parameters of a latency,
    /// latency/base, or that ratio, where more is worse
    #[arg(long = "guard", value_name = "NAME=RATIO", value_parser = guard)]
    pub(crate) guards: Vec<Guard>,
    /// Exit with 4 unless this is the label
    #[arg(long, value_name = "LABEL", value_parser = PossibleValuesParser::new(Label::ALL.map(Label::name)))]
    pub(crate) expect_label: Option<String>,
    /// How to show it
    #[arg(long, value_enum, default_value_t = Document::Text)]
    pub(crate) format: Document,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The raw file of the arm that is compared with
    #[arg(value_name = "A", requires = "b", conflicts_with_all = ["a_single", "a_sweep", "b_single", "b_sweep"])]
    pub(crate) a: Option<PathBuf>,
    /// The raw file of the arm that is compared
    #[arg(value_name = "B")]
    pub(crate) b: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) measured: MeasuredArgs,
    /// Let a field differ or be absent, and say why; what is compared then is not publishable. May be repeated
    ///
    /// FIELD is a name as the answer has it, such as sweep.c8.prompt_sha256; a part of it may be *.
    #[arg(long, value_name = "FIELD=REASON")]
    pub(crate) waive: Vec<Waiver>,
    /// A noise floor, of `receipt floor`: each difference is within it, above it, or not covered by it
    #[arg(long, value_name = "FILE")]
    pub(crate) floor: Option<PathBuf>,
    /// A floor that was measured between two windows: shown beside the one of --floor
    #[arg(long, value_name = "FILE")]
    pub(crate) between_windows: Option<PathBuf>,
    /// The record of draining the accelerators between the arms (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) drain: Option<PathBuf>,
    /// The result of the accuracy gate, with its self-comparison control (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) gate: Option<PathBuf>,
    /// The metric of the headline, such as sweep.c8.tok_s_per_gpu; the first one without it
    #[arg(long, value_name = "METRIC")]
    pub(crate) headline: Option<String>,
    /// Write the answer to this file as a page of HTML, too: without scripts, and with nothing that is fetched
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// How to show the answer
    #[arg(long, value_enum, default_value_t = Presentation::Text)]
    pub(crate) format: Presentation,
}

#[derive(Debug, Args)]
pub(crate) struct FloorArgs {
    /// Raw files, pair by pair: two runs of one configuration each
    #[arg(value_name = "FILE", conflicts_with_all = ["a_single", "a_sweep", "b_single", "b_sweep"])]
    pub(crate) pairs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) measured: MeasuredArgs,
    /// How to show the floor: json is the file that `receipt compare --floor` reads
    #[arg(long, value_enum, default_value_t = Document::Json)]
    pub(crate) format: Document,
}

/// What was measured, and how its files are read.
#[derive(Debug, Args)]
pub(crate) struct MeasuredArgs {
    /// A single-stream file of arm A; may be repeated, where an arm has several files
    #[arg(long, value_name = "FILE")]
    pub(crate) a_single: Vec<PathBuf>,
    /// A sweep of arm A; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) a_sweep: Vec<PathBuf>,
    /// A single-stream file of arm B; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) b_single: Vec<PathBuf>,
    /// A sweep of arm B; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) b_sweep: Vec<PathBuf>,
    /// What the raw files look like: a built-in shape by its name, or a file of your own (JSON); may be repeated
    ///
    /// Without it, the built-in shape is taken that a file fits. With several, the one of them that it fits.
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) shape: Vec<PathBuf>,
    /// The fields that have to be equal (JSON), in the place of the built-in list
    #[arg(long, value_name = "FILE")]
    pub(crate) profile: Option<PathBuf>,
    /// Declare what the raw files of arm A do not record (JSON); what rests on it is not publishable
    #[arg(long, value_name = "FILE")]
    pub(crate) profile_a: Option<PathBuf>,
    /// Declare what the raw files of arm B do not record (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) profile_b: Option<PathBuf>,
}

/// `NAME=RATIO` or `NAME=SPEED/BASE`.
fn guard(text: &str) -> Result<Guard, String> {
    let (name, figures) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("wanted NAME=RATIO or NAME=SPEED/BASE")?;
    let number = |figure: &str| figure.parse::<f64>().map_err(|_| format!("{figure:?} is no number"));
    let (speed, base) = figures.split_once('/').unwrap_or((figures, "1"));
    Ok(Guard::new(name, number(speed)?, number(base)?))
}

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The manifest of claims (TOML); docs/trace.md describes it
    #[arg(value_name = "CLAIMS.toml")]
    pub(crate) claims: PathBuf,
    /// The folder below which the files are; that of the manifest by default
    ///
    /// Only regular files below it are read, and no symbolic link is followed.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// How to show the answer
    #[arg(long, value_enum, default_value_t = Presentation::Text)]
    pub(crate) format: Presentation,
    /// List the numbers with a unit on this page that no claim is about; it is named as in the manifest
    #[arg(long, value_name = "FILE")]
    pub(crate) coverage: Option<String>,
    /// Exit with 6 where there are such numbers
    #[arg(long, requires = "coverage")]
    pub(crate) strict: bool,
    /// Judge nothing: print the digests of the files that are there, as the manifest records them
    #[arg(long, conflicts_with_all = ["format", "coverage", "verbose"])]
    pub(crate) pin: bool,
    /// List the claims that were reproduced, too
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A code such as enclave.unpinned; without one, all codes are listed
    pub(crate) code: Option<String>,
    /// How to show it
    #[arg(long, value_enum, default_value_t = Document::Text)]
    pub(crate) format: Document,
}

#[derive(Debug, Args)]
pub(crate) struct ClassifyArgs {
    /// The record of the measurement, a bench-record/1; - is standard input
    #[arg(value_name = "RECORD")]
    pub(crate) record: PathBuf,
    /// The folder that the files of the record are relative to; by default that of the record
    ///
    /// Only regular files below it are read, and no symbolic link is followed.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Answer the conditions for publishing the result as a claim, one by one
    #[arg(long)]
    pub(crate) promote: bool,
    /// Exit with 6 unless the class is this one or a higher one
    #[arg(long, value_name = "CLASS", value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) require: Option<u8>,
    /// How to show the answer
    #[arg(long, value_enum, default_value_t = Presentation::Text)]
    pub(crate) format: Presentation,
    /// How the receipts that the record names are judged, and whose signatures count
    #[command(flatten)]
    pub(crate) judgement: JudgementArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) action: PolicyAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// Show what a policy asks for
    Show {
        /// strict, authenticity, or a TOML file
        #[arg(value_name = "NAME|FILE", default_value = "strict")]
        policy: PathBuf,
        /// How to show it
        #[arg(long, value_enum, default_value_t = Document::Text)]
        format: Document,
    },
    /// Check that policy files can be used
    Check {
        /// TOML files
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
}

/// How answers about several inputs are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document: an array, or of an audit an object
    Json,
    /// One JSON object per line
    Jsonl,
}

/// How one document is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Document {
    /// For people
    Text,
    /// JSON
    Json,
}

/// How an answer about measurements is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Presentation {
    /// For people
    Text,
    /// JSON
    Json,
    /// Tables to paste into a pull request
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, and not in a file
    Auto,
    Always,
    Never,
}

/// The value of `--at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Collateral,
    Now,
    Given(Timestamp),
}

impl At {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "collateral" => Ok(Self::Collateral),
            "now" => Ok(Self::Now),
            _ => Timestamp::parse_rfc3339(text).map(Self::Given).map_err(|error| format!("neither collateral nor now, and {error}")),
        }
    }
}

#[cfg(test)]
#[path = "../../verify-core/tests/support/frozen.rs"]
mod frozen;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use clap::{ArgAction, CommandFactory as _};

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// The promise of docs/stability.md: commands, arguments, their values and defaults, and the exit codes.
    #[test]
    fn the_command_line_only_grows() {
        let mut facts = BTreeSet::new();
        flatten("receipt", &Cli::command(), &mut facts);
        facts.extend(exit::TABLE.lines().filter_map(|line| line.split_once(": ")).map(|(code, _)| format!("exit {}", code.trim())));
        facts.extend(exit::TABLE.lines().filter_map(|line| line.split_once("wins, ")).map(|(_, order)| format!("exit {order}")));
        let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frozen/command-line.txt");
        frozen::check(&list, &facts, "UPDATE=1 cargo test -p verify-cli only_grows");
    }

    /// A line for each command, argument, possible value and default.
    fn flatten(name: &str, command: &clap::Command, facts: &mut BTreeSet<String>) {
        facts.insert(name.to_owned());
        for argument in command.get_arguments() {
            let place = match (argument.get_long(), argument.get_short()) {
                (Some(long), Some(short)) => format!("{name} -{short} --{long}"),
                (Some(long), None) => format!("{name} --{long}"),
                _ => format!("{name} <{}>", argument.get_id()),
            };
            facts.insert(match argument.get_action() {
                ArgAction::Append => format!("{place} takes values"),
                action if action.takes_values() => format!("{place} takes a value"),
                _ => place.clone(),
            });
            if argument.get_action().takes_values() {
                facts.extend(argument.get_possible_values().iter().map(|value| format!("{place} may be {}", value.get_name())));
                facts.extend(argument.get_default_values().iter().map(|value| format!("{place} is {} by default", value.display())));
            }
        }
        command.get_subcommands().for_each(|command| flatten(&format!("{name} {}", command.get_name()), command, facts));
    }
}
