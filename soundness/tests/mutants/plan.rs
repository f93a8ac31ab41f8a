//! Which kinds of changes are made to which part, and at which stages they may be refused.

use std::ops::Range;

use soundness::edits::Part;
use soundness::essence::Frame;
use soundness::mutants::{
    ADDITIONS, BITS, BLANKS, CERTIFICATES, CUTS, DELETIONS, DUPLICATES, ESCAPES, INSERTIONS, Kind, LINE_ENDS, NAMES, ORDER, RANDOM,
    REMOVALS, SWAPS, TYPES, VALUES, nodes,
};

/// Stages or codes, by region of a part; `*` is any region.
type Stages = &'static [(&'static str, &'static [&'static str])];

/// Changes of one part.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) part: Part,
    pub(crate) kinds: &'static [Kind],
    /// Every how many bytes, by default and where everything is tried.
    pub(crate) stride: usize,
    pub(crate) full_stride: usize,
    /// Whether nothing but the spelling changes, so that every mutant has to stay verified.
    pub(crate) harmless: bool,
    /// How a change may be refused.
    pub(crate) stages: Stages,
}

/// The parts in their decoded form.
pub(crate) const DECODED: [Part; 10] = [
    Part::Quote,
    Part::Collateral,
    Part::Output,
    TCB_INFO,
    QE_IDENTITY,
    PCK_CRL,
    ROOT_CRL,
    Part::Certificate(0),
    Part::Certificate(1),
    Part::Certificate(2),
];

const TCB_INFO: Part = Part::Item("/tcb");
const QE_IDENTITY: Part = Part::Item("/qe/identity");
const PCK_CRL: Part = Part::Item("/pckcrl");
const ROOT_CRL: Part = Part::Item("/IntelSGXRootCA.der");

/// Kinds that show what is exempt.
pub(crate) const SHOWING: [(Part, &[Kind]); 5] = [
    (Part::Receipt, &[VALUES, ADDITIONS]),
    (Part::Collateral, &[VALUES, ADDITIONS]),
    (TCB_INFO, &[ORDER]),
    (QE_IDENTITY, &[ORDER]),
    (Part::Chain, &[LINE_ENDS]),
];

const SHIFTS: &[Kind] = &[DELETIONS, INSERTIONS];
const SPELLINGS: &[Kind] = &[ESCAPES, BLANKS, ORDER];

const fn row(part: Part, kinds: &'static [Kind], stride: usize, stages: Stages) -> Row {
    Row { part, kinds, stride, full_stride: 1, harmless: false, stages }
}

const fn harmless(part: Part, kinds: &'static [Kind], stride: usize) -> Row {
    Row { part, kinds, stride, full_stride: 1, harmless: true, stages: &[] }
}

/// The rows for the receipt of this name. What another receipt has in common with the first one is gone through in longer strides.
pub(crate) fn rows(base: &str) -> Vec<Row> {
    let thinner = |rows: &[Row], times: usize| {
        rows.iter().map(|row| Row { stride: row.stride * times, full_stride: times, ..*row }).collect::<Vec<_>>()
    };
    match base {
        "classic" => [TEXT, QUOTE, ITEMS, CONTAINER].concat(),
        "v3" => thinner(CONTAINER, 3),
        "v5" => thinner(QUOTE, 9),
        _ => thinner(TEXT, 3),
    }
}

/// The text of the receipt.
const TEXT: &[Row] = &[
    row(Part::Receipt, &[BITS], 11, CHANGED_TEXT),
    row(Part::Receipt, SHIFTS, 37, CHANGED_TEXT),
    row(Part::Receipt, &[CUTS], 5, BROKEN),
    row(Part::Receipt, &[DUPLICATES], 1, TWICE),
    row(
        Part::Receipt,
        &[TYPES, VALUES, REMOVALS, ADDITIONS, NAMES, SWAPS],
        3,
        &[
            ("", &["json", "receipt", "evidence", "binding", "input", "verdict", "signature", "signer"]),
            (
                "quote",
                &[
                    "receipt.wrong-type",
                    "receipt.missing-member",
                    "receipt.base64-not-canonical",
                    "evidence.absent",
                    "quote",
                    "binding",
                    "platform",
                ],
            ),
            (
                "collateral",
                &["receipt.wrong-type", "receipt.missing-member", "receipt.base64-not-canonical", "json", "collateral", "platform"],
            ),
            (
                "output",
                &["receipt.wrong-type", "receipt.missing-member", "receipt.base64-not-canonical", "receipt.copies-differ", "binding"],
            ),
        ],
    ),
    harmless(Part::Receipt, SPELLINGS, 6),
];

const CHANGED_TEXT: Stages = &[
    ("", &["json", "receipt", "evidence", "binding", "input", "verdict", "signature", "signer"]),
    ("quote", &["json", "receipt", "evidence", "quote", "certificate", "qe", "binding"]),
    ("collateral", &["json", "receipt", "collateral", "crl", "tcb-info", "qe-identity"]),
    ("output", &["json", "receipt", "binding"]),
];
const BROKEN: Stages = &[("*", &["json.malformed"])];
const TWICE: Stages = &[("*", &["json.duplicate-key"])];

const QUOTE: &[Row] = &[
    row(Part::Quote, &[BITS], 1, CHANGED_QUOTE),
    row(Part::Quote, SHIFTS, 8, SHIFTED_QUOTE),
    row(Part::Quote, &[CUTS, RANDOM], 1, SHIFTED_QUOTE),
    row(Part::Chain, &[CERTIFICATES], 1, &[("", &["certificate", "qe.report-signature-wrong", "platform.fmspc-mismatch"])]),
    row(Part::Certificate(0), &[BITS, RANDOM], 1, CERTIFICATE),
    row(Part::Certificate(0), &[CUTS], 2, CERTIFICATE),
    row(Part::Certificate(1), &[BITS, RANDOM], 1, CERTIFICATE),
    row(Part::Certificate(1), &[CUTS], 2, CERTIFICATE),
    row(Part::Certificate(2), &[BITS, RANDOM], 1, CERTIFICATE),
    row(Part::Certificate(2), &[CUTS], 2, CERTIFICATE),
    harmless(Part::Chain, &[LINE_ENDS], 1),
    row(Part::Output, &[BITS, RANDOM], 1, OUTPUT),
    row(Part::Output, &[CUTS, DELETIONS, INSERTIONS], 5, OUTPUT),
];

/// The beginning of the quote goes into the receipt id.
const CHANGED_QUOTE: Stages = &[
    ("header", &["quote", "binding.receipt-id-mismatch"]),
    ("body", &["quote.signature-wrong", "binding.report-data-mismatch"]),
    ("length", &["quote.truncated", "quote.malformed", "quote.trailing-bytes"]),
    ("signature", &["quote.signature-wrong"]),
    ("key", &["qe.report-data-wrong", "quote.attestation-key-invalid"]),
    ("lengths", &["quote.malformed", "quote.certification-unsupported"]),
    ("QE report", &["qe.report-signature-wrong"]),
    ("QE signature", &["qe.report-signature-wrong"]),
    ("authentication", &["quote.malformed", "quote.certification-unsupported", "qe.report-data-wrong"]),
    ("chain", &["certificate"]),
    ("padding", &["quote.trailing-bytes"]),
];
/// Bytes that are pushed out of the signed quote stand behind it.
const SHIFTED_QUOTE: Stages = &[
    ("chain", &["quote", "certificate"]),
    ("*", &["quote", "binding.receipt-id-mismatch", "binding.report-data-mismatch", "evidence.absent"]),
];
const CERTIFICATE: Stages = &[("", &["certificate"])];
const OUTPUT: Stages = &[("", &["binding.output-hash-mismatch"])];

const ITEMS: &[Row] = &[
    row(TCB_INFO, &[BITS], 3, TCB_INFO_STAGES),
    row(TCB_INFO, SHIFTS, 8, TCB_INFO_STAGES),
    row(TCB_INFO, &[CUTS], 5, CUT_ITEM),
    row(TCB_INFO, &[RANDOM], 1, TCB_INFO_STAGES),
    row(TCB_INFO, &[DUPLICATES], 3, TWICE),
    row(TCB_INFO, &[TYPES, VALUES, REMOVALS, ADDITIONS, SWAPS], 5, TCB_INFO_STAGES),
    row(TCB_INFO, SPELLINGS, 3, TCB_INFO_STAGES),
    row(QE_IDENTITY, &[BITS], 2, QE_IDENTITY_STAGES),
    row(QE_IDENTITY, SHIFTS, 8, QE_IDENTITY_STAGES),
    row(QE_IDENTITY, &[CUTS], 3, CUT_ITEM),
    row(QE_IDENTITY, &[RANDOM], 1, QE_IDENTITY_STAGES),
    row(QE_IDENTITY, &[DUPLICATES], 1, TWICE),
    row(QE_IDENTITY, &[TYPES, VALUES, REMOVALS, ADDITIONS, SWAPS], 1, QE_IDENTITY_STAGES),
    row(QE_IDENTITY, SPELLINGS, 1, QE_IDENTITY_STAGES),
    row(PCK_CRL, &[BITS, RANDOM], 1, CRL),
    row(PCK_CRL, &[CUTS, DELETIONS, INSERTIONS], 4, CRL),
    row(ROOT_CRL, &[BITS, RANDOM], 1, CRL),
    row(ROOT_CRL, &[CUTS, DELETIONS, INSERTIONS], 4, CRL),
];

const TCB_INFO_STAGES: Stages =
    &[("", &["json", "tcb-info.malformed", "tcb-info.signature-wrong"]), ("signed", &["json", "tcb-info.signature-wrong"])];
const QE_IDENTITY_STAGES: Stages =
    &[("", &["json", "qe-identity.malformed", "qe-identity.signature-wrong"]), ("signed", &["json", "qe-identity.signature-wrong"])];
const CUT_ITEM: Stages = &[("*", &["json.malformed", "collateral.part-absent"])];
const CRL: Stages = &[("", &["crl", "collateral.part-absent"])];

const CONTAINER: &[Row] = &[
    row(Part::Collateral, &[BITS], 5, CHANGED_CONTAINER),
    row(Part::Collateral, SHIFTS, 20, CHANGED_CONTAINER),
    row(Part::Collateral, &[CUTS], 4, &[("", &["json.malformed", "collateral.part-absent"])]),
    row(Part::Collateral, &[RANDOM], 1, CHANGED_CONTAINER),
    row(Part::Collateral, &[DUPLICATES], 1, TWICE),
    row(Part::Collateral, &[TYPES, VALUES, REMOVALS, ADDITIONS, NAMES, SWAPS], 1, CHANGED_CONTAINER),
    harmless(Part::Collateral, SPELLINGS, 1),
];

const CHANGED_CONTAINER: Stages =
    &[("", &["json", "collateral", "crl", "tcb-info", "qe-identity", "certificate", "platform.fmspc-mismatch"])];

/// Where the regions of a part stand; what lies in none of them has no name.
pub(crate) fn regions(part: Part, text: &[u8]) -> Vec<(Range<usize>, &'static str)> {
    match part {
        Part::Receipt => {
            let members = [("quote_b64", "quote"), ("collateral_b64", "collateral"), ("stdout_b64", "output")];
            let find = |end: &str| nodes(text).into_iter().find(|node| node.pointer.ends_with(end)).map(|node| node.value);
            members.into_iter().filter_map(|(end, name)| Some((find(end)?, name))).collect()
        }
        Part::Quote => quote_regions(text),
        TCB_INFO | QE_IDENTITY => {
            let signed = nodes(text).into_iter().find(|node| ["/tcbInfo", "/enclaveIdentity"].contains(&&*node.pointer));
            signed.into_iter().map(|node| (node.value, "signed")).collect()
        }
        _ => Vec::new(),
    }
}

fn quote_regions(quote: &[u8]) -> Vec<(Range<usize>, &'static str)> {
    let Frame { signed, qe_report, chain } = Frame::of(quote).expect("a good quote");
    let descriptor = if quote[0] == 5 { 6 } else { 0 };
    let starts = [
        (0, "header"),
        (48 + descriptor, "body"),
        (signed, "length"),
        (signed + 4, "signature"),
        (signed + 68, "key"),
        (signed + 132, "lengths"),
        (qe_report, "QE report"),
        (qe_report + 384, "QE signature"),
        (qe_report + 448, "authentication"),
        (chain.start - 6, "lengths"),
        (chain.start, "chain"),
        (chain.end, "padding"),
    ];
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([usize::MAX]);
    starts.iter().zip(ends).map(|((start, name), end)| (*start..end, *name)).collect()
}
