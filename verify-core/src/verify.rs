//! The whole argument, in order. Each obligation is one call; what it needs from earlier ones it asks for by name, and what
//! cannot be had is skipped with the code that stopped it.
//!
//! 1. The bytes are strict JSON and a receipt.
//! 2. Its evidence is genuine: a quote under the collateral and the anchors (`dcap`), or a trusted signer's signature.
//! 3. Every field under the quote is the one that the receipt shows.
//! 4. The claimed verdict is the one that the enclave signed.
//! 5. The provenance is complete, and enclave, image and fields are those that the policy pins.
//! 6. Every statement is listed with what carries it.
//!
//! What is about the evidence that a receipt does not have, or about a part that its envelope does not have, does not apply.

use data_encoding::HEXLOWER;

use crate::anchors::Anchors;
use crate::binding;
use crate::claims::{self, Proven};
use crate::crypto;
use crate::dcap::{self, Appraisal, Instant};
use crate::json;
use crate::ledger::{Checked, Ledger, Stopped, need};
use crate::limits;
use crate::pins::{self, Pinned};
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::provenance;
use crate::receipt::{self, Bound, DOCUMENT, Expected, Files, QuoteEvidence, Receipt, SignatureEvidence, Statement};
use crate::report::{AnchorsInForce, Input, Obligation, PolicyInForce, Report, Tool};
use crate::scorer;
use crate::signature;
use crate::text;
use crate::verdict::{self, Output};

/// What to verify: the bytes of one receipt, and at which instant to judge them.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    receipt: &'a [u8],
    name: Option<&'a str>,
    instant: Instant,
}

impl<'a> Request<'a> {
    /// The receipt in `bytes`, judged at the start of its own collateral's window.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { receipt: bytes, name: None, instant: Instant::Collateral }
    }

    /// Gives the input a name for the report; it has no other meaning.
    pub const fn named(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Judges at another instant.
    pub const fn judged_at(self, instant: Instant) -> Self {
        Self { instant, ..self }
    }
}

/// Verifies receipts under one policy and one set of anchors.
#[derive(Clone, Debug)]
pub struct Verifier {
    policy: Policy,
    anchors: Anchors,
}

impl Verifier {
    /// A verifier that judges by `policy` and trusts `anchors`.
    pub const fn new(policy: Policy, anchors: Anchors) -> Self {
        Self { policy, anchors }
    }

    /// Verifies one receipt. Total: hostile bytes give a report as any others do.
    pub fn verify(&self, request: &Request<'_>) -> Report {
        let mut ledger = Ledger::default();

        // 1. The bytes are strict JSON and a receipt.
        let document = ledger.meet(Obligation::Json, |findings| {
            let size = request.receipt.len();
            if size > limits::RECEIPT_BYTES {
                let message = format!("the receipt has {size} bytes; at most {} are read", limits::RECEIPT_BYTES);
                return Err(findings.stop(Problem::new(Code::LimitExceeded, Location::document(DOCUMENT), message)));
            }
            let document = json::read(request.receipt).map_err(|error| findings.stop(error.into_problem(DOCUMENT)))?;
            receipt::note_non_finite(&document, findings);
            Ok(document)
        });
        let receipt = ledger.meet(Obligation::Shape, |findings| Receipt::read(need(&document)?, findings));
        let receipt = Parts::of(&receipt);

        // 2. The evidence is genuine: a quote under the collateral and the anchors, or a trusted signer's signature.
        let quote = receipt.quote.and_then(|evidence| need(&evidence.quote)).map(Vec::as_slice);
        let collateral = receipt.quote.and_then(|evidence| need(&evidence.collateral)).map(Vec::as_slice);
        let Appraisal { quote, trust_domain, genuine, judged, mut facts } =
            dcap::verify(quote, collateral, request.instant, &self.policy, &self.anchors, &mut ledger);
        let signer = ledger.meet(Obligation::SignerKey, |findings| signature::check_signer(receipt.signature?, &self.anchors, findings));
        let signature_holds = ledger.meet(Obligation::Signature, |findings| signature::check(receipt.signature?, findings));
        let signed = signature_holds.and(signer);

        // 3. Every field under the quote is the one that the receipt shows.
        let low = ledger.meet(Obligation::ReportDataLow, |findings| {
            binding::report_data_low(receipt.bound?, need(&quote)?.trust_domain.unauthenticated(), findings)
        });
        let high = ledger.meet(Obligation::ReportDataHigh, |findings| {
            binding::report_data_high(receipt.bound?, need(&quote)?.trust_domain.unauthenticated(), findings)
        });
        let stdout = receipt.quote.and_then(|evidence| need(&evidence.stdout)).map(Vec::as_slice);
        let output_bound = ledger.meet(Obligation::OutputHash, |findings| binding::output(receipt.bound?, stdout?, findings));
        let files = ledger.meet(Obligation::FilesManifest, |findings| binding::files(receipt.bound?, receipt.files?, findings));
        let contents = ledger.meet(Obligation::Contents, |findings| binding::contents(need(&receipt.quote?.contents)?, findings));
        let _id_follows = ledger.meet(Obligation::ReceiptId, |findings| match receipt.signature {
            Ok(signature) => signature::check_receipt_id(receipt.receipt_id?, signature, findings),
            Err(_) => binding::receipt_id(receipt.receipt_id?, receipt.quote?, receipt.bound?, findings),
        });
        let nonce = ledger.meet(Obligation::Nonce, |findings| match receipt.statement? {
            Statement::Attestation(attestation) => binding::nonce(receipt.bound?, attestation, findings),
            Statement::Note(note) => binding::head(receipt.bound?, note, findings),
            Statement::Absent => Err(Stopped::NotApplicable("a response does not say what its nonce stands for")),
        });
        let input = ledger.meet(Obligation::Input, |findings| {
            files?;
            match receipt.statement? {
                Statement::Attestation(attestation) => binding::input(receipt.bound?, attestation, receipt.expected?, nonce, findings),
                Statement::Note(note) => binding::bundle(receipt.quote?, note, receipt.expected?, findings),
                Statement::Absent => binding::no_input(findings),
            }
        });
        let _known_command = ledger.meet(Obligation::Workload, |findings| binding::workload(receipt.quote?, findings));
        let _reproduced = ledger.meet(Obligation::Scorer, |findings| {
            scorer::check(receipt.expected?, &receipt.files?.pointer, findings);
            Ok(())
        });

        // 4. The claimed verdict is the one that the enclave signed.
        let output = stdout.map(Output::read);
        let repeats_output = ledger.meet(Obligation::Verdict, |findings| match receipt.statement? {
            Statement::Attestation(attestation) => {
                verdict::check_finite(attestation, findings);
                output_bound?;
                verdict::check(need(&output)?, attestation, findings);
                Ok(false)
            }
            Statement::Note(note) => {
                output_bound?;
                Ok(verdict::check_note(need(&output)?, note, findings))
            }
            Statement::Absent => Err(Stopped::NotApplicable("a response claims no verdict")),
        });

        // 5. The provenance is complete, and enclave, image and fields are those that the policy pins.
        let _provenance = ledger.meet(Obligation::Provenance, |findings| {
            match receipt.statement? {
                Statement::Attestation(attestation) => provenance::check(attestation, facts.window.as_ref(), findings),
                Statement::Note(_) | Statement::Absent => provenance::absent(findings),
            }
            Ok(())
        });
        let _enclave = ledger.meet(Obligation::Enclave, |findings| pins::check_enclave(&self.policy, need(&trust_domain), findings));
        let _image = ledger.meet(Obligation::Image, |findings| pins::check_image(&self.policy, receipt.bound, findings));
        let bound = Bindings {
            signature: signed.is_ok(),
            nonce: genuine.and(low).and(nonce).is_ok_and(|applies| applies),
            requester: genuine.and(low).is_ok(),
            image: genuine.and(high).is_ok(),
            output: genuine.and(high).and(output_bound).is_ok(),
            files: genuine.and(high).and(files).is_ok(),
            input: genuine.and(high).and(files).and(input).is_ok_and(|recovered| recovered),
        };
        let _pins = ledger.meet(Obligation::Pins, |findings| {
            self.pinned_fields(&receipt, bound).iter().try_for_each(|pin| pins::check_field(pin, findings))
        });

        // 6. Every statement is listed with what carries it.
        let verdict_is_computed = bound.input
            && receipt.expected.is_ok_and(scorer::is_known)
            && receipt.attestation.is_ok_and(|attestation| !verdict::holds_verdict(attestation.measurements));
        facts.image = receipt.bound.and_then(|bound| bound.image).ok().filter(|_| bound.image).map(str::to_owned);
        let proven = Proven {
            signature: bound.signature,
            nonce: bound.nonce,
            input: bound.input,
            verdict_is_computed,
            output: output.as_ref().ok().filter(|_| bound.output),
            repeats_output: bound.output && repeats_output.is_ok_and(|repeats| repeats),
            files: bound.files,
            image: facts.image.is_some(),
            contents: contents.as_deref().ok().filter(|_| genuine.and(high).is_ok()).unwrap_or_default(),
        };
        let claims =
            ledger.meet(Obligation::Claims, |findings| Ok(claims::list(receipt.stated?, receipt.statement.ok(), proven, findings)));
        facts.output = proven.output.zip(receipt.bound.ok()).map(|(output, bound)| output.facts(bound.result_sha256));
        facts.signer = signed.ok().map(|signer| signer.to_base64());
        if let Some(note) = receipt.self_report_disagrees(&self.policy, genuine, low.and(high)) {
            ledger.note(note);
        }

        let (outcome, checks, problems) = ledger.settle(&self.policy);
        Report {
            report_version: 1,
            tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
            input: Input {
                name: request.name.map(text::escape),
                sha256: HEXLOWER.encode(&crypto::sha256([request.receipt])),
                bytes: request.receipt.len(),
            },
            judged,
            policy: PolicyInForce {
                name: text::escape(self.policy.name()),
                sha256: self.policy.digest(),
                waivers: self.policy.waived_pins(),
                softened: softened(&problems),
            },
            anchors: AnchorsInForce {
                built_in: self.anchors.are_built_in(),
                root_key_sha256: self.anchors.root_key_sha256(),
                tcb_signing_key_sha256: self.anchors.tcb_signing_key_sha256(),
                signer_keys: self.anchors.signer_keys.iter().map(|key| key.to_base64()).collect(),
            },
            outcome,
            exit_code: outcome.exit_code(),
            checks,
            problems,
            claims: claims.unwrap_or_default(),
            facts,
        }
    }

    fn pinned_fields<'a>(&'a self, receipt: &Parts<'a>, bound: Bindings) -> [Pinned<'a>; 5] {
        let accept = &self.policy.accept;
        let of_run = bound.nonce || bound.signature;
        let (commit_pointer, commit) = match receipt.statement {
            Ok(Statement::Note(note)) => ("/bundle/head", Ok(note.head)),
            _ => ("/attestation/code/commit", receipt.attestation.map(|attestation| attestation.commit)),
        };
        [
            Pinned { what: "commits", pointer: commit_pointer, value: commit, accepted: &accept.commit, is_bound: of_run },
            Pinned {
                what: "repositories",
                pointer: "/attestation/code/repo",
                value: receipt.attestation.map(|attestation| attestation.repository),
                accepted: &accept.repository,
                is_bound: bound.signature,
            },
            Pinned {
                what: "models",
                pointer: "/attestation/references/model_sha256",
                value: receipt.attestation.map(|attestation| attestation.model_sha256),
                accepted: &accept.model_sha256,
                is_bound: of_run,
            },
            Pinned {
                what: "scorers",
                pointer: receipt.files.map_or("", |files| &files.pointer),
                value: receipt.expected.and_then(|expected| match expected.scorer_sha256 {
                    "" => Err(Stopped::NotApplicable("no path says that a file of the receipt is its scorer")),
                    scorer => Ok(scorer),
                }),
                accepted: &accept.scorer,
                is_bound: bound.files,
            },
            Pinned {
                what: "requester keys",
                pointer: receipt.bound.map_or("", |bound| bound.block),
                value: receipt.bound.map(|bound| bound.requester_key),
                accepted: &accept.requester_key,
                is_bound: bound.requester,
            },
        ]
    }
}

/// Which bindings hold, each together with the whole chain of the quote, or the signature with its trusted signer.
#[derive(Clone, Copy)]
struct Bindings {
    signature: bool,
    nonce: bool,
    requester: bool,
    image: bool,
    output: bool,
    files: bool,
    input: bool,
}

/// The parts of a receipt, each with what stopped it.
struct Parts<'a> {
    receipt_id: Checked<&'a str>,
    quote: Checked<&'a QuoteEvidence<'a>>,
    bound: Checked<&'a Bound<'a>>,
    signature: Checked<&'a SignatureEvidence<'a>>,
    files: Checked<&'a Files<'a>>,
    expected: Checked<&'a Expected<'a>>,
    statement: Checked<&'a Statement<'a>>,
    attestation: Checked<&'a receipt::Attestation<'a>>,
    stated: Checked<&'a [(String, &'a json::Value<'a>)]>,
}

impl<'a> Parts<'a> {
    fn of(receipt: &'a Checked<Receipt<'a>>) -> Self {
        let receipt = need(receipt);
        let evidence = receipt.and_then(|receipt| need(&receipt.evidence));
        let statement = receipt.and_then(|receipt| need(&receipt.statement));
        let quote = evidence.and_then(|evidence| evidence.quote());
        Self {
            receipt_id: receipt.and_then(|receipt| receipt.receipt_id),
            quote,
            bound: quote.and_then(|quote| need(&quote.bound)),
            signature: evidence.and_then(|evidence| evidence.signature()),
            files: receipt.and_then(|receipt| need(&receipt.files)),
            expected: receipt.and_then(|receipt| need(&receipt.expected)),
            statement,
            attestation: statement.and_then(Statement::attestation),
            stated: receipt.map(|receipt| receipt.stated.as_slice()),
        }
    }

    /// A note where the file's flags say something else than the checks found; checks without a result found nothing.
    fn self_report_disagrees(&self, policy: &Policy, genuine: Checked<()>, bound: Checked<()>) -> Option<Problem> {
        let said = self.quote.and_then(|evidence| need(&evidence.self_report)).ok()?;
        let pairs = [("intel_verified", said.intel_verified, genuine), ("report_data_match", said.report_data_match, bound)];
        let differing: Vec<String> = pairs
            .into_iter()
            .filter_map(|(name, said, found)| match found {
                Ok(()) if !said => Some(format!("{name} is false, but the checks passed")),
                Err(Stopped::By(code)) if said && policy.effect(code) == Effect::Refutes => {
                    Some(format!("{name} is true, but the checks say {code}"))
                }
                _ => None,
            })
            .collect();
        (!differing.is_empty())
            .then(|| Problem::new(Code::SelfReportDisagrees, Location::pointer(DOCUMENT, &said.pointer), differing.join("; ")))
    }
}

fn softened(problems: &[Problem]) -> Vec<Code> {
    let mut codes: Vec<Code> =
        problems.iter().filter(|problem| problem.effect < problem.code.info().default_effect).map(|problem| problem.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}
