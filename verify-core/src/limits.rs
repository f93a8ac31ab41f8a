//! Every limit of the verifier, with its reason.
//!
//! What is over a limit is not read: the finding is `limit.exceeded`, and the outcome is no better than unverifiable. Nothing is cut
//! off in silence. `docs/limits.md` shows what the worst inputs within these limits cost. Limits may change in any version, so that
//! a caller who depends on one asks for it here.

/// One limit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limit {
    /// The name of the constant.
    pub name: &'static str,
    /// The most that is read.
    pub value: usize,
    /// What is counted.
    pub counts: &'static str,
    /// Why no more is needed.
    pub reason: &'static str,
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

macro_rules! limits {
    ($($name:ident = $value:expr, $counts:literal, $reason:literal;)*) => {
        $(
            #[doc = concat!($counts, ". ", $reason)]
            pub const $name: usize = $value;
        )*

        /// Every limit, in the order of their use.
        pub const ALL: &[Limit] = &[$(Limit { name: stringify!($name), value: $name, counts: $counts, reason: $reason },)*];
    };
}

/// Good signatures that a verifier and its clones remember, at most; not on the list, because nothing is refused for it. A log has about
/// four distinct ones a receipt, of which one or two come again. Each has 161 bytes; in trees whose nodes may be half empty that is at
/// most 3 MiB.
pub const REMEMBERED_SIGNATURES: usize = 8 * KIB;

/// Parsed certificates that a verifier and its clones remember, at most; not on the list likewise. Real logs have one a platform and two
/// that all share, of 1 KB each; hostile ones, of [`CERTIFICATE_BYTES`], come to 6 MiB with what is read out of them.
pub const REMEMBERED_CERTIFICATES: usize = 128;

/// Keys that a verifier and its clones keep in the form in which they compute with them, at most; not on the list likewise. Real logs
/// have two a platform and three that all share; each has less than 2 KB, so that all come to half a MiB.
pub const REMEMBERED_KEYS: usize = 256;

// NAME = value, what is counted, why no more is needed.
limits! {
    RECEIPT_BYTES = 2 * MIB, "Bytes of one receipt",
        "Real ones have 34 to 38 KB. This leaves room for collateral whose CRL is at its limit and is written as hex inside of base64.";
    RUN_FILE_BYTES = 2 * MIB, "Bytes of one file beside a receipt, and of a record that is scored",
        "Real logs have at most 30 KB, results 2 KB.";
    INPUT_BYTES = MIB, "Bytes of an enclave input that the caller gives",
        "Real ones have at most 2 KB.";
    EXPECTATIONS = 100, "Expectations of one caller",
        "A receipt says about 80 things.";

    JSON_DEPTH = 256, "Levels of nesting of any JSON document",
        "Receipts have 6; a test of the producers' canonical form has 200.";
    JSON_VALUES = 20_000, "Values of one JSON document",
        "Receipts have at most 130, TCB infos 700.";
    JSON_NAME_BYTES = 256, "Bytes of one member name",
        "The longest real one is a collateral URL of 95 bytes; pointers join names.";
    JSON_NUMBER_BYTES = 8 * KIB, "Characters of one number",
        "Python reads integers of at most 4300 digits, and no double needs more than 1100.";

    OUTPUT_BYTES = 256 * KIB, "Bytes that the enclave printed",
        "Scorers print at most 1.2 KB. The search for the enclave's input writes and hashes the output once for each verdict.";
    QUOTE_BYTES = 64 * KIB, "Bytes of one quote",
        "Real ones have 5 KB, padded to 8 KB.";
    COLLATERAL_BYTES = 3 * MIB / 2, "Bytes of the collateral of one quote",
        "Real ones have 17 KB; the CRL of the Processor CA adds 320 KB as hex. In base64 this fills a receipt.";
    SIGNED_JSON_BYTES = 256 * KIB, "Bytes of one signed document of the collateral",
        "TCB infos have 6 to 30 KB, QE identities less than 1 KB.";
    CRL_BYTES = 512 * KIB, "Bytes of one CRL in DER",
        "Intel's largest (Processor CA) has 160 KB. The smallest entry has 20 bytes, so that there are at most 26,000.";
    CERTIFICATES = 8, "Certificates of one chain, or other PEM blocks of one text",
        "A chain has two or three certificates.";
    CERTIFICATE_BYTES = 16 * KIB, "Bytes of one certificate in DER",
        "A PCK certificate has 1.3 KB.";
    LIST_ITEMS = 128, "Items of a list or map that is read item by item: TCB levels and their components, TDX modules, advisories, files and artifacts",
        "Intel's longest list has 28 advisories; a TCB info has at most 11 levels, a level 16 components of each kind.";
    ADVISORY_BYTES = 64, "Bytes of one advisory id",
        "Intel's have 14.";

    LIST_BYTES = 4 * MIB, "Bytes of the index or the ledger of one log",
        "A row has 250 bytes, so that there is room for 15,000 runs; the longest real log has 400.";
    LIST_VALUES = 300_000, "Values of the index or the ledger of one log, all rows together",
        "A row has 10 or 11.";
    SEAL_BYTES = 16 * MIB, "Bytes of the seal of a log",
        "A file adds 150 bytes, so that there is room for 100,000 files.";
    LOG_FILES = 100_000, "Files and folders of one log",
        "The longest real log has 1300.";
    LOG_DEPTH = 8, "Levels of folders below the runs of a log",
        "Real logs have one, with files in it.";
    LOG_FILE_BYTES = 64 * MIB, "Bytes of a file of a log of which only the digest is taken",
        "Texts that runs print have at most 30 KB.";
    LOG_FINDINGS = 10_000, "Findings of an audit about the log itself",
        "They have some 5 MB as JSON. The gravest are listed, and that there are more is a finding.";

    BENCH_FILE_BYTES = 16 * MIB, "Bytes of one raw file of a measurement",
        "Exports with 226 rows have 0.8 MB, so that there is room for 4,000.";
    BENCH_VALUES = 300_000, "Values of one raw file of a measurement",
        "A sweep has 500, an export with per-request rows 60 a row.";
    BENCH_CLAIMS = 2000, "Claims of one manifest",
        "A README with five tables of figures makes 150.";
    BENCH_INPUTS = 16, "Inputs of one claimed number, values that are to be the same, or filters of rows",
        "A ratio has two, a delta of sums four.";
    SELECTOR_BYTES = 256, "Bytes of one place in a raw file",
        "The longest in use has 80.";
    BENCH_POINTS = 1_000, "Points of one arm, and values that it lists as such",
        "A sweep has at most 20.";
    BENCH_FIELDS = 20_000, "Fields that the files of one arm record",
        "A point has some 20.";
    EXPRESSION_BYTES = KIB, "Bytes of one expression",
        "A percentile by its method has 30.";
    EXPRESSION_DEPTH = 32, "Levels of nesting of one expression",
        "Real ones have three.";
    BENCH_WORK = 20_000_000, "Steps of one trace: values looked at, bytes of text (read or searched by the step, 1 to 16) and places found in it",
        "103 numbers of 17 sweeps take 60,000; the worst that fits takes about a second.";

    PROBLEMS = 200, "Findings of one report",
        "A receipt at which everything fails has about 30. Beyond it every code that is graver than a note is still listed once an obligation.";
    CLAIMS = 500, "Claims of one receipt, and values of one inspection",
        "Real ones have at most 80.";
    CLAIM_DEPTH = 8, "Levels below the attestation at which a claim is still a leaf of its own; what lies below is one claim",
        "Real ones have 5.";
    CLAIM_POINTER_BYTES = 128, "Bytes of a claim's pointer from which on what lies below is one claim",
        "Real pointers have at most 60.";
    GUARDS = 64, "Guards of one measurement",
        "Real runs have a handful; each becomes a line of the answer.";
    DIFFERENCES = 100, "Differing values of two documents that are named; all are counted",
        "A result has about 60 members.";
    SHOWN_CHARACTERS = 200, "Characters of one untrusted text that are shown, with the number of those that are not",
        "A line of an answer has to stay readable.";
    REPORT_BYTES = 4 * MIB, "Bytes of one report as JSON on one line",
        "Not checked, but a consequence: claims, findings, names and shown texts are limited above.";
}
