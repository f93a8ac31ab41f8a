//! Receipts, and the material that a vector changes before a receipt is made of it.

use data_encoding::{BASE64, HEXLOWER};

use crate::collateral::{self, Collateral, Container, CrlText};
use crate::crl::Crl;
use crate::edits::Edits;
use crate::json::{self, Json};
use crate::pki::{self, Certificate, Key, SgxExtension, Signer, sha256};
use crate::quote::{EnclaveReport, INTEL_QE_SIGNER, Quote, Td15, hex};

/// The scorer that passes input on, and the one that also knows the shape with `dflash`.
pub const SCORER: &str = "3da819f79756e2608e629983e104f18297f28f5935bb80b7a62b57b75b2580a3";
pub const DFLASH_SCORER: &str = "6009bbbd8e54db34a097b9027416dbe34fe41559e6c434eb964a0b5cbf5f9ae8";

pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
pub const IMAGE_NAME: &str = "test image";
pub const MODEL_NAME: &str = "test model weights";
const COMMAND: &str = "python3 /submission/score.py";
const NOTE_COMMAND: &str = "python3 /in/eval_scorer.py /in/bundle.json";

pub fn digest(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(&sha256(bytes))
}

/// What the nonce is made of.
pub enum Nonce {
    /// The hash of commit, model sha256 and evaluation seed.
    Formula,
    /// A number that binds nothing.
    Random(String),
}

/// What the enclave was given as `result.json`.
pub enum Input {
    /// The measurements of the receipt.
    Measurements,
    /// A document of its own.
    Document(Json),
}

/// The document around attestation and evidence.
pub enum Envelope {
    /// A receipt of a log, with a quote.
    Log,
    /// A receipt of a log, with a signature.
    Signed(Signer),
    /// The attestation service's own response.
    Response(Response),
    /// A note around such a response, with the verdict that it repeats.
    Note(Response, Json),
}

impl Envelope {
    pub fn response(&self) -> Option<&Response> {
        match self {
            Envelope::Response(response) | Envelope::Note(response, _) => Some(response),
            Envelope::Log | Envelope::Signed(_) => None,
        }
    }
}

/// What only a response holds.
pub struct Response {
    /// Whether a container image ran; otherwise the command alone is bound.
    pub has_image: bool,
    /// Whether the enclave was given files: scorer and input.
    pub has_files: bool,
    pub egress_log: String,
    /// An empty object where there is none.
    pub task_policy: Json,
    /// Paths and contents.
    pub artifacts: Vec<(&'static str, &'static str)>,
}

/// The submitter's side of a receipt.
pub struct Receipt {
    pub envelope: Envelope,
    pub nonce: Nonce,
    pub attestation: Json,
    pub input: Input,
    pub scorer: String,
    pub output: String,
    pub image: String,
    pub requester_key: Vec<u8>,
    pub command: &'static str,
    /// Members in the order of their names, as the newer producer writes them.
    pub sorted: bool,
    /// `verification.intel_verified` and `verification.report_data_match`.
    pub flags: (bool, bool),
    /// Changes to the finished document, and to the bytes of the file.
    pub afterwards: Edits<Json>,
    pub bytes: Edits<Vec<u8>>,
}

/// Everything that goes into one receipt.
pub struct Material {
    pub root: Certificate,
    pub ca: Certificate,
    pub pck: Certificate,
    pub sgx: SgxExtension,
    pub quote: Quote,
    pub collateral: Collateral,
    pub receipt: Receipt,
}

/// Root and TCB signing certificate of the PKI that signs the vectors.
pub fn test_pki() -> (Certificate, Certificate) {
    let root = Key::named("root");
    (Certificate::root(&root), Certificate::tcb_signing(Key::named("TCB signing"), &root))
}

/// Root and TCB signing certificate of a second PKI.
pub fn other_pki() -> (Certificate, Certificate) {
    let root = Key::named("other root");
    (Certificate::root(&root), Certificate::tcb_signing(Key::named("other TCB signing"), &root))
}

impl Material {
    fn new(receipt: Receipt) -> Self {
        let (root_certificate, signing_certificate) = test_pki();
        let root = root_certificate.key.clone();
        let signing = signing_certificate.key.clone();
        let ca = Key::named("platform CA");
        Self {
            pck: Certificate::pck(Key::named("PCK"), pki::PLATFORM_NAME, &ca),
            sgx: SgxExtension::default(),
            quote: Quote::default(),
            collateral: Collateral {
                container: Container::Items,
                pck_crl_issuer: pki::PLATFORM_NAME.to_owned(),
                pck_crl: Crl::new(pki::PLATFORM_NAME, &ca, "2026-08-03T09:00:00Z", "2026-09-02T09:00:00Z"),
                root_crl: Crl::new(pki::ROOT_NAME, &root, "2026-03-01T00:00:00Z", "2027-03-01T00:00:00Z"),
                crl_text: CrlText::Der,
                tcb_info: collateral::tcb_info(&signing),
                qe_identity: collateral::qe_identity(&signing),
                tcb_info_item: Edits::default(),
                qe_identity_item: Edits::default(),
                signer_chain: vec![signing_certificate, Certificate::root(&root)],
                qe_signer: None,
                items: Edits::default(),
                afterwards: Edits::default(),
                bytes: Edits::default(),
            },
            receipt,
            ca: Certificate::intermediate(pki::PLATFORM_NAME, ca, &root),
            root: root_certificate,
        }
    }

    /// A receipt with a derived nonce, whose measurements are the enclave's whole input.
    pub fn classic() -> Self {
        let mut attestation = attestation();
        attestation.set("/code/repo", "https://git.example/engine");
        attestation.set("/measurements", dflash_measurements());
        attestation.set("/verdict/model", "dflash");
        let output = dflash_output(&mut attestation.at("/measurements").clone(), true);
        Self::new(Receipt {
            envelope: Envelope::Log,
            nonce: Nonce::Formula,
            attestation,
            input: Input::Measurements,
            scorer: DFLASH_SCORER.to_owned(),
            output,
            image: format!("sha256:{}", digest(IMAGE_NAME)),
            requester_key: sha256("test requester key").to_vec(),
            command: COMMAND,
            sorted: false,
            flags: (true, true),
            afterwards: Edits::default(),
            bytes: Edits::default(),
        })
    }

    /// A receipt of the older shape, whose scorer hands the measurements on without a verdict.
    pub fn echo() -> Self {
        let mut material = Self::classic();
        material.receipt.attestation.set("/measurements", primary_measurements());
        material.receipt.attestation.set("/environment/eval_mode", "longctx");
        material.receipt.scorer = SCORER.to_owned();
        material.receipt.output = echo_output(&material.receipt.attestation.at("/measurements").clone());
        material
    }

    /// A receipt with a random nonce, whose input stands in the enclave's output but not in the receipt.
    pub fn k3() -> Self {
        let mut material = Self::echo();
        let receipt = &mut material.receipt;
        receipt.nonce = Nonce::Random("5eed".repeat(8));
        receipt.attestation.set("/code/repo", "example/engine-k3");
        receipt.attestation.set("/environment/eval_mode", "kimi_k3/h200x8");
        receipt.attestation.set("/measurements", k3_measurements());
        receipt.attestation.set("/timestamp_utc", "2026-08-03T12:15:00+00:00");
        let document = k3_input();
        receipt.output = document.python() + "\n";
        receipt.input = Input::Document(document);
        receipt.sorted = true;
        material
    }

    /// A receipt of the same kind whose input has no guard: the scorer refuses, and its output leads to the input.
    pub fn unguarded() -> Self {
        let mut material = Self::k3();
        material.receipt.attestation.set("/verdict/label", "REJECT");
        material.receipt.attestation.set("/verdict/pass", false);
        material.submit(|input| {
            input.set("/label", "REJECT");
            input.set("/pass", false);
        });
        material
    }

    /// Changes the input without a guard that was submitted, and what the scorer made of it.
    pub fn submit(&mut self, change: impl Fn(&mut Json)) {
        let mut input = match &self.receipt.input {
            Input::Document(document) => document.clone(),
            Input::Measurements => panic!("the measurements are the input"),
        };
        if let Json::Object(members) = &mut input {
            members.retain(|(name, _)| name != "guard");
        }
        change(&mut input);
        let mut output = input.sorted();
        output.set("/guard", json::parse(r#"{"speed_ok": true, "accuracy_ok": false}"#));
        output.set("/label", "REJECT");
        output.set("/pass", false);
        output.set("/reason", NO_GUARD);
        output.set("/guard_regression_labels", Json::List(Vec::new()));
        self.receipt.output = output.python() + "\n";
        self.receipt.input = Input::Document(input);
    }

    /// A complete receipt that a signer vouches for.
    pub fn signed() -> Self {
        let mut material = Self::echo();
        material.receipt.envelope = Envelope::Signed(Signer::named("receipt signer"));
        material
    }

    /// A response in image mode with a known scorer, without egress log, task policy and artifacts.
    pub fn response() -> Self {
        let mut material = Self::k3();
        let task_policy = Json::Object(Vec::new());
        material.receipt.envelope = Envelope::Response(Response {
            has_image: true,
            has_files: true,
            egress_log: String::new(),
            task_policy,
            artifacts: Vec::new(),
        });
        material
    }

    /// A response with everything that one can bind.
    pub fn full_response() -> Self {
        let mut material = Self::response();
        material.receipt.envelope = Envelope::Response(Response {
            has_image: true,
            has_files: true,
            egress_log: "{\"host\": \"models.example\", \"bytes\": 1024}\n".to_owned(),
            task_policy: json::parse(r#"{"egress": "allow", "hosts": ["models.example"], "seconds": 60.5}"#),
            artifacts: vec![("out/trace.txt", "a trace"), ("out/numbers.json", "{}")],
        });
        material
    }

    /// A note around a response in workload mode; the nonce is the commit under test.
    pub fn note() -> Self {
        let mut material = Self::response();
        let receipt = &mut material.receipt;
        let task_policy = Json::Object(Vec::new());
        let verdict = json::parse(r#"{"delta_pct": 13.4, "head": "0123456", "label": "eval:faster", "reason": "+13.4 % ± 2 %"}"#);
        receipt.output = verdict.python() + "\n";
        let response = Response { has_image: false, has_files: true, egress_log: String::new(), task_policy, artifacts: Vec::new() };
        receipt.envelope = Envelope::Note(response, verdict);
        receipt.nonce = Nonce::Random(COMMIT.to_owned());
        receipt.command = NOTE_COMMAND;
        receipt.scorer = digest("a scorer of notes");
        let mut bundle = json::parse(
            r#"{"head": "", "base_sha": "89abcdef", "pr": 7, "noise_pct": 2.0, "samples": {"main": [106.25, 106.5], "pr": [120.5, 120.25]}}"#,
        );
        bundle.set("/head", COMMIT);
        receipt.input = Input::Document(bundle);
        material
    }

    /// Changes the enclave's output, given as JSON; the input stays.
    pub fn change_output(&mut self, change: impl Fn(&mut Json)) {
        let mut output = json::parse(self.receipt.output.trim_end());
        change(&mut output);
        self.receipt.output = output.python() + "\n";
    }

    /// Moves the platform below the Processor CA.
    pub fn use_processor_ca(&mut self) {
        let key = Key::named("processor CA");
        self.ca = Certificate::intermediate(pki::PROCESSOR_NAME, key.clone(), &self.root.key);
        self.pck = Certificate::pck(self.pck.key.clone(), pki::PROCESSOR_NAME, &key);
        self.sgx.platform = false;
        self.collateral.pck_crl_issuer = pki::PROCESSOR_NAME.to_owned();
        self.collateral.pck_crl.issuer = pki::Name::of(pki::PROCESSOR_NAME);
        self.sign_pck_crl_with(&key);
    }

    /// Takes root and signer from another PKI with the same names.
    pub fn use_other_pki(&mut self) {
        let (root, signing) = other_pki();
        self.ca = Certificate::intermediate(pki::PLATFORM_NAME, self.ca.key.clone(), &root.key);
        self.collateral.root_crl.issuer_key = root.key.clone();
        self.collateral.root_crl.extensions[1] = pki::Extension::authority_key(&root.key);
        self.collateral.tcb_info.key = signing.key.clone();
        self.collateral.qe_identity.key = signing.key.clone();
        self.collateral.signer_chain = vec![signing, Certificate::root(&root.key)];
        self.root = root;
    }

    /// Signs the PCK CRL with `key`, and names that key in it.
    pub fn sign_pck_crl_with(&mut self, key: &Key) {
        self.collateral.pck_crl.issuer_key = key.clone();
        self.collateral.pck_crl.extensions[1] = pki::Extension::authority_key(key);
    }

    /// Makes the quote one of version 5 with a TD 1.5 body; the TDX module that runs is the one that launched the TD.
    pub fn use_td15(&mut self) {
        self.quote.version = 5;
        let tee_tcb_svn2 = self.quote.body.tee_tcb_svn;
        self.quote.body.td15 = Some(Td15 { tee_tcb_svn2, service_td: vec![0; 48], extended: false });
    }

    /// Makes the quote one of an SGX enclave, with the collateral that belongs to it.
    pub fn use_sgx(&mut self, version: u16) {
        let quote = &mut self.quote;
        quote.version = version;
        quote.wrapped = version > 3;
        quote.tee = 0;
        quote.enclave = Some(EnclaveReport::attested());
        quote.qe.name = "test quoting enclave for SGX";
        quote.qe.signer = hex(INTEL_QE_SIGNER);
        quote.qe.product = 1;
        self.collateral.use_sgx();
    }

    /// The bytes of quote and collateral.
    pub fn evidence(&mut self) -> [Vec<u8>; 2] {
        if self.sgx.carried {
            self.pck.extensions.push(pki::Extension::new(pki::SGX_EXTENSION, false, self.sgx.der()));
        }
        let chain = vec![self.pck.pem(), self.ca.pem(), self.root.pem()];
        [self.quote.bytes(chain, &self.pck.key), self.collateral.file(&self.ca, &self.root)]
    }

    /// The bytes of the receipt.
    pub fn file(mut self) -> Vec<u8> {
        let mut document = match &self.receipt.envelope {
            Envelope::Signed(signer) => signed_document(signer, &self.receipt.attestation),
            _ => self.quoted_document(),
        };
        let receipt = &self.receipt;
        receipt.afterwards.apply(&mut document);
        if receipt.sorted {
            document = document.sorted();
        }
        let mut bytes = document.indented().into_bytes();
        receipt.bytes.apply(&mut bytes);
        bytes
    }

    fn quoted_document(&mut self) -> Json {
        let receipt = &mut self.receipt;
        let attestation = &mut receipt.attestation;
        let nonce = match &receipt.nonce {
            Nonce::Random(nonce) => nonce.clone(),
            Nonce::Formula => {
                let [commit, model, seed] =
                    ["/code/commit", "/references/model_sha256", "/references/eval_seed"].map(|pointer| attestation.text(pointer));
                digest(commit + &model + &seed)
            }
        };
        let input = match &receipt.input {
            Input::Measurements => attestation.at("/measurements").sorted(),
            Input::Document(document) => document.sorted(),
        };
        let is_note = matches!(receipt.envelope, Envelope::Note(..));
        let input_digest = digest(if is_note { input.compact() } else { input.python() });
        let [input_path, scorer_path] = match is_note {
            true => ["/in/bundle.json", "/in/eval_scorer.py"],
            false => ["/submission/result.json", "/submission/score.py"],
        };
        let requester_key = BASE64.encode(&receipt.requester_key);
        let output_digest = digest(&receipt.output);
        let workload = format!("sha256:{}", digest(receipt.command));
        let response = receipt.envelope.response();
        let files_digest = match response.is_none_or(|response| response.has_files) {
            true => digest(format!("{input_path}\t{input_digest}\n{scorer_path}\t{}\n", receipt.scorer)),
            false => String::new(),
        };
        let [egress, policy, artifacts] = response.map(Response::digests).unwrap_or_default();
        let has_image = response.is_none_or(|response| response.has_image);
        let bound_digest = if has_image { receipt.image.clone() } else { workload.clone() };
        self.quote.body.report_data = [
            sha256(format!("{nonce}{requester_key}")),
            sha256(format!("{bound_digest}{output_digest}{egress}{files_digest}{policy}{artifacts}")),
        ]
        .concat();

        let [quote, collateral] = self.evidence().map(|bytes| BASE64.encode(&bytes));
        let receipt = &mut self.receipt;
        let evidence = [
            ("quote_b64", quote.clone()),
            ("collateral_b64", collateral),
            ("nonce", nonce),
            ("e2e_pubkey_b64", requester_key),
            ("bound_digest", bound_digest.clone()),
            ("result_sha256", output_digest.clone()),
            ("stdout_b64", BASE64.encode(receipt.output.as_bytes())),
            ("workload_sha256", workload),
        ];
        let Some(response) = receipt.envelope.response() else {
            let mut document = json::parse(
                r#"{
                    "polaris_version": 1,
                    "receipt_id": "",
                    "chain": {"prev_receipt_hash": null, "chain_index": 0},
                    "attestation": {},
                    "attestation_type": "tdx-quote",
                    "tdx": {"verification": {}, "cost_usd": 0.0007},
                    "_expected": {}
                }"#,
            );
            let receipt_id = digest(format!("{}{output_digest}", &quote[..quote.len().min(64)]));
            document.set("/receipt_id", &receipt_id[..32]);
            document.set("/attestation", receipt.attestation.clone());
            for (name, text) in evidence {
                document.set(&format!("/tdx/{name}"), text);
                if name == "stdout_b64" {
                    document.set("/tdx/files_sha256", files_digest.as_str());
                }
            }
            document.set("/tdx/verification/intel_verified", receipt.flags.0);
            document.set("/tdx/verification/report_data_match", receipt.flags.1);
            document.set("/_expected/scoring_sha256", receipt.scorer.as_str());
            document.set("/_expected/result_sha256", input_digest);
            return document;
        };
        let image = if has_image { bound_digest.as_str() } else { "" };
        let mut document = response.document();
        document.set("/image_digest", image);
        document.set("/stdout", receipt.output.as_str());
        let files = [(input_path, input_digest), (scorer_path, receipt.scorer.clone())];
        for (path, digest) in files.into_iter().filter(|_| response.has_files) {
            document.add("/files", path, digest);
        }
        document.set("/files_sha256", files_digest);
        document.set("/tee_attestation/image_digest", image);
        for (name, text) in evidence {
            document.set(&format!("/tee_attestation/{name}"), text);
        }
        document.set("/verification/intel_verified", receipt.flags.0);
        document.set("/verification/report_data_match", receipt.flags.1);
        match &mut receipt.envelope {
            Envelope::Note(_, verdict) => {
                let mut note = Json::Object(Vec::new());
                note.set("/bundle", input);
                note.set("/label", verdict.text("/label"));
                note.set("/reason", verdict.text("/reason"));
                note.set("/receipt", document);
                note.set("/ts", 1_785_758_400);
                note.set("/verdict_doc", verdict.clone());
                note
            }
            _ => document,
        }
    }
}

impl Response {
    /// Of egress log, task policy and artifacts; empty where there are none.
    fn digests(&self) -> [String; 3] {
        self.hashed().map(|text| if text.is_empty() { String::new() } else { digest(text) })
    }

    /// What is hashed of egress log, task policy and artifacts.
    pub fn hashed(&self) -> [String; 3] {
        let policy = match &self.task_policy {
            Json::Object(members) if members.is_empty() => String::new(),
            policy => policy.sorted().compact(),
        };
        let mut artifacts: Vec<String> =
            self.artifacts.iter().map(|(path, content)| format!("{path}\t{}\t{}\n", digest(content), content.len())).collect();
        artifacts.sort();
        [self.egress_log.clone(), policy, artifacts.concat()]
    }

    /// Everything that does not depend on the run.
    fn document(&self) -> Json {
        let mut document = json::parse(
            r#"{
                "artifacts": [], "artifacts_sha256": "", "billed": false, "billed_user": null, "billing_status": "unattributed",
                "binding_version": 2, "box": "test", "cost_usd": 0.0007, "egress": "none", "egress_log": [], "egress_log_b64": "",
                "egress_log_sha256": "", "elapsed_s": 61.5, "exit_code": 0, "files": {}, "files_sha256": "", "image": "",
                "image_digest": "", "instance_id": "test", "ip": "192.0.2.1", "lifecycle": {"environment": "fresh"},
                "machine_image": "test", "policy_sha256": "", "started_at": "2026-08-03T12:14:00Z", "stdout": "", "task_policy": {},
                "tee_attestation": {"binding_recipe": "test", "kind": "tdx-1.5", "report_data_recipe": "test"},
                "verification": {"collateral_urls": []}
            }"#,
        );
        let [egress, policy, artifacts] = self.digests();
        document.set("/egress_log_b64", BASE64.encode(self.egress_log.as_bytes()));
        document.set("/egress_log_sha256", egress);
        document.set("/task_policy", self.task_policy.clone());
        document.set("/policy_sha256", policy);
        let artifacts_listed = self.artifacts.iter().map(|(path, content)| {
            let mut artifact = json::parse(r#"{"path": "", "sha256": "", "size": 0}"#);
            artifact.set("/path", *path);
            artifact.set("/sha256", digest(content));
            artifact.set("/size", u32::try_from(content.len()).expect("a short artifact"));
            artifact
        });
        document.set("/artifacts", Json::List(artifacts_listed.collect()));
        document.set("/artifacts_sha256", artifacts);
        document
    }
}

/// A receipt of a log that a signer vouches for.
fn signed_document(signer: &Signer, attestation: &Json) -> Json {
    let mut document = json::parse(
        r#"{"polaris_version": 1, "receipt_id": "", "chain": {"prev_receipt_hash": null, "chain_index": 0}, "attestation": {}}"#,
    );
    let text = attestation.signed();
    document.set("/receipt_id", digest(&text));
    document.set("/attestation", attestation.clone());
    document.set("/signature", BASE64.encode(&signer.sign(text.as_bytes())));
    document.set("/public_key", BASE64.encode(&signer.public_key()));
    document
}

/// A complete provenance block that claims a pass, without measurements.
fn attestation() -> Json {
    let mut attestation = json::parse(
        r#"{
            "code": {"repo": "", "commit": "", "build_hash": "", "scoring_scripts_commit": ""},
            "references": {
                "model_sha256": "", "model_file": "test-model.gguf",
                "guard_model_sha256": "", "guard_model_file": "test-guard.gguf",
                "llamacpp_commit": "", "eval_seed": "00112233aabbccdd"
            },
            "environment": {
                "eval_mode": "dflash", "decode_tokens": 128, "gpu_name": "Test GPU", "gpu_arch": "sm_00",
                "clocks_pinned": true, "clock_mhz": 2400, "clock_spread_mhz": 0, "pin_target_mhz": 2400,
                "cuda_version": "", "driver_version": "1.2.3"
            },
            "measurements": {},
            "verdict": {
                "model": "test-model", "label": "L", "pass": true,
                "tps": 120.5, "delta_tps": 14.25, "pct_over_frontier": 13.4,
                "score_context": null, "best_context_label": "", "context_gains_pct": {},
                "regression_labels": [], "guard_regression_labels": [], "reason": null
            },
            "timestamp_utc": "2026-08-03T12:15:00Z"
        }"#,
    );
    attestation.set("/code/commit", COMMIT);
    attestation.set("/code/build_hash", digest("test build"));
    attestation.set("/code/scoring_scripts_commit", COMMIT);
    attestation.set("/references/model_sha256", digest(MODEL_NAME));
    attestation.set("/references/guard_model_sha256", digest("test guard weights"));
    attestation.set("/references/llamacpp_commit", &digest("test reference")[..40]);
    attestation
}

fn dflash_measurements() -> Json {
    json::parse(
        r#"{
            "dflash": {
                "pr_dflash_tps": 120.5, "main_dflash_tps": 106.25, "pr_ar_tps": 98.0625, "main_ar_tps": 98.5,
                "mean_accept": 4.75, "spec_agree": "METRIC SPEC_AGREE 16/16 = 1.0000",
                "speedup_vs_main": 1.134, "speedup_vs_ar": 1.229
            },
            "qwen_guard": {
                "ok": true, "problems": [],
                "qwen36": {"0": {"decode": 210.5, "prefill": 0.0}, "512": {"decode": 208.25, "prefill": 4096.5}},
                "qwen35": {"0": {"decode": 150.125, "prefill": 0.0}, "4096": {"decode": 144.5, "prefill": 9000.0}}
            }
        }"#,
    )
}

const DFLASH_PASSES: &str = "DFlash accuracy (SPEC_AGREE=1.0000) + qwen3.5/3.6 guard both pass";
const DFLASH_REFUSES: &str = "qwen3.5/qwen3.6 no-regression guard failed: qwen3.5/3.6 guard produced no verdict (infra error)";
const NO_GUARD: &str = "no-regression guard: Qwen3-30B accuracy broke (top1=0.0 need>=0.9, kl=99.0 need<=0.2); \
                        Qwen3-30B guard produced no verdict (infra error)";

/// What the scorer makes of such measurements.
pub fn dflash_output(measurements: &mut Json, passes: bool) -> String {
    let mut measurements = measurements.sorted();
    let guard = measurements.remove("/qwen_guard");
    let mut output = measurements.remove("/dflash");
    output.set("/guard", guard);
    output.set("/label", if passes { "ok" } else { "REJECT" });
    output.set("/pass", passes);
    output.set("/reason", if passes { DFLASH_PASSES } else { DFLASH_REFUSES });
    output.python() + "\n"
}

fn primary_measurements() -> Json {
    json::parse(
        r#"{
            "primary": {
                "model": "test-model", "model_sha256": "",
                "ctx_128_tps": 120.5, "ctx_512_tps": 118.25, "ctx_4096_tps": 110.0, "ctx_16384_tps": 101.75, "ctx_32768_tps": 90.5,
                "top1": 0.96, "kl": 0.0125,
                "guard_128_baseline": 119.0, "guard_128_ratio": 1.0126, "guard_128_pass": true
            },
            "guard": {
                "model": "test-guard", "model_sha256": "",
                "ctx_128_tps": 300.5, "ctx_512_tps": 290.25, "ctx_4096_tps": 250.0, "ctx_16384_tps": 201.75, "ctx_32768_tps": 150.5,
                "top1": 0.97, "kl": 0.0175, "speed_ok": true, "accuracy_ok": true
            }
        }"#,
    )
}

/// The primary numbers, then the guard's without its names: no label, no pass.
fn echo_output(measurements: &Json) -> String {
    let mut measurements = measurements.sorted();
    let mut guard = measurements.remove("/guard");
    let mut output = measurements.remove("/primary");
    let mut kept = Json::Object(Vec::new());
    for name in ["top1", "kl", "ctx_128_tps", "ctx_512_tps", "ctx_4096_tps", "ctx_16384_tps", "ctx_32768_tps", "speed_ok", "accuracy_ok"] {
        let name = format!("/{name}");
        kept.set(&name, guard.remove(&name));
    }
    output.set("/guard", kept);
    output.python() + "\n"
}

fn k3_measurements() -> Json {
    json::parse(
        r#"{
            "primary": {
                "model": "", "model_sha256": "",
                "ctx_128_tps": null, "ctx_512_tps": null, "ctx_4096_tps": null,
                "top1": 0.96, "kl": 0.012346,
                "guard_128_baseline": null, "guard_128_ratio": null, "guard_128_pass": true
            }
        }"#,
    )
}

/// The flat result that a run submits; `kl` has more places than the receipt keeps.
pub fn k3_input() -> Json {
    let mut input = json::parse(
        r#"{
            "commit": "", "delta_tps": 14.25, "devices": "0,1", "frontier_tps": 106.25,
            "guard": {"top1": 0.97, "kl": 0.0175, "speed_ok": true, "accuracy_ok": true},
            "kl": 0.012345678, "label": "L", "layers": 32, "node": "test", "pass": true,
            "pct_over_frontier": 13.4, "top1": 0.96, "tps": 120.5
        }"#,
    );
    input.set("/commit", &COMMIT[..7]);
    input
}
