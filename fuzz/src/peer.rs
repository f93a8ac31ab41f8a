//! The verdict on a quote beside that of dcap-qvl, over edited evidence that is signed again. What we accept it has to accept, with the
//! same status, and the other way round, but for the rows of two tables in `README.md`, which argue why.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic;
use std::sync::{LazyLock, Once};

use dcap_qvl::QuoteCollateralV3;
use dcap_qvl::configs::RustCryptoConfig;
use dcap_qvl::verify::QuoteVerifier;
use serde_json::Value;
use soundness::vectors::vectors;
use soundness::{edits, invariants};
use verify_core::{Effect, Instant, Outcome, Problem, Timestamp, dcap};

use crate::evidence::{Evidence, Part};
use crate::tree::Node;

/// The rows of the tables in the README, by the start of their heading: the texts between backticks, then the second cells.
fn table(heading: &str) -> Vec<(&'static str, &'static str)> {
    let (_, rest) = include_str!("../README.md").split_once(heading).unwrap_or_else(|| panic!("no table {heading}"));
    let rows = rest.lines().skip_while(|line| !line.starts_with("|---")).skip(1).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.trim_matches('|').split_once(" | ").expect("two cells"));
    let known = cells.map(|(known, rest)| (known.trim_matches(['`', ' ']), rest.split(" | ").next().unwrap_or_default()));
    known.collect()
}

/// Our code and the document in which it may stand, where dcap-qvl accepts.
static STRICTER: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| table("We refuse, dcap-qvl accepts:"));

/// Words of a refusal of dcap-qvl, where we accept.
static MILDER: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| table("We accept, dcap-qvl refuses:"));

/// The first byte chooses an instant, the second a change around the signed parts, the others edits of the parts.
pub fn compare(data: &[u8]) {
    let (head, edits) = data.split_first_chunk::<2>().unwrap_or((&[0, 0], &[]));
    let evidence = edited(edits, head[1]);
    let Some(collateral) = evidence.v3() else { return };
    let quote = around(evidence.quote(), head[1]);
    let at = INSTANTS[usize::from(head[0]) % INSTANTS.len()];

    let (ours, theirs) = (ours(&quote, &collateral, at), theirs(&quote, &collateral, at));
    let is_listed = match (&ours, &theirs) {
        (Ok(status), Ok(theirs)) => status == theirs,
        (Err(problems), Ok(_)) => problems.iter().all(|Problem { code, location, .. }| {
            STRICTER.iter().any(|(known, document)| code.name() == *known && ["any", location.document].contains(document))
        }),
        (Ok(_), Err(message)) => MILDER.iter().any(|(known, _)| message.contains(known)),
        (Err(_), Err(_)) => true,
    };
    let is_left_out =
        has_unsorted_levels(&evidence) || has_other_cpu_svn(evidence.signed(Part::Leaf)) || has_other_distribution_points(&evidence);
    assert!(is_listed || is_left_out, "we say {ours:?}, dcap-qvl {theirs:?}");
}

/// Whether a QE identity or TDX module has levels that do not descend: dcap-qvl takes the first one that is reached, Intel and we the
/// highest.
fn has_unsorted_levels(evidence: &Evidence) -> bool {
    let read = |part: Part| serde_json::from_slice::<Value>(evidence.signed(part)).unwrap_or_default();
    let modules = read(Part::TcbInfo)["tdxModuleIdentities"].as_array().cloned().unwrap_or_default();
    modules.iter().chain([&read(Part::QeIdentity)]).any(|levelled| {
        let svns = levelled["tcbLevels"].as_array().into_iter().flatten().map(|level| level["tcb"]["isvsvn"].as_u64());
        !svns.is_sorted_by(|left, right| left > right)
    })
}

/// Whether a PCK certificate says another CPUSVN than its sixteen components: dcap-qvl compares the one, Intel and we the others.
fn has_other_cpu_svn(leaf: &[u8]) -> bool {
    /// The object identifier of the TCB in the SGX extension; an item of it has one arc more.
    const TCB: [u8; 10] = [0x2a, 0x86, 0x48, 0x86, 0xf8, 0x4d, 0x01, 0x0d, 0x01, 0x02];
    fn collect(node: &Node, items: &mut BTreeMap<u8, u8>, cpu_svn: &mut Vec<u8>) {
        if let [name, value] = node.nodes()
            && let Some([number]) = name.bytes().strip_prefix(&TCB)
        {
            match (number, value.bytes()) {
                (18, bytes) => *cpu_svn = bytes.to_vec(),
                (_, bytes) => drop(items.insert(*number, bytes.last().copied().unwrap_or_default())),
            }
        }
        node.nodes().iter().for_each(|node| collect(node, items, cpu_svn));
    }
    let (mut items, mut cpu_svn) = (BTreeMap::new(), Vec::new());
    if let Some(leaf) = Node::read(leaf) {
        collect(&leaf, &mut items, &mut cpu_svn);
    }
    items.remove(&17);
    !items.into_values().eq(cpu_svn)
}

/// Whether a certificate says otherwise where its CRL is fetched from, which dcap-qvl reads; we fetch nothing, and do not.
fn has_other_distribution_points(evidence: &Evidence) -> bool {
    fn found(node: &Node) -> Option<&Node> {
        const CRL_DISTRIBUTION_POINTS: [u8; 3] = [0x55, 0x1d, 0x1f];
        let is_extension = node.nodes().first().is_some_and(|name| name.bytes() == CRL_DISTRIBUTION_POINTS);
        if is_extension { Some(node) } else { node.nodes().iter().find_map(found) }
    }
    let points = |evidence: &Evidence, part| Node::read(evidence.signed(part)).and_then(|part| found(&part).map(Node::der));
    [Part::Leaf, Part::Intermediate, Part::Signer].into_iter().any(|part| points(evidence, part) != points(Evidence::good(), part))
}

/// The common window of the good evidence, its edges, and beyond; in seconds.
const INSTANTS: [u32; 6] = [START + 86_400, START - 1, START, END, END + 1, END - 1];
/// Issue date of the TCB info, 2026-08-03T11:00:00Z.
const START: u32 = 1_785_754_800;
/// End of the PCK CRL, 2026-09-02T09:00:00Z.
const END: u32 = 1_788_339_600;

/// The good evidence with edited parts: certificates and CRLs as scripts, the others as they are.
fn edited(edits: &[u8], around: u8) -> Evidence {
    let mut parts = ORIGINALS.clone();
    edits::edit_parts(edits, &mut parts);
    let mut evidence = Evidence::good().clone();
    for ((part, edited), original) in Part::ALL.into_iter().zip(parts).zip(&*ORIGINALS) {
        if edited != *original {
            evidence.replace(part, if part.is_der() { Node::of_script(&mut edited.as_slice()).der() } else { edited });
        }
    }
    match around % 16 {
        1 => evidence.chain.push(Part::Root),
        2 => evidence.chain.truncate(2),
        3 => evidence.authenticate(Vec::new()),
        4 => evidence.authenticate(vec![1; 64]),
        _ => {}
    }
    evidence
}

/// The bytes that no signature covers.
fn around(mut quote: Vec<u8>, around: u8) -> Vec<u8> {
    match around % 16 {
        5 => quote.push(0),
        6 => quote.push(1),
        7 => quote[Evidence::good().signed(Part::Body).len() + 4 + 128] = 5,
        _ => {}
    }
    quote
}

static ORIGINALS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let editable = |part: Part| {
        let signed = Evidence::good().signed(part);
        if part.is_der() { Node::read(signed).expect("DER").script() } else { signed.to_vec() }
    };
    Part::ALL.map(editable).to_vec()
});

/// The status, or everything that stands against the quote.
fn ours(quote: &[u8], collateral: &[u8], at: u32) -> Result<String, Vec<Problem>> {
    let at = Instant::Given(Timestamp::from_unix_seconds(at.into()));
    let report = dcap::verify_quote(quote, collateral, at, &vectors().anchors);
    invariants::assert_of_quote(&report, quote);
    match (report.outcome, report.facts.tcb) {
        (Outcome::Verified | Outcome::UnderProvenanced, Some(tcb)) => Ok(tcb.status.name().to_owned()),
        _ => Err(report.problems.into_iter().filter(|problem| problem.effect >= Effect::Prevents).collect()),
    }
}

/// The status, or why dcap-qvl refuses. A panic of its own is a refusal.
fn theirs(quote: &[u8], collateral: &[u8], at: u32) -> Result<String, String> {
    let collateral: QuoteCollateralV3 = serde_json::from_slice(collateral).expect("as the evidence writes it");
    let verifier = QuoteVerifier::new(Evidence::good().der(Part::Root).to_vec()).with_config::<RustCryptoConfig>();
    quietly(|| verifier.verify(quote, &collateral, at.into()).map(|report| report.status).map_err(|error| format!("{error:#}")))
        .unwrap_or_else(|| Err("panicked".to_owned()))
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `ask` returns, or `None` if it panics: libFuzzer's hook, which ends the process, is not asked.
fn quietly<T>(ask: impl FnOnce() -> T + panic::UnwindSafe) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                hook(info);
            }
        }));
    });
    IS_QUIET.set(true);
    let answer = panic::catch_unwind(ask);
    IS_QUIET.set(false);
    answer.ok()
}
