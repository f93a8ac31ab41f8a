//! Which kinds of changes are made to which part, and at which stages they may be refused.

use soundness::edits::Part;
use soundness::essence::Frame;
use soundness::mutants::{
    ADDITIONS, BITS, BLANKS, CERTIFICATES, CUTS, DELETIONS, DUPLICATES, ESCAPES, INSERTIONS, Kind, LINE_ENDS, NAMES, ORDER, RANDOM,
    REMOVALS, SWAPS, TYPES, VALUES, nodes,
};

/// Changes of one part.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) part: Part,
    pub(crate) kinds: &'static [Kind],
    pub(crate) stride: usize,
    /// Whether nothing but the spelling changes, so that every mutant has to stay verified.
    pub(crate) harmless: bool,
    /// Stages or codes of refusal, by region of the part.
    pub(crate) stages: &'static [(&'static str, &'static [&'static str])],
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
    (Part::Receipt, &[VALUES, TYPES, ADDITIONS, REMOVALS]),
    (Part::Collateral, &[VALUES, TYPES, ADDITIONS, REMOVALS]),
    (TCB_INFO, &[ORDER]),
    (QE_IDENTITY, &[ORDER]),
    (Part::Chain, &[LINE_ENDS]),
];

const BYTES: &[Kind] = &[BITS, DELETIONS, INSERTIONS];
const SPELLINGS: &[Kind] = &[ESCAPES, BLANKS, ORDER];
const MEANINGS: &[Kind] = &[TYPES, VALUES, REMOVALS, ADDITIONS, NAMES, SWAPS];

const fn row(part: Part, kinds: &'static [Kind], stride: usize, stages: &'static [(&'static str, &'static [&'static str])]) -> Row {
    Row { part, kinds, stride, harmless: false, stages }
}

const fn harmless(part: Part, kinds: &'static [Kind], stride: usize) -> Row {
    Row { part, kinds, stride, harmless: true, stages: &[] }
}

/// The rows for the receipt of this name.
pub(crate) fn rows(base: &str) -> Vec<Row> {
    let mut rows = TEXT.to_vec();
    match base {
        "classic" => rows.extend([QUOTE, ITEMS, CONTAINER].concat()),
        "v5" => rows.extend(QUOTE),
        "v3" => rows.extend(CONTAINER),
        _ => {}
    }
    rows
}

const ANY: &[(&str, &[&str])] = &[("", &["json"])];

/// The text of the receipt.
const TEXT: &[Row] = &[
    row(Part::Receipt, BYTES, 7, ANY),
    row(Part::Receipt, &[CUTS], 5, ANY),
    row(Part::Receipt, &[DUPLICATES], 1, ANY),
    row(Part::Receipt, MEANINGS, 1, ANY),
    harmless(Part::Receipt, SPELLINGS, 2),
];

const QUOTE: &[Row] = &[
    row(Part::Quote, BYTES, 1, ANY),
    row(Part::Quote, &[CUTS], 1, ANY),
    row(Part::Quote, &[RANDOM], 1, ANY),
    row(Part::Chain, &[CERTIFICATES], 1, ANY),
    row(Part::Certificate(0), &[BITS, CUTS, RANDOM], 1, ANY),
    row(Part::Certificate(1), &[BITS, CUTS, RANDOM], 1, ANY),
    row(Part::Certificate(2), &[BITS, CUTS, RANDOM], 1, ANY),
    harmless(Part::Chain, &[LINE_ENDS], 1),
    row(Part::Output, &[BITS, CUTS, DELETIONS, INSERTIONS, RANDOM], 1, ANY),
];

const ITEMS: &[Row] = &[
    row(TCB_INFO, BYTES, 2, ANY),
    row(TCB_INFO, &[CUTS, RANDOM, DUPLICATES], 1, ANY),
    row(TCB_INFO, MEANINGS, 1, ANY),
    row(TCB_INFO, SPELLINGS, 1, ANY),
    row(QE_IDENTITY, BYTES, 1, ANY),
    row(QE_IDENTITY, &[CUTS, RANDOM, DUPLICATES], 1, ANY),
    row(QE_IDENTITY, MEANINGS, 1, ANY),
    row(QE_IDENTITY, SPELLINGS, 1, ANY),
    row(PCK_CRL, BYTES, 1, ANY),
    row(PCK_CRL, &[CUTS, RANDOM], 1, ANY),
    row(ROOT_CRL, BYTES, 1, ANY),
    row(ROOT_CRL, &[CUTS, RANDOM], 1, ANY),
];

const CONTAINER: &[Row] = &[
    row(Part::Collateral, BYTES, 5, ANY),
    row(Part::Collateral, &[CUTS], 1, ANY),
    row(Part::Collateral, &[RANDOM], 1, ANY),
    row(Part::Collateral, &[DUPLICATES], 1, ANY),
    row(Part::Collateral, MEANINGS, 1, ANY),
    harmless(Part::Collateral, SPELLINGS, 1),
];

/// The region of a part in which a change at `at` falls.
pub(crate) fn region(part: Part, text: &[u8], at: usize) -> &'static str {
    let _ = (part, text, at, nodes as fn(&[u8]) -> _, Frame::of as fn(&[u8]) -> _);
    ""
}
