//! The whole argument, in order. Each obligation is one call; what it needs from earlier ones it asks for by name, and what
//! cannot be had is skipped with the code that stopped it.
//!
//! 1. The bytes are strict JSON and a receipt.
//! 2. Its evidence is genuine: a quote under the collateral and the anchors (`dcap`), or a trusted signer's signature.
//! 3. Every field under the quote is the one that the receipt shows.
//! 4. The claimed verdict is the one that the enclave signed, and the tier the one that the recorded figures earn.
//! 5. The provenance is complete, and enclave, image and fields are those that policy and caller want.
//! 6. The files beside the receipt say the same as the receipt.
//! 7. Every statement is listed with what carries it.
//!
//! What is about the evidence that a receipt does not have, about a part that its envelope does not have, or about something that
//! nobody asked for, does not apply.

use std::sync::Arc;

use crate::anchors::{Anchors, Trust};
use crate::binding;
use crate::claimed_tier;
use crate::claims::{self, Proven};
use crate::crypto::Arithmetic;
use crate::dcap::quote::Accepted;
use crate::dcap::{self, Appraisal, Instant, age};
use crate::expectation::{Expectation, Field};
use crate::facts::Facts;
use crate::input::{self, Recovered, Sources};
use crate::json::{self, JsonErrorKind};
use crate::ledger::{Checked, Ledger, Stopped, need};
use crate::limits;
use crate::memo::Memory;
use crate::pins::{self, Subject};
use crate::policy::Policy;
use crate::problem::{Code, Effect, Location, Problem};
use crate::provenance;
use crate::receipt::{self, Bound, DOCUMENT, Expected, Files, QuoteEvidence, Receipt, SignatureEvidence, Statement};
use crate::report::{AnchorsInForce, Input, Obligation, Outcome, QuoteReport, Report, Tool};
use crate::run::{self, Companion, RunFile};
use crate::scorer::{self, Scorer};
use crate::signature;
use crate::tier::Params;
use crate::time::Timestamp;
use crate::verdict::{self, Output};

/// What to verify: the bytes of one receipt, at which instant to judge them, and what the caller knows beside them.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    receipt: &'a [u8],
    name: Option<&'a str>,
    instant: Instant,
    now: Option<Timestamp>,
    fresh_collateral: Option<&'a [u8]>,
    expectations: &'a [Expectation],
    input: Option<&'a [u8]>,
    run: &'a [RunFile<'a>],
    score: Option<&'a Params>,
}

impl<'a> Request<'a> {
    /// The receipt in `bytes`, judged at the start of its own collateral's window.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            receipt: bytes,
            name: None,
            instant: Instant::Collateral,
            now: None,
            fresh_collateral: None,
            expectations: &[],
            input: None,
            run: &[],
            score: None,
        }
    }

    /// Gives the input a name for the report; it has no other meaning.
    pub const fn named(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Judges at another instant.
    pub const fn judged_at(self, instant: Instant) -> Self {
        Self { instant, ..self }
    }

    /// Judges the quote a second time, by collateral that is fresher than the carried one, at the start of that collateral's own
    /// window. `collateral` is the JSON of either known container.
    pub const fn with_fresh_collateral(self, collateral: &'a [u8]) -> Self {
        Self { fresh_collateral: Some(collateral), ..self }
    }

    /// Gives the caller's current time, against which a policy can limit the age of the collateral. Nothing else uses it;
    /// [`Instant::Now`] gives it too.
    pub const fn now(self, now: Timestamp) -> Self {
        Self { now: Some(now), ..self }
    }

    /// Checks that the receipt says all of this, and that evidence carries it.
    pub const fn expecting(self, expectations: &'a [Expectation]) -> Self {
        Self { expectations, ..self }
    }

    /// Expects `bytes` to be the very input that the enclave was given; white space outside of its texts and the order of its
    /// members do not matter. Another one refutes.
    pub const fn with_input(self, bytes: &'a [u8]) -> Self {
        Self { input: Some(bytes), ..self }
    }

    /// Compares the receipt with the files that stand beside it in its run directory, each once. Where the receipt does not lead
    /// to the enclave's input, `result.json` may.
    pub const fn with_run(self, files: &'a [RunFile<'a>]) -> Self {
        Self { run: files, ..self }
    }

    /// Derives the claimed tier again, by these parameters.
    pub const fn scored_by(self, params: &'a Params) -> Self {
        Self { score: Some(params), ..self }
    }
}

/// Verifies receipts under one policy and one set of anchors.
///
/// A verifier remembers the good signatures that it saw ([`REMEMBERED_SIGNATURES`](limits::REMEMBERED_SIGNATURES) of them), because the
/// receipts of a log share keys, certificates and collateral: one verifier for all computes four signatures a receipt where one for
/// each computes eight. How certificates read is remembered likewise ([`REMEMBERED_CERTIFICATES`](limits::REMEMBERED_CERTIFICATES)), and
/// what has to be computed of a key alone ([`REMEMBERED_KEYS`](limits::REMEMBERED_KEYS)), and nothing else, so that no report depends on
/// what was verified before. Threads can share a verifier; clones share its memory.
#[derive(Clone, Debug)]
pub struct Verifier {
    policy: Policy,
    anchors: Anchors,
    memory: Arc<Memory>,
}

impl Verifier {
    /// A verifier that judges by `policy` and trusts `anchors`.
    pub fn new(policy: Policy, anchors: Anchors) -> Self {
        let memory = Arc::new(anchors.memory(Arithmetic::fastest()));
        Self { policy, anchors, memory }
    }

    /// Computes signatures by portable arithmetic, whatever this build and this processor have. The reports are the same; to compare,
    /// or to rule assembly out. What was remembered is forgotten.
    pub fn with_portable_arithmetic(self) -> Self {
        Self { memory: Arc::new(self.anchors.memory(Arithmetic::PORTABLE)), ..self }
    }

    /// How many signatures this verifier and its clones have computed, good or not. Those they remembered are not among them.
    pub fn signatures_computed(&self) -> u64 {
        self.memory.computed()
    }

    /// The answer without fresh collateral, whatever the age of the carried one.
    fn as_carried(&self, request: &Request<'_>) -> Outcome {
        let verifier = Self { policy: Policy { maximum_age: None, ..self.policy.clone() }, ..self.clone() };
        verifier.verify(&Request { fresh_collateral: None, ..*request }).outcome
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
        let carried_quote = receipt.quote.and_then(|evidence| need(&evidence.quote)).map(Vec::as_slice);
        let collateral = receipt.quote.and_then(|evidence| need(&evidence.collateral)).map(Vec::as_slice);
        let trust = Trust { anchors: &self.anchors, memory: &self.memory };
        let Appraisal { quote, trust_domain, genuine: genuine_as_carried, judged, facts: hardware } =
            dcap::verify(carried_quote, Accepted::TrustDomains, collateral, request.instant, &self.policy, trust, &mut ledger);

        let fresh = carried_quote.ok().zip(request.fresh_collateral).map(|(quote, collateral)| {
            dcap::judge_again(quote, Accepted::TrustDomains, collateral, hardware.window.as_ref(), &self.policy, trust)
        });
        let refuted = fresh.as_ref().and_then(QuoteReport::refutation);
        let genuine = genuine_as_carried.and(refuted.map_or(Ok(()), |code| Err(Stopped::By(code))));
        let _fresher = ledger.meet(Obligation::FreshCollateral, |findings| match &fresh {
            None if request.fresh_collateral.is_none() => Err(Stopped::NotApplicable("no fresh collateral was given")),
            None => findings.asked(true, "fresh collateral was given", genuine),
            Some(fresh) => age::check_fresh(hardware.window.as_ref(), genuine_as_carried, fresh, findings),
        });
        let _young = ledger.meet(Obligation::CollateralAge, |findings| {
            let limit = self.policy.maximum_age.ok_or(Stopped::NotApplicable("the policy sets no limit"))?;
            findings.asked(true, "the policy limits the age of collateral", genuine)?;
            let newest = fresh.as_ref().map_or(&hardware, |fresh| &fresh.facts);
            age::check_limit(newest, request.now.or(request.instant.now()), limit, findings);
            Ok(())
        });
        let signer = ledger.meet(Obligation::SignerKey, |findings| signature::check_signer(receipt.signature?, &self.anchors, findings));
        let signature_holds = ledger.meet(Obligation::Signature, |findings| signature::check(receipt.signature?, &self.memory, findings));
        let signed = signature_holds.and(signer);

        // 3. Every field under the quote is the one that the receipt shows.
        let low = ledger
            .meet(Obligation::ReportDataLow, |findings| binding::report_data_low(receipt.bound?, &need(&quote)?.trust_domain()?, findings));
        let high = ledger.meet(Obligation::ReportDataHigh, |findings| {
            binding::report_data_high(receipt.bound?, &need(&quote)?.trust_domain()?, findings)
        });
        let stdout = receipt.quote.and_then(|evidence| need(&evidence.stdout)).map(Vec::as_slice);
        let output_bound = ledger.meet(Obligation::OutputHash, |findings| binding::output(receipt.bound?, stdout?, findings));
        let files = ledger.meet(Obligation::FilesManifest, |findings| binding::files(receipt.bound?, receipt.files?, findings));
        let contents = ledger.meet(Obligation::Contents, |findings| binding::contents(need(&receipt.quote?.contents)?, findings));
        let id_follows = ledger.meet(Obligation::ReceiptId, |findings| match receipt.signature {
            Ok(signature) => signature::check_receipt_id(receipt.receipt_id?, signature, findings),
            Err(_) => binding::receipt_id(receipt.receipt_id?, receipt.quote?, receipt.bound?, findings),
        });
        let nonce = ledger.meet(Obligation::Nonce, |findings| match receipt.statement? {
            Statement::Attestation(attestation) => binding::nonce(receipt.bound?, attestation, findings),
            Statement::Note(note) => binding::head(receipt.bound?, note, findings),
            Statement::Absent => Err(Stopped::NotApplicable("a response does not say what its nonce stands for")),
        });
        let output = stdout.map(Output::read);
        let input = ledger.meet(Obligation::Input, |findings| {
            findings.asked(request.input.is_some(), "an input was given", files)?;
            let result = request.run.iter().find(|file| file.companion == Companion::Result).and_then(|file| file.content.ok());
            let sources = Sources { given: request.input, output: output.as_ref().ok(), result };
            input::recover(receipt.quote?, receipt.bound?, receipt.statement?, receipt.expected?, nonce, &sources, findings)
        });
        let input = need(&input).map(Option::as_ref);
        let input_value = input.ok().flatten().map(|input| json::read(&input.text));
        let counterparts = ledger.meet(Obligation::Counterparts, |findings| {
            input?;
            let value = match &input_value {
                None => Err(Stopped::NotApplicable("the enclave's input was not recovered")),
                Some(Err(error)) if error.kind == JsonErrorKind::Limit => Err(findings.stop(error.clone().into_problem(input::INPUT))),
                Some(Err(_)) => Err(Stopped::NotApplicable("the enclave's input is no JSON that this verifier reads")),
                Some(Ok(value)) => Ok(value),
            }?;
            let counterparts = input::counterparts(receipt.statement?, receipt.attestation_value, value)?;
            input::check_counterparts(&counterparts, output.as_ref().ok().filter(|_| output_bound.is_ok()), findings);
            Ok(counterparts)
        });
        let _known_command = ledger.meet(Obligation::Workload, |findings| binding::workload(receipt.quote?, findings));
        let reproduced = ledger.meet(Obligation::Scorer, |findings| {
            let input = input.map(|_| input_value.as_ref());
            scorer::check(receipt.expected?, input, output_bound.and_then(|()| need(&output)), findings)
        });

        // 4. The claimed verdict is the one that the enclave signed, and the tier the one that the recorded figures earn.
        let _verdict_agrees = ledger.meet(Obligation::Verdict, |findings| {
            match receipt.statement? {
                Statement::Attestation(attestation) => {
                    verdict::check_finite(attestation, findings);
                    output_bound?;
                    verdict::check(need(&output)?, attestation, findings);
                }
                Statement::Note(note) => {
                    output_bound?;
                    verdict::check_note(need(&output)?, note, findings);
                }
                Statement::Absent => return Err(Stopped::NotApplicable("a response claims no verdict")),
            }
            Ok(())
        });
        let rescored = ledger.meet(Obligation::Tier, |findings| {
            let params = request.score.ok_or(Stopped::NotApplicable("no parameters of a tier function were given"))?;
            let attestation = findings.asked(true, "parameters of a tier function were given", receipt.attestation)?;
            let output = match receipt.signature {
                Ok(_) => None,
                Err(_) => output_bound.and_then(|()| need(&output)).map(Some)?,
            };
            let is_given = |pointer: &str| counterparts.iter().any(|found| found.get(pointer).is_some_and(|field| field.agrees));
            let is_carried = |pointer: &str| signed.is_ok() || is_given(pointer);
            Ok(claimed_tier::check(params, output, attestation, &is_carried, findings))
        });

        // 5. The provenance is complete, and enclave, image and fields are those that policy and caller want.
        let _provenance = ledger.meet(Obligation::Provenance, |findings| {
            match receipt.statement? {
                Statement::Attestation(attestation) => provenance::check(attestation, hardware.window.as_ref(), findings),
                Statement::Note(_) | Statement::Absent => provenance::absent(findings),
            }
            Ok(())
        });
        let _enclave = ledger.meet(Obligation::Enclave, |findings| pins::check_enclave(&self.policy, need(&trust_domain), findings));
        let _image = ledger.meet(Obligation::Image, |findings| pins::check_image(&self.policy, receipt.bound, findings));
        let is_bound = |half: Checked<()>, binding: Checked<()>| genuine.and(half).and(binding).is_ok();
        let proven_input = input.ok().flatten().filter(|_| is_bound(high, files));
        let proven_output = output.as_ref().ok().filter(|_| is_bound(high, output_bound));
        let reproduced_by = reproduced.ok().flatten().filter(|_| proven_input.is_some() && proven_output.is_some());
        let proven = Proven {
            signature: signed.is_ok(),
            receipt_id: signed.map(|_| ()).or(genuine.and(high)).and(id_follows).is_ok(),
            block: receipt.quote.map_or("", |evidence| evidence.block),
            low: genuine.and(low).is_ok(),
            high: genuine.and(high).is_ok(),
            nonce: receipt.bound.ok().filter(|_| genuine.and(low).and(nonce).is_ok()).map(|bound| bound.nonce),
            counterparts: counterparts.ok().filter(|_| proven_input.is_some()).unwrap_or_default(),
            files: is_bound(high, files),
            image: receipt.bound.and_then(|bound| bound.image).ok().filter(|_| genuine.and(high).is_ok()),
            contents: contents.as_deref().ok().filter(|_| genuine.and(high).is_ok()).unwrap_or_default(),
            verdict_is_computed: reproduced_by.is_some()
                && !input_value.as_ref().is_some_and(|value| value.as_ref().is_ok_and(verdict::holds_verdict)),
            output: proven_output,
        };
        let coverage = |pointer: &str, value: &json::Value<'_>| claims::cover(pointer, value, receipt.statement.ok(), &proven).0;
        let place = |field: Field| receipt.whole?.place(field);
        let bound_beginning = |pointer: &str| claims::bound_beginning(pointer, &proven);
        let subject =
            need(&document).map(|document| Subject { document, place: &place, coverage: &coverage, bound_beginning: &bound_beginning });
        let _pins = ledger.meet(Obligation::Pins, |findings| pins::check_policy(&self.policy, need(&subject), findings));
        let expectations =
            ledger.meet(Obligation::Expectations, |findings| pins::check_expectations(request.expectations, need(&subject), findings));

        // 6. The files beside the receipt say the same as the receipt.
        let mut files_beside = run::list(request.run);
        let _run_agrees = ledger.meet(Obligation::Run, |findings| {
            run::check(request.run, receipt.attestation_value, receipt.receipt_id, &mut files_beside, findings)
        });

        // 7. Every statement is listed with what carries it.
        let claims =
            ledger.meet(Obligation::Claims, |findings| Ok(claims::list(receipt.stated?, receipt.statement.ok(), &proven, findings)));
        let facts = Facts {
            platform: hardware.platform,
            trust_domain: hardware.trust_domain,
            tcb: hardware.tcb,
            window: hardware.window,
            input: proven_input.map(Recovered::facts),
            output: proven_output
                .zip(receipt.bound.ok())
                .map(|(output, bound)| output.facts(bound.result_sha256, reproduced_by.map(Scorer::name))),
            image: proven.image.map(str::to_owned),
            signer: signed.ok().map(|signer| signer.to_base64()),
        };
        if let Some(note) = receipt.self_report_disagrees(&self.policy, genuine_as_carried, low.and(high)) {
            ledger.note(note);
        }

        let (outcome, checks, problems) = ledger.settle(Obligation::OF_A_RECEIPT, &self.policy);
        let outcome = fresh.as_ref().map_or(outcome, |fresh| fresh.outcome.max(outcome));
        let found = problems.iter().chain(fresh.iter().flat_map(|fresh| &fresh.problems)).map(|problem| problem.code);
        Report {
            report_version: 1,
            tool: Tool::THIS,
            input: Input::new(request.name, request.receipt),
            judged,
            policy: self.policy.in_force(found),
            anchors: AnchorsInForce::of(&self.anchors),
            outcome,
            exit_code: outcome.exit_code(),
            outcome_as_carried: if request.fresh_collateral.is_some() { self.as_carried(request) } else { outcome },
            fresh,
            checks,
            problems,
            claims: claims.unwrap_or_default(),
            expectations: expectations.unwrap_or_else(|stopped| {
                request.expectations.iter().map(|expectation| pins::unjudged(expectation, stopped.code())).collect()
            }),
            run: files_beside,
            facts,
            rescored: rescored.ok(),
        }
    }
}

/// The parts of a receipt, each with what stopped it.
struct Parts<'a> {
    whole: Checked<&'a Receipt<'a>>,
    receipt_id: Checked<&'a str>,
    quote: Checked<&'a QuoteEvidence<'a>>,
    bound: Checked<&'a Bound<'a>>,
    signature: Checked<&'a SignatureEvidence<'a>>,
    files: Checked<&'a Files<'a>>,
    expected: Checked<&'a Expected<'a>>,
    statement: Checked<&'a Statement<'a>>,
    attestation: Checked<&'a receipt::Attestation<'a>>,
    attestation_value: Checked<&'a json::Value<'a>>,
    stated: Checked<&'a [(String, &'a json::Value<'a>)]>,
}

impl<'a> Parts<'a> {
    fn of(receipt: &'a Checked<Receipt<'a>>) -> Self {
        let whole = need(receipt);
        let evidence = whole.and_then(|receipt| need(&receipt.evidence));
        let statement = whole.and_then(|receipt| need(&receipt.statement));
        let quote = evidence.and_then(|evidence| evidence.quote());
        Self {
            whole,
            receipt_id: whole.and_then(|receipt| receipt.receipt_id),
            quote,
            bound: quote.and_then(|quote| need(&quote.bound)),
            signature: evidence.and_then(|evidence| evidence.signature()),
            files: whole.and_then(|receipt| need(&receipt.files)),
            expected: whole.and_then(|receipt| need(&receipt.expected)),
            statement,
            attestation: statement.and_then(Statement::attestation),
            attestation_value: whole.and_then(Receipt::attestation_value),
            stated: whole.map(|receipt| receipt.stated.as_slice()),
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
