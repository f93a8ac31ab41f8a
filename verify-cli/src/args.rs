//! What can be asked on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use verify_core::Timestamp;

use crate::exit;

const EXAMPLES: &str = "\
Examples:
  receipt verify receipt.json             judge one receipt
  receipt verify runs/                    judge every receipt.json below runs/
  receipt verify --format jsonl runs/     one JSON report per line
  receipt verify --policy mine.toml -     judge standard input by your own policy
  receipt claims receipt.json             list every statement with what carries it
  receipt inspect receipt.json            show what a receipt says, unverified
  receipt explain enclave.unpinned        what a finding means and what to do";

const VERIFY_EXAMPLES: &str = "\
Examples:
  receipt verify receipt.json
  receipt verify --policy authenticity runs/
  receipt verify --at now receipt.json
  receipt verify --input result.json receipt.json
  receipt verify --root root.pem --tcb-signing-cert tcb.pem --policy test.toml receipt.json";

/// Verify Polaris receipts offline.
///
/// A receipt says that some code, on some weights, earned a verdict. This tool says from the bytes alone what its evidence
/// proves and what it does not. It opens no network connection.
#[derive(Debug, Parser)]
#[command(name = "receipt", version, arg_required_else_help = true, after_help = format!("{EXAMPLES}\n\n{}", exit::TABLE))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colour; NO_COLOR is honoured
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Judge receipts: what does their evidence prove?
    #[command(after_help = format!("{VERIFY_EXAMPLES}\n\n{}", exit::TABLE))]
    Verify(VerifyArgs),
    /// List every statement of receipts with what carries it, and nothing else
    #[command(mut_arg("verbose", |argument| argument.hide(true)), after_help = exit::TABLE)]
    Claims(VerifyArgs),
    /// Show what receipts say, without judging: every output is UNVERIFIED
    #[command(after_help = exit::INSPECT_TABLE)]
    Inspect(InspectArgs),
    /// Explain a code, or list them all
    Explain(ExplainArgs),
    /// Show or check policies
    Policy(PolicyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Files, directories, or - for standard input
    ///
    /// A directory stands for every receipt.json below it, or, where there is none, for its own *.json files.
    /// Symbolic links below a directory are not followed.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to show the reports
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// The instant to judge at: collateral, now, or RFC 3339
    ///
    /// collateral is the start of the common validity window of what Intel signed: the same answer on every day.
    #[arg(long, value_name = "INSTANT", default_value = "collateral", value_parser = At::parse)]
    pub(crate) at: At,
    /// A policy: strict, authenticity, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "strict")]
    pub(crate) policy: PathBuf,
    /// A root certificate to trust in the place of Intel's (PEM or DER)
    #[arg(long, value_name = "FILE")]
    pub(crate) root: Option<PathBuf>,
    /// A TCB signing certificate to use in the place of Intel's (PEM or DER)
    #[arg(long, value_name = "FILE")]
    pub(crate) tcb_signing_cert: Option<PathBuf>,
    /// The very input that the enclave was given; one receipt only
    ///
    /// It is needed where a receipt does not lead to its input. Another file than the one under the quote makes the receipt invalid.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Show passed checks, notes and claims too
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print nothing: the exit code is the answer
    #[arg(short, long)]
    pub(crate) quiet: bool,
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
pub(crate) struct ExplainArgs {
    /// A code such as enclave.unpinned; without one, all codes are listed
    pub(crate) code: Option<String>,
    /// How to show it
    #[arg(long, value_enum, default_value_t = Document::Text)]
    pub(crate) format: Document,
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
    /// One JSON array
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal only
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
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
