//! The whole argument, in order. Each obligation is one call; what it needs from earlier ones it asks for by name, and what
//! cannot be had is skipped with the code that stopped it.
//!
//! 1. The bytes are strict JSON and a TDX receipt.
//! 2. The quote is genuine under the collateral and the anchors (`dcap`).
//! 3. Every field under the quote is the one that the receipt shows.
//! 4. The claimed verdict is the one that the enclave signed.
//! 5. The provenance is complete, and enclave, image and fields are those that the policy pins.
//! 6. Every statement is listed with what carries it.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;

use crate::anchors::Anchors;
use crate::binding;
use crate::claims::{self, Proven};
use crate::crypto;
use crate::dcap::{self, Appraisal, Instant};
use crate::input::{self, Recovered, Sources};
use crate::json;
use crate::ledger::{Checked, Ledger, Stopped, need};
use crate::limits;
use crate::pins::{self, Pinned};
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::provenance;
use crate::receipt::{self, Bound, DOCUMENT, Evidence, Expected, Receipt};
use crate::report::{AnchorsInForce, Input, Obligation, PolicyInForce, Report, Tool};
use crate::scorer::{self, Scorer};
use crate::text;
use crate::verdict::{self, Output};

/// What to verify: the bytes of one receipt, at which instant to judge them, and what lies beside it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    receipt: &'a [u8],
    name: Option<&'a str>,
    instant: Instant,
    input: Option<&'a [u8]>,
    result: Option<&'a [u8]>,
}

impl<'a> Request<'a> {
    /// The receipt in `bytes`, judged at the start of its own collateral's window.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { receipt: bytes, name: None, instant: Instant::Collateral, input: None, result: None }
    }

    /// Gives the input a name for the report; it has no other meaning.
    pub const fn named(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Judges at another instant.
    pub const fn judged_at(self, instant: Instant) -> Self {
        Self { instant, ..self }
    }

    /// Expects `bytes` to be the very input that the enclave was given; white space outside of its texts and the order of its
    /// members do not matter. Another one refutes.
    pub const fn with_input(self, bytes: &'a [u8]) -> Self {
        Self { input: Some(bytes), ..self }
    }

    /// Hands over the `result.json` that was published beside the receipt, as a source from which the enclave's input may be
    /// recovered. Nothing is expected of it: one that leads to no input changes nothing.
    pub const fn with_published_result(self, bytes: &'a [u8]) -> Self {
        Self { result: Some(bytes), ..self }
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

        // 1. The bytes are strict JSON and a TDX receipt.
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

        // 2. The quote is genuine under the collateral and the anchors.
        let quote = receipt.evidence.and_then(|evidence| need(&evidence.quote)).map(Vec::as_slice);
        let collateral = receipt.evidence.and_then(|evidence| need(&evidence.collateral)).map(Vec::as_slice);
        let Appraisal { quote, trust_domain, genuine, judged, mut facts } =
            dcap::verify(quote, collateral, request.instant, &self.policy, &self.anchors, &mut ledger);

        // 3. Every field under the quote is the one that the receipt shows.
        let low = ledger.meet(Obligation::ReportDataLow, |findings| {
            binding::report_data_low(receipt.bound?, need(&quote)?.trust_domain.unauthenticated(), findings)
        });
        let high = ledger.meet(Obligation::ReportDataHigh, |findings| {
            binding::report_data_high(receipt.bound?, need(&quote)?.trust_domain.unauthenticated(), findings)
        });
        let stdout = receipt.evidence.and_then(|evidence| need(&evidence.stdout)).map(Vec::as_slice);
        let output_bound = ledger.meet(Obligation::OutputHash, |findings| binding::output(receipt.bound?, stdout?, findings));
        let files = ledger.meet(Obligation::FilesManifest, |findings| binding::files(receipt.bound?, receipt.expected?, findings));
        let _id_follows = ledger
            .meet(Obligation::ReceiptId, |findings| binding::receipt_id(receipt.receipt_id?, receipt.evidence?, receipt.bound?, findings));
        let nonce = ledger.meet(Obligation::Nonce, |findings| binding::nonce(receipt.bound?, receipt.attestation?, findings));
        let output = stdout.map(Output::read);
        let input = ledger.meet(Obligation::Input, |findings| {
            files?;
            let sources = Sources { given: request.input, result: request.result, output: output.as_ref().ok() };
            input::recover(receipt.bound?, receipt.attestation?, receipt.expected?, nonce, &sources, findings)
        });
        let input = need(&input).map(Option::as_ref);
        let input_value = input.ok().flatten().and_then(|input| json::read(&input.text).ok());
        let counterparts = receipt.attestation_value.ok().zip(input_value.as_ref());
        let counterparts = counterparts.map(|(attestation, input)| input::counterparts(attestation, input)).unwrap_or_default();
        let _counterparts_agree = ledger.meet(Obligation::Counterparts, |findings| {
            match (input?, &input_value) {
                (None, _) => findings.not_applicable("the enclave's input was not recovered"),
                (Some(_), None) => findings.not_applicable("the enclave's input is no JSON that this verifier reads"),
                _ => input::check_counterparts(&counterparts, output.as_ref().ok().filter(|_| output_bound.is_ok()), findings),
            }
            Ok(())
        });
        let _known_command = ledger.meet(Obligation::Workload, |findings| {
            binding::workload(receipt.evidence.and_then(|evidence| evidence.workload_sha256)?, findings);
            Ok(())
        });
        let reproduced = ledger.meet(Obligation::Scorer, |findings| {
            let input = input.map(|input| input.map(|input| input.text.as_slice()));
            let output = output_bound.and_then(|()| need(&output));
            scorer::check(receipt.expected?, input, output, findings)
        });

        // 4. The claimed verdict is the one that the enclave signed.
        let _verdict_agrees = ledger.meet(Obligation::Verdict, |findings| {
            output_bound?;
            verdict::check(need(&output)?, receipt.attestation?, findings);
            Ok(())
        });

        // 5. The provenance is complete, and enclave, image and fields are those that the policy pins.
        let _provenance = ledger.meet(Obligation::Provenance, |findings| {
            provenance::check(receipt.attestation?, facts.window.as_ref(), findings);
            Ok(())
        });
        let _enclave = ledger.meet(Obligation::Enclave, |findings| {
            pins::check_enclave(&self.policy, need(&trust_domain)?, findings);
            Ok(())
        });
        let _image = ledger.meet(Obligation::Image, |findings| {
            pins::check_image(&self.policy, receipt.bound?.image, findings);
            Ok(())
        });
        let bound = Bindings {
            nonce: genuine.and(low).and(nonce).is_ok_and(|applies| applies),
            requester: genuine.and(low).is_ok(),
            image: genuine.and(high).is_ok(),
            output: genuine.and(high).and(output_bound).is_ok(),
            scorer: genuine.and(high).and(files).is_ok(),
            input: genuine.and(high).and(files).and(input).is_ok_and(|input| input.is_some()),
        };
        let _pins = ledger.meet(Obligation::Pins, |findings| {
            for pin in self.pinned_fields(&receipt, bound)? {
                pins::check_field(&pin, findings);
            }
            Ok(())
        });

        // 6. Every statement is listed with what carries it.
        let reproduced_by = reproduced.ok().flatten().filter(|_| bound.input && bound.output);
        let proven = Proven {
            nonce: receipt.bound.ok().filter(|_| bound.nonce).map(|bound| bound.nonce),
            counterparts: if bound.input { counterparts } else { BTreeMap::new() },
            output: output.as_ref().ok().filter(|_| bound.output),
            verdict_is_computed: reproduced_by.is_some() && input_value.as_ref().is_some_and(|input| !verdict::holds_verdict(input)),
        };
        let claims = ledger.meet(Obligation::Claims, |findings| {
            let value = receipt.attestation_value?;
            Ok(claims::list(value, receipt.attestation.ok(), &proven, findings))
        });
        facts.input = input.ok().flatten().filter(|_| bound.input).map(Recovered::facts);
        let output = proven.output.zip(receipt.bound.ok());
        facts.output = output.map(|(output, bound)| output.facts(bound.result_sha256, reproduced_by.map(Scorer::name)));
        facts.image = receipt.bound.ok().filter(|_| bound.image).map(|bound| bound.image.to_owned());
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
            },
            outcome,
            exit_code: outcome.exit_code(),
            checks,
            problems,
            claims: claims.unwrap_or_default(),
            facts,
        }
    }

    fn pinned_fields<'a>(&'a self, receipt: &Parts<'a>, bound: Bindings) -> Checked<Vec<Pinned<'a>>> {
        let (attestation, expected, fields) = (receipt.attestation?, receipt.expected?, receipt.bound?);
        let accept = &self.policy.accept;
        Ok(vec![
            Pinned { pointer: "/attestation/code/commit", value: attestation.commit, accepted: &accept.commit, is_bound: bound.nonce },
            Pinned { pointer: "/attestation/code/repo", value: attestation.repository, accepted: &accept.repository, is_bound: false },
            Pinned {
                pointer: "/attestation/references/model_sha256",
                value: attestation.model_sha256,
                accepted: &accept.model_sha256,
                is_bound: bound.nonce,
            },
            Pinned {
                pointer: "/_expected/scoring_sha256",
                value: expected.scorer_sha256,
                accepted: &accept.scorer,
                is_bound: bound.scorer,
            },
            Pinned {
                pointer: "/tdx/e2e_pubkey_b64",
                value: fields.requester_key,
                accepted: &accept.requester_key,
                is_bound: bound.requester,
            },
        ])
    }
}

/// Which bindings hold, each together with the quote's whole chain.
#[derive(Clone, Copy)]
struct Bindings {
    nonce: bool,
    requester: bool,
    image: bool,
    output: bool,
    scorer: bool,
    input: bool,
}

/// The parts of a receipt, each with what stopped it.
struct Parts<'a> {
    receipt_id: Checked<&'a str>,
    evidence: Checked<&'a Evidence<'a>>,
    bound: Checked<&'a Bound<'a>>,
    expected: Checked<&'a Expected<'a>>,
    attestation: Checked<&'a receipt::Attestation<'a>>,
    attestation_value: Checked<&'a json::Value<'a>>,
}

impl<'a> Parts<'a> {
    fn of(receipt: &'a Checked<Receipt<'a>>) -> Self {
        let receipt = need(receipt);
        let evidence = receipt.and_then(|receipt| need(&receipt.evidence));
        Self {
            receipt_id: receipt.and_then(|receipt| receipt.receipt_id),
            evidence,
            bound: evidence.and_then(|evidence| need(&evidence.bound)),
            expected: receipt.and_then(|receipt| need(&receipt.expected)),
            attestation: receipt.and_then(|receipt| need(&receipt.attestation)),
            attestation_value: receipt.and_then(|receipt| receipt.attestation_value.ok_or(Stopped(Code::ReceiptMissingMember))),
        }
    }

    /// A note where the file's flags say something else than the checks found; checks without a result found nothing.
    fn self_report_disagrees(&self, policy: &Policy, genuine: Checked<()>, bound: Checked<()>) -> Option<Problem> {
        let said = self.evidence.and_then(|evidence| evidence.self_report).ok()?;
        let pairs = [("intel_verified", said.intel_verified, genuine), ("report_data_match", said.report_data_match, bound)];
        let differing: Vec<String> = pairs
            .into_iter()
            .filter_map(|(name, said, found)| match found {
                Ok(()) if !said => Some(format!("{name} is false, but the checks passed")),
                Err(Stopped(code)) if said && policy.effect(code) == Effect::Refutes => {
                    Some(format!("{name} is true, but the checks say {code}"))
                }
                _ => None,
            })
            .collect();
        (!differing.is_empty())
            .then(|| Problem::new(Code::SelfReportDisagrees, Location::pointer(DOCUMENT, "/tdx/verification"), differing.join("; ")))
    }
}

fn softened(problems: &[Problem]) -> Vec<Code> {
    let mut codes: Vec<Code> =
        problems.iter().filter(|problem| problem.effect < problem.code.info().default_effect).map(|problem| problem.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}
