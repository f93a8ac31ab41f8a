//! Findings: the one registry of codes, and the value that carries one finding.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::text;

/// What a finding does to the answer. The order is that of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effect {
    /// Worth knowing; changes nothing.
    Notes,
    /// The receipt is thinner than the policy asks: it cannot be better than under-provenanced.
    Weakens,
    /// Something needed was absent, stale or unsupported: nothing could be decided.
    Prevents,
    /// The evidence is contradicted, forged or malformed.
    Refutes,
}

impl Effect {
    /// Every effect, from the mildest to the gravest.
    pub const ALL: [Effect; 4] = [Effect::Notes, Effect::Weakens, Effect::Prevents, Effect::Refutes];

    /// The name used in policies and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Effect::Notes => "notes",
            Effect::Weakens => "weakens",
            Effect::Prevents => "prevents",
            Effect::Refutes => "refutes",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What the registry says about one code.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CodeInfo {
    /// The stable name, `stage.what`. Never renamed once released.
    pub name: &'static str,
    /// One sentence: the fact that the code states.
    pub title: &'static str,
    /// The effect under the policy `strict`.
    pub default_effect: Effect,
    /// The other effects that a policy may choose. Empty: the effect is fixed.
    pub tunable: &'static [Effect],
    /// What the reader can do.
    pub help: &'static str,
    /// Where the rule comes from.
    pub reference: &'static str,
    /// The status that Intel's quote verification library answers where it refuses for the same reason. None where it has no such check,
    /// or where the code is about documents of any kind.
    pub intel: Option<&'static str>,
}

macro_rules! codes {
    ($($variant:ident = $name:literal, $effect:ident, [$($tunable:ident),*], $intel:expr, $title:literal, $help:literal, $reference:literal;)*) => {
        /// The stable code of one kind of finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        impl Code {
            /// Every code, in the order of the registry.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The registry's entry for this code.
            pub const fn info(self) -> CodeInfo {
                match self {
                    $(Code::$variant => CodeInfo {
                        name: $name,
                        title: $title,
                        default_effect: Effect::$effect,
                        tunable: &[$(Effect::$tunable),*],
                        help: $help,
                        reference: $reference,
                        intel: $intel,
                    },)*
                }
            }
        }
    };
}

// Variant = "name", default effect, [effects a policy may choose instead], Intel's status, title, help, reference.
codes! {
    JsonMalformed = "json.malformed", Refutes, [], None,
        "A document is not strict JSON; the location says which one.",
        "Fetch the receipt again from where it was published; do not reformat or concatenate files.",
        "RFC 8259 sections 2 and 8.1";
    JsonDuplicateKey = "json.duplicate-key", Refutes, [], None,
        "An object has the same member twice, so two readers can see two values.",
        "Ask the producer for a file in which each member stands once.",
        "RFC 8259 section 4";
    JsonNumberOverflow = "json.number-overflow", Refutes, [], None,
        "A number is too large for a double, so readers disagree about its value.",
        "Ask the producer for a finite number.",
        "RFC 8259 section 6";
    JsonNonFinite = "json.non-finite", Weakens, [Notes], None,
        "The file holds a bare NaN or Infinity: Python writes and reads it, JSON has no such value.",
        "Ask the producer to write null, or a finite number, in its place.",
        "RFC 8259 section 6; Python json module, allow_nan";
    LimitExceeded = "limit.exceeded", Prevents, [], None,
        "Something is larger, deeper or more than the verifier is willing to read.",
        "Check that it is the file that you meant. The limits and their reasons stand in docs/limits.md.",
        "docs/limits.md";

    ReceiptWrongType = "receipt.wrong-type", Refutes, [], None,
        "A member of the receipt has another type than its format says.",
        "Compare the member with the receipt format of polaris_version 1.",
        "Polaris receipt, version 1";
    ReceiptMissingMember = "receipt.missing-member", Refutes, [], None,
        "A member that the receipt format requires is absent.",
        "Fetch the receipt again; a producer never leaves this member out.",
        "Polaris receipt, version 1";
    ReceiptMalformedField = "receipt.malformed-field", Refutes, [], None,
        "A field has a wrong length, alphabet or range. The hashes that bind fields join them without separators, so their shape is part of the proof.",
        "Fetch the receipt again; if it still reads so, it was altered or made by an unknown producer.",
        "Polaris receipt, version 1, report data formulas";
    ReceiptBase64 = "receipt.base64-not-canonical", Refutes, [], None,
        "A base64 text is not canonical: alphabet, padding, unused bits or stray characters.",
        "Encode with the standard alphabet and padding, without line breaks. If it holds - or _, it was written in the URL-safe alphabet.",
        "RFC 4648 sections 3.2, 3.3, 3.5 and 4";
    ReceiptTimestamp = "receipt.timestamp-malformed", Refutes, [], None,
        "A timestamp is not RFC 3339 with a zone, so it names no instant.",
        "Write it as 2026-08-01T23:47:45Z or with +00:00.",
        "RFC 3339 section 5.6";
    ReceiptUnknownMember = "receipt.unknown-member", Notes, [], None,
        "The receipt has a member that this version does not know; it was not used.",
        "Nothing to do; check for a newer version if the member matters to you.",
        "Polaris receipt, version 1";
    ReceiptEnvelope = "receipt.envelope-unsupported", Prevents, [], None,
        "The document is JSON, but not a receipt in an envelope that this verifier knows.",
        "Wanted is an object with attestation and either tdx or signature, a response with tee_attestation, or a note around one.",
        "Polaris receipt, version 1";
    ReceiptIssuerOnly = "receipt.issuer-only", Prevents, [], None,
        "The document is signed by an issuer and carries no hardware evidence: it proves what the issuer says, not what a machine did.",
        "Check it with the issuer's own tool and key, or ask for the response with the quote.",
        "SECURITY.md, what a signature proves";
    ReceiptCopiesDiffer = "receipt.copies-differ", Refutes, [], None,
        "Two members of the envelope that say the same thing say it differently, so two readers can see two values.",
        "Fetch the file again; if it still reads so, one of the two was edited.",
        "Attestation response, binding version 2";
    ReceiptVersion = "receipt.version-unsupported", Prevents, [], None,
        "The receipt says a format version that this verifier does not know.",
        "Use a verifier that knows this version.",
        "Polaris receipt, version 1";
    EvidenceTypeUnsupported = "evidence.type-unsupported", Prevents, [], None,
        "attestation_type names a kind of evidence that this verifier does not check.",
        "Supported are TDX quotes and Ed25519 signatures. The evidence that is present was checked all the same.",
        "Polaris receipt, version 1";
    EvidenceAbsent = "evidence.absent", Prevents, [], None,
        "The file carries no evidence: there is nothing that vouches for any of its statements.",
        "Ask the producer for the receipt with its quote and collateral.",
        "Polaris receipt, version 1";
    EvidenceAmbiguous = "evidence.ambiguous", Refutes, [], None,
        "The file carries several kinds of evidence: one could hide that the other fails.",
        "Ask the producer for a receipt with one kind of evidence.",
        "Polaris receipt, version 1";
    SelfReportDisagrees = "self-report.disagrees", Notes, [], None,
        "The file's own verification flags say something else than the checks found. They are never evidence.",
        "Rely on the checks of this report.",
        "Polaris receipt, version 1";
    ChainUnchecked = "chain.unchecked", Notes, [], None,
        "The chain block was not checked: no predecessor was given, and neither quote nor signature covers the block.",
        "Rely on the public log's own history for order and completeness.",
        "Polaris receipt, version 1";

    QuoteMalformed = "quote.malformed", Refutes, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The bytes do not have the layout of a quote: a length field does not fit exactly, or a field has a forbidden value.",
        "Fetch the file again; a quote is never edited or cut after the enclave made it.",
        "Intel TDX DCAP Quoting Library API, A.3 and A.4 (quotes of versions 4 and 5)";
    QuoteTruncated = "quote.truncated", Refutes, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The quote ends inside a field.",
        "Fetch the file again; the file was cut.",
        "Intel TDX DCAP Quoting Library API, A.3 and A.4 (quotes of versions 4 and 5)";
    QuoteTrailingBytes = "quote.trailing-bytes", Refutes, [], None,
        "Bytes after the signed quote are not zero: nothing authenticates them.",
        "Fetch the file again; real quotes are padded with zero bytes only.",
        "Intel TDX DCAP Quoting Library API, A.3 and A.4 (quotes of versions 4 and 5)";
    QuoteVersionUnsupported = "quote.version-unsupported", Prevents, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The quote has a version or body that this verifier does not check.",
        "Supported are versions 3, 4 and 5 with the bodies that Intel defined so far; in a receipt, those of a TDX trust domain (4 and 5).",
        "Intel TDX DCAP Quoting Library API, A.3.1 (quote header)";
    QuoteTeeUnsupported = "quote.tee-unsupported", Prevents, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The quote is of another kind of TEE than can be used here.",
        "A Polaris receipt carries the quote of a TDX trust domain (TEE type 0x81); `receipt quote` also judges those of SGX enclaves (0).",
        "Intel TDX DCAP Quoting Library API, A.3.1 (quote header)";
    QuoteKeyTypeUnsupported = "quote.key-type-unsupported", Prevents, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The attestation key is not ECDSA P-256 (type 2).",
        "Use a verifier that knows this key type.",
        "Intel TDX DCAP Quoting Library API, A.3.1 (quote header)";
    QuoteVendorUnknown = "quote.vendor-unknown", Refutes, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The QE vendor id is not Intel's: these are not the bytes of an Intel quote.",
        "Fetch the file again; Intel's vendor id is 939a7233f79c4ca9940a0db3957f0607.",
        "Intel TDX DCAP Quoting Library API, A.3.1 (quote header)";
    QuoteCertificationUnsupported = "quote.certification-unsupported", Prevents, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The certification data is of a type that cannot be checked offline.",
        "Only a QE report (type 6) that holds a PCK certificate chain (type 5) is supported.",
        "Intel TDX DCAP Quoting Library API, A.3.9 (QE certification data)";
    QuoteAttestationKey = "quote.attestation-key-invalid", Refutes, [], Some("STATUS_UNSUPPORTED_QUOTE_FORMAT"),
        "The attestation key is not a point on P-256.",
        "Fetch the file again; no quoting enclave makes such a key.",
        "SEC 1 section 3.2.2.1";
    QuoteSignature = "quote.signature-wrong", Refutes, [], Some("STATUS_INVALID_QUOTE_SIGNATURE"),
        "The attestation key did not sign this header and body: the quote was edited or made up.",
        "Fetch the file again; if it still fails, it is forged.",
        "Intel TDX DCAP Quoting Library API, A.3.8 (ECDSA quote signature data)";

    ChainMalformed = "certificate.chain-malformed", Refutes, [], Some("STATUS_UNSUPPORTED_CERT_FORMAT"),
        "A certificate chain is not exactly the PEM certificates that belong there, and nothing else.",
        "Fetch the file again; a PCK chain is leaf, intermediate and root, an issuer chain of the collateral signer and root.",
        "Intel SGX PCK Certificate and CRL Profile Specification, section 1.3";
    ChainOrder = "certificate.chain-order", Refutes, [], Some("STATUS_INVALID_PCK_CERT"),
        "The certificates of a chain stand in the wrong order.",
        "The order is leaf, intermediate, root.",
        "Intel SGX PCK Certificate and CRL Profile Specification, section 1.3";
    RootUntrusted = "certificate.root-untrusted", Refutes, [], Some("STATUS_SGX_ROOT_CA_UNTRUSTED"),
        "The chain ends in a root that is not the anchor, whatever it calls itself.",
        "If the quote comes from a test PKI, give its root and TCB signing certificate as anchors.",
        "Intel SGX PCK Certificate and CRL Profile Specification, section 1.3.5";
    CertificateMalformed = "certificate.malformed", Refutes, [], Some("STATUS_UNSUPPORTED_CERT_FORMAT"),
        "A certificate is not a well-formed X.509 version 3 certificate.",
        "Fetch the file again.",
        "RFC 5280 section 4.1";
    CertificateName = "certificate.name-wrong", Refutes, [], Some("STATUS_SGX_PCK_MISSING"),
        "A subject or issuer name is not the one that Intel's PKI prescribes.",
        "The certificate was not issued for this place in the chain.",
        "Intel SGX PCK Certificate and CRL Profile Specification, section 1.3.5";
    CertificateNotCa = "certificate.constraints-wrong", Refutes, [], None,
        "The basic constraints do not fit the place in the chain: an issuer must be a CA with room below it, a leaf must not be one.",
        "The certificate may not issue what it is used for.",
        "RFC 5280 section 4.2.1.9";
    CertificateKeyUsage = "certificate.key-usage-wrong", Refutes, [], None,
        "The key usage does not allow what the key was used for.",
        "An issuer needs keyCertSign and cRLSign, a leaf digitalSignature.",
        "RFC 5280 section 4.2.1.3";
    CertificateExtension = "certificate.extension-unacceptable", Refutes, [], None,
        "A certificate has an unknown critical extension, or the same extension twice.",
        "The certificate is not one of Intel's PCK hierarchy.",
        "RFC 5280 section 4.2";
    CertificateAlgorithm = "certificate.algorithm-wrong", Refutes, [], Some("STATUS_SGX_PCK_INVALID_ISSUER"),
        "A certificate is not signed with ecdsa-with-SHA256, or its key is not on P-256.",
        "Intel's hierarchy uses this one algorithm only.",
        "Intel SGX PCK Certificate and CRL Profile Specification, section 1.3.5";
    CertificateSignature = "certificate.signature-wrong", Refutes, [], Some("STATUS_SGX_INTERMEDIATE_CA_INVALID_ISSUER"),
        "A certificate is not signed by the certificate above it.",
        "Fetch the file again; if it still fails, the chain is forged.",
        "RFC 5280 section 6.1.3";
    CertificateValidity = "certificate.outside-validity", Prevents, [], Some("STATUS_SGX_PCK_CERT_CHAIN_EXPIRED"),
        "A certificate is not valid at the judged instant.",
        "Judge at an instant inside the validity (--at); if now has to be inside, ask for a receipt with fresher collateral.",
        "RFC 5280 section 4.1.2.5";
    CertificateRevoked = "certificate.revoked", Refutes, [], Some("STATUS_SGX_PCK_REVOKED"),
        "A certificate stands in the revocation list of its issuer.",
        "The platform or signer is no longer vouched for by Intel; ask for evidence from another platform.",
        "RFC 5280 section 5.1.2.6";
    SgxExtension = "sgx-extension.malformed", Refutes, [], Some("STATUS_SGX_PCK_INVALID_EXTENSIONS"),
        "The SGX extension of the PCK certificate is absent or has another structure than Intel's.",
        "The certificate is not a PCK certificate.",
        "Intel SGX PCK Certificate and CRL Profile Specification, section 1.3.5";

    CollateralMalformed = "collateral.malformed", Refutes, [], None,
        "The collateral, or a part of it, cannot be decoded.",
        "Fetch the file again.",
        "Polaris collateral version 1; dcap-qvl QuoteCollateralV3";
    CollateralContainer = "collateral.container-unsupported", Prevents, [], None,
        "The collateral came in a container, or in a version of one, that this verifier does not know.",
        "Known are the Polaris item map of version 1 and the QuoteCollateralV3 JSON.",
        "Polaris collateral version 1; dcap-qvl QuoteCollateralV3";
    CollateralAbsent = "collateral.part-absent", Prevents, [], Some("STATUS_MISSING_PARAMETERS"),
        "A part of the collateral is absent, so what it would decide could not be checked.",
        "Ask the producer for complete collateral: TCB info, QE identity, PCK CRL and root CRL. Beside a replaced root, give the TCB signing certificate (--tcb-signing-cert).",
        "Intel PCS API version 4, TCB info, enclave identity and revocation lists";
    CollateralUnknownItem = "collateral.unknown-item", Notes, [], None,
        "The collateral holds an item that this version does not know; it was not used.",
        "Nothing to do.",
        "Polaris collateral version 1";
    CollateralCrlAsText = "collateral.crl-as-text", Notes, [], None,
        "A CRL came as PEM or hex text instead of DER. It was decoded and checked like any other.",
        "Nothing to do.",
        "Intel PCS API version 4, revocation lists";

    CollateralTooOld = "collateral.too-old", Prevents, [], None,
        "The newest collateral is older than the policy allows: what Intel said since is not known.",
        "Supply fresh collateral for the same platform (--collateral), or allow a greater age.",
        "SECURITY.md, old collateral replay";
    CollateralAgeUnknown = "collateral.age-unknown", Prevents, [], None,
        "The policy limits the age of the collateral, but there is no usable now to compare with.",
        "Give the verifier the current time; on the command line, set the clock of this machine right.",
        "SECURITY.md, old collateral replay";

    CollateralNotFresh = "collateral.not-fresh", Prevents, [], None,
        "The collateral that was given as fresh is older than the one that the receipt carries, so it says nothing about later.",
        "Fetch current collateral for the platform (its FMSPC and CA), or leave it out.",
        "SECURITY.md, old collateral replay";

    CrlMalformed = "crl.malformed", Refutes, [], Some("STATUS_SGX_CRL_UNSUPPORTED_FORMAT"),
        "A revocation list is not a well-formed X.509 version 2 CRL with a next update.",
        "Fetch the collateral again.",
        "RFC 5280 section 5.1";
    CrlExtension = "crl.extension-unacceptable", Refutes, [], Some("STATUS_SGX_CRL_INVALID_EXTENSIONS"),
        "A revocation list lacks its CRL number or authority key identifier, or has an extension that changes its meaning.",
        "Only a complete CRL of the issuer itself is accepted.",
        "RFC 5280 section 5.2";
    CrlIssuer = "crl.issuer-wrong", Refutes, [], Some("STATUS_SGX_CRL_UNKNOWN_ISSUER"),
        "A revocation list was issued by another CA than the one that issued the certificates it has to cover.",
        "Fetch the CRL of the CA that issued the PCK certificate: Platform or Processor.",
        "RFC 5280 section 6.3.3";
    CrlSignature = "crl.signature-wrong", Refutes, [], Some("STATUS_SGX_CRL_INVALID_SIGNATURE"),
        "A revocation list is not signed by the CA that it names.",
        "Fetch the collateral again; if it still fails, the list is forged.",
        "RFC 5280 section 6.3.3";
    CrlWindow = "crl.outside-window", Prevents, [], Some("STATUS_SGX_CRL_EXPIRED"),
        "A revocation list is not current at the judged instant.",
        "Judge at an instant inside its window (--at); if now has to be inside, ask for a receipt with fresher collateral.",
        "RFC 5280 sections 5.1.2.4 and 5.1.2.5";

    TcbInfoMalformed = "tcb-info.malformed", Refutes, [], Some("STATUS_SGX_TCB_INFO_INVALID"),
        "The TCB info has another structure than Intel's version 3.",
        "Fetch the collateral again.",
        "Intel PCS API version 4, TCB info";
    TcbInfoSignature = "tcb-info.signature-wrong", Refutes, [], Some("STATUS_TCB_INFO_INVALID_SIGNATURE"),
        "The TCB info is not signed by the TCB signing key. The signature covers the exact bytes: re-formatted JSON cannot be checked.",
        "Fetch the collateral again, byte for byte as Intel serves it; if it still fails, it was edited.",
        "Intel PCS API version 4, TCB info";
    TcbInfoKind = "tcb-info.kind-wrong", Refutes, [], Some("STATUS_TCB_INFO_MISMATCH"),
        "The TCB info is for another kind of TEE than the quote.",
        "A TDX quote needs the TCB info with id TDX, an SGX quote the one with id SGX.",
        "Intel PCS API version 4, TCB info";
    TcbInfoVersion = "tcb-info.version-unsupported", Prevents, [], Some("STATUS_SGX_TCB_INFO_UNSUPPORTED_FORMAT"),
        "The TCB info has a version or TCB type that this verifier does not know.",
        "Fetch version 3 from Intel's PCS API version 4.",
        "Intel PCS API version 4, TCB info";
    TcbInfoWindow = "tcb-info.outside-window", Prevents, [], Some("STATUS_SGX_TCB_INFO_EXPIRED"),
        "The TCB info is not current at the judged instant.",
        "Judge at an instant inside its window (--at); if now has to be inside, ask for a receipt with fresher collateral.",
        "Intel PCS API version 4, TCB info";
    QeIdentityMalformed = "qe-identity.malformed", Refutes, [], Some("STATUS_SGX_ENCLAVE_IDENTITY_INVALID"),
        "The QE identity has another structure than Intel's version 2.",
        "Fetch the collateral again.",
        "Intel PCS API version 4, enclave identity";
    QeIdentitySignature = "qe-identity.signature-wrong", Refutes, [], Some("STATUS_SGX_ENCLAVE_IDENTITY_INVALID_SIGNATURE"),
        "The QE identity is not signed by the TCB signing key. The signature covers the exact bytes: re-formatted JSON cannot be checked.",
        "Fetch the collateral again, byte for byte as Intel serves it; if it still fails, it was edited.",
        "Intel PCS API version 4, enclave identity";
    QeIdentityKind = "qe-identity.kind-wrong", Refutes, [], Some("STATUS_QE_IDENTITY_MISMATCH"),
        "The QE identity is for another enclave than the quoting enclave of this TEE.",
        "A TDX quote needs the identity with id TD_QE, an SGX quote the one with id QE.",
        "Intel PCS API version 4, enclave identity";
    QeIdentityVersion = "qe-identity.version-unsupported", Prevents, [], Some("STATUS_SGX_ENCLAVE_IDENTITY_UNSUPPORTED_VERSION"),
        "The QE identity has a version that this verifier does not know.",
        "Fetch version 2 from Intel's PCS API version 4.",
        "Intel PCS API version 4, enclave identity";
    QeIdentityWindow = "qe-identity.outside-window", Prevents, [], Some("STATUS_SGX_ENCLAVE_IDENTITY_EXPIRED"),
        "The QE identity is not current at the judged instant.",
        "Judge at an instant inside its window (--at); if now has to be inside, ask for a receipt with fresher collateral.",
        "Intel PCS API version 4, enclave identity";
    WindowEmpty = "window.empty", Prevents, [], None,
        "There is no instant at which all signed objects of the collateral are current: they do not belong together.",
        "Ask for collateral that was fetched at one time.",
        "SECURITY.md, old collateral replay";

    QeReportSignature = "qe.report-signature-wrong", Refutes, [], Some("STATUS_INVALID_QE_REPORT_SIGNATURE"),
        "The PCK key did not sign this QE report.",
        "Fetch the file again; if it still fails, the quote is forged.",
        "Intel TDX DCAP Quoting Library API, A.3.9 (QE certification data, type 6)";
    QeReportData = "qe.report-data-wrong", Refutes, [], Some("STATUS_INVALID_QE_REPORT_DATA"),
        "The QE report does not name this attestation key: its 64 bytes of report data are not SHA-256(key, authentication data) and 32 zero bytes.",
        "The attestation key was not made by the certified quoting enclave.",
        "Intel TDX DCAP Quoting Library API, A.3.9 (QE certification data, type 6)";
    QeIdentityMismatch = "qe.identity-mismatch", Refutes, [], Some("STATUS_QE_IDENTITY_MISMATCH"),
        "The enclave that vouches for the attestation key is certified by a genuine platform, but it is not Intel's quoting enclave for this TEE.",
        "Any enclave on an Intel machine can get a certified report; only Intel's quoting enclave, not in debug mode, counts.",
        "Intel PCS API version 4, enclave identity";
    PlatformFmspc = "platform.fmspc-mismatch", Refutes, [], Some("STATUS_TCB_INFO_MISMATCH"),
        "The TCB info is genuine but of another platform type (FMSPC).",
        "Fetch the TCB info for the FMSPC of the PCK certificate.",
        "Intel PCS API version 4, TCB info";
    PlatformPceId = "platform.pceid-mismatch", Refutes, [], Some("STATUS_TCB_INFO_MISMATCH"),
        "The TCB info is genuine but for another provisioning certification enclave (PCE id).",
        "Fetch the TCB info for the PCE id of the PCK certificate.",
        "Intel PCS API version 4, TCB info";
    ModuleMismatch = "tdx-module.identity-mismatch", Refutes, [], Some("STATUS_TDX_MODULE_MISMATCH"),
        "The TDX module that made the report is not one that the TCB info describes.",
        "MRSIGNERSEAM and SEAMATTRIBUTES must be those of the module's identity.",
        "Intel PCS API version 4, TCB info (tdxModule, tdxModuleIdentities)";
    TcbNoLevel = "tcb.no-matching-level", Refutes, [], Some("STATUS_TCB_NOT_SUPPORTED"),
        "The platform, the TDX module or the QE is below every level that Intel lists.",
        "The platform is not supported by Intel; ask for evidence from another one.",
        "Intel PCS API version 4, TCB info (tcbLevels)";
    TcbStatusUnknown = "tcb.status-unknown", Refutes, [], Some("STATUS_SGX_TCB_INFO_INVALID"),
        "A TCB level has a status text that is not one of Intel's.",
        "Use a verifier that knows this status.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbRevoked = "tcb.revoked", Refutes, [], Some("STATUS_TCB_REVOKED"),
        "Intel revoked the TCB level of the platform, the TDX module or the QE.",
        "No policy can accept it; ask for evidence from another platform.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbOutOfDate = "tcb.out-of-date", Weakens, [Notes], Some("STATUS_TCB_OUT_OF_DATE"),
        "The platform, the TDX module or the QE is behind the level that Intel calls up to date.",
        "Ask for evidence from an updated platform, or accept the named advisories in a policy.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbOutOfDateConfiguration = "tcb.out-of-date-configuration-needed", Weakens, [Notes], Some("STATUS_TCB_OUT_OF_DATE_CONFIGURATION_NEEDED"),
        "The TCB is out of date, and the platform also needs a configuration change.",
        "Ask for evidence from an updated platform, or accept the named advisories in a policy.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbConfiguration = "tcb.configuration-needed", Weakens, [Notes], Some("STATUS_TCB_CONFIGURATION_NEEDED"),
        "The platform needs a configuration change to be protected.",
        "Ask for evidence from a reconfigured platform, or accept the named advisories in a policy.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbSwHardening = "tcb.sw-hardening-needed", Weakens, [Notes], Some("STATUS_TCB_SW_HARDENING_NEEDED"),
        "The enclave's software needs hardening on this platform.",
        "Check that the enclave applies it, or accept the named advisories in a policy.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbConfigurationSwHardening = "tcb.configuration-and-sw-hardening-needed", Weakens, [Notes], Some("STATUS_TCB_CONFIGURATION_AND_SW_HARDENING_NEEDED"),
        "The platform needs a configuration change and the enclave's software needs hardening.",
        "Ask for evidence from a reconfigured platform, or accept the named advisories in a policy.",
        "Intel PCS API version 4, TCB info (tcbStatus)";
    TcbRelaunch = "tcb.relaunch-advised", Weakens, [Notes], Some("STATUS_TCB_TD_RELAUNCH_ADVISED"),
        "The TD was launched under a TCB that is out of date; the TDX module was updated since, but the TD was not launched again.",
        "Launch the TD again: the platform itself is updated, so restarting the TD is enough.",
        "Intel quote verification library, TDRelaunchCheck.cpp; Intel TDX DCAP Quoting Library API, A.4.4 (TEE_TCB_SVN_2)";
    TcbRelaunchConfiguration = "tcb.relaunch-advised-configuration-needed", Weakens, [Notes], Some("STATUS_TCB_TD_RELAUNCH_ADVISED_CONFIGURATION_NEEDED"),
        "The TD was launched under a TCB that is out of date and was updated since; the platform also needs a configuration change.",
        "Reconfigure the platform and launch the TD again, or accept the named advisories in a policy.",
        "Intel quote verification library, TDRelaunchCheck.cpp; Intel TDX DCAP Quoting Library API, A.4.4 (TEE_TCB_SVN_2)";
    TcbAdvisories = "tcb.advisories", Notes, [], None,
        "Intel lists advisories for a TCB level that it calls up to date.",
        "Read the advisories; the status already takes them into account.",
        "Intel PCS API version 4, TCB info (advisoryIDs)";
    TcbEvaluationDiffers = "tcb.evaluation-numbers-differ", Notes, [], None,
        "TCB info and QE identity come from different evaluation sets.",
        "Nothing to do unless a policy asks for a minimum.",
        "Intel PCS API version 4, TCB info (tcbEvaluationDataNumber)";
    TcbEvaluationLow = "tcb.evaluation-below-minimum", Weakens, [], None,
        "The collateral comes from an older evaluation set than the policy accepts.",
        "Judge the quote against fresher collateral.",
        "Intel PCS API version 4, TCB info (tcbEvaluationDataNumber)";

    TdDebug = "td.debug", Refutes, [], None,
        "The trust domain runs in debug mode: its host can read and change its memory.",
        "Nothing that a debug TD says is evidence.",
        "Intel TDX module ABI, ATTRIBUTES.TUD";
    TdProfiling = "td.profiling", Refutes, [], None,
        "The trust domain can be profiled by its host.",
        "Nothing that such a TD says is evidence.",
        "Intel TDX module ABI, ATTRIBUTES.TUD";
    TdReservedBits = "td.reserved-bits", Refutes, [], None,
        "The TD attributes have bits that Intel reserves.",
        "Use a verifier that knows what these bits mean.",
        "Intel TDX module ABI, ATTRIBUTES";
    TdSeptVe = "td.sept-ve-not-disabled", Refutes, [Weakens], None,
        "SEPT_VE_DISABLE is clear: the host can interrupt the TD with page faults of its choice.",
        "Ask for a TD that sets it, or accept this in a policy.",
        "Intel TDX module ABI, ATTRIBUTES.SEC";
    TdMigratable = "td.migratable", Refutes, [Weakens], None,
        "The TD can be migrated by another TD that this quote does not name.",
        "Ask for a TD that cannot be migrated, or accept this in a policy.",
        "Intel TDX module ABI, ATTRIBUTES.SEC";
    TdService = "td.service-td-bound", Refutes, [Weakens], None,
        "A service TD is bound: it can act on the TD that made the quote.",
        "Ask for a TD without one, or accept this in a policy.",
        "Intel TDX module ABI, ATTRIBUTES.SEC and MRSERVICETD";
    TdXfam = "td.xfam-unknown", Weakens, [Notes], None,
        "XFAM lacks a bit that is always set, or has one that no known module allows.",
        "Check the TD's configuration.",
        "Intel TDX module ABI, XFAM";

    SgxDebug = "sgx-enclave.debug", Refutes, [], None,
        "The SGX enclave runs in debug mode: its host can read and change its memory.",
        "Nothing that a debug enclave says is evidence.",
        "Intel SDM volume 3D, ATTRIBUTES.DEBUG";
    SignerKeyWeak = "signer.key-weak", Refutes, [], None,
        "The signer's key is weak: no point of the curve, not canonical, or of small order, so that anybody can sign for it.",
        "Nobody makes such a key by accident. Do not trust it.",
        "RFC 8032 sections 5.1.3 and 5.1.7";
    SignerUnknown = "signer.unknown", Prevents, [], None,
        "No trusted signer key was given. The key inside of the file says nothing: anybody can put his own there.",
        "Get the signer's public key from elsewhere and give it with --trust-key or --trust-keys.",
        "SECURITY.md, what a signature proves";
    SignerUntrusted = "signer.untrusted", Refutes, [], None,
        "The receipt names a signer's key that is none of the trusted ones.",
        "The receipt was signed by somebody else than you trust, or the trusted key was replaced; ask the producer.",
        "SECURITY.md, what a signature proves";
    SignatureWrong = "signature.wrong", Refutes, [], None,
        "The signature is not that of the named key over the canonical text of the attestation.",
        "Fetch the receipt again; if it still fails, the attestation was edited or the signature made up.",
        "RFC 8032 section 5.1.7; src/receipt/canonical.rs";
    SignatureNotReduced = "signature.not-reduced", Refutes, [], None,
        "The scalar of the signature is not below the group's order: one signature would have several forms.",
        "Fetch the receipt again; no signer writes it so.",
        "RFC 8032 section 5.1.7";
    SignatureRounded = "signature.number-rounded", Notes, [], None,
        "A number of the file has more places than are signed: the signature covers it rounded to six places.",
        "Use the signed value, which stands in the list of claims.",
        "src/receipt/canonical.rs";

    BindingReportData = "binding.report-data-mismatch", Refutes, [], None,
        "The report data of the quote is not the hash of the fields that the receipt shows: the quote belongs to other data.",
        "One of the named fields was edited, or the quote was taken from another run.",
        "Polaris receipt, version 1, report data formulas";
    BindingOutput = "binding.output-hash-mismatch", Refutes, [], None,
        "The enclave's output is not the one that result_sha256 names.",
        "stdout_b64 or result_sha256 was edited.",
        "Polaris receipt, version 1";
    BindingFiles = "binding.files-manifest-mismatch", Refutes, [], None,
        "The manifest of the scorer and its input is not the one that files_sha256 names.",
        "_expected or files_sha256 was edited.",
        "Polaris receipt, version 1";
    BindingContent = "binding.content-mismatch", Refutes, [], None,
        "Egress log, task policy or artifacts are not those whose digest is bound.",
        "The content or its digest was edited.",
        "Attestation response, binding version 2";
    BindingContentAbsent = "binding.content-absent", Weakens, [], None,
        "A digest is bound whose content the file does not show. The hashes join digests without separators, so it may be of something else.",
        "Ask the producer for the response with its egress log, task policy and artifacts.",
        "Attestation response, binding version 2";
    BindingReceiptId = "binding.receipt-id-mismatch", Refutes, [], None,
        "receipt_id is not the one that follows from the quote and the output, or from the signed attestation.",
        "receipt_id or what it is made of was edited.",
        "Polaris receipt, version 1";
    BindingNonce = "binding.nonce-mismatch", Refutes, [], None,
        "The nonce is not the one of this run: not the hash of commit, model sha256 and eval seed, or not the head of the bundle.",
        "One of these fields was edited: compare them with the published run.",
        "Polaris receipt, version 1, nonce formula";
    BindingInput = "binding.input-mismatch", Refutes, [], None,
        "The measurements, or the bundle of a note, are not the input that the enclave was given.",
        "They were edited, or they come from another run.",
        "Polaris receipt, version 1, submitted input";
    WorkloadUnknown = "workload.unknown", Weakens, [Notes], None,
        "The workload digest is not that of the known command, so it is not known what the enclave was asked to run.",
        "Ask the producer for the command behind the digest.",
        "Polaris receipt, version 1";
    InputNotRecovered = "input.not-recovered", Weakens, [Notes], None,
        "The exact input of the enclave could not be recovered, so no measurement is bound and the scorer could not be run again.",
        "Ask the producer for the submitted result.json and name it with --input.",
        "Polaris receipt, version 1, submitted input";
    InputContradictsClaim = "input.contradicts-claim", Refutes, [], None,
        "A field of the receipt differs from its counterpart in the input that the enclave was given.",
        "Treat the enclave's input as what was submitted; ask the producer why the receipt says something else.",
        "Polaris receipt, version 1, submitted input";
    InputGivenDiffers = "input.given-differs", Refutes, [], None,
        "The file that was named as the enclave's input is not the one under the quote.",
        "Compare the file with what was published for this run; an input of another run does not fit.",
        "Polaris receipt, version 1, submitted input";
    ScorerUnknown = "scorer.unknown", Weakens, [Notes], None,
        "The digest of the scorer is not one of the known scorers, so it could not be run again.",
        "Get the scorer from the producer and read it.",
        "src/scorer.rs";
    ScorerNotRerun = "scorer.not-rerun", Weakens, [Notes], None,
        "The scorer is known and its input is proven, but it could not be run again here: that it made this output is not shown.",
        "Run the scorer with Python on the submitted input and compare its output with stdout_b64.",
        "SECURITY.md, what a quote does not prove";
    ScorerOutputDiffers = "scorer.output-differs", Refutes, [], None,
        "The known scorer, run again on the proven input, does not print the enclave's signed output: another program made it.",
        "Treat neither the output nor the verdict as scored; ask the producer what ran in the enclave.",
        "SECURITY.md, what a quote does not prove";

    VerdictContradicts = "verdict.contradicts-enclave", Refutes, [Weakens], None,
        "The receipt claims a verdict that the enclave's signed output refuses or gives otherwise.",
        "Treat the enclave's output as what was scored; ask the producer why the receipt says something else.",
        "Polaris receipt, version 1";
    VerdictCommit = "verdict.commit-contradicts-enclave", Refutes, [], None,
        "The commit of the receipt does not begin with the commit in the enclave's signed output.",
        "The receipt is about another commit than the one that was scored.",
        "Polaris receipt, version 1";
    VerdictNumbers = "verdict.numbers-contradict-enclave", Refutes, [], None,
        "A number of the receipt differs from the one in the enclave's signed output.",
        "Treat the enclave's output as what was scored.",
        "Polaris receipt, version 1";
    VerdictNotFinite = "verdict.number-not-finite", Weakens, [Notes], None,
        "A number of the claimed verdict is NaN or infinite, so it measures nothing.",
        "Ask the producer for the finite numbers behind it.",
        "Polaris receipt, version 1";
    VerdictStricter = "verdict.stricter", Weakens, [Notes], None,
        "The receipt claims a worse verdict than the enclave's signed output; other gates may have decided.",
        "Ask the producer which gate refused.",
        "Polaris receipt, version 1";
    VerdictNotAttested = "verdict.not-attested", Weakens, [Notes], None,
        "The enclave's signed output holds no verdict, so label and pass are the producer's word.",
        "Score the bound measurements yourself.",
        "Polaris receipt, version 1";
    VerdictUnreadable = "verdict.output-unreadable", Prevents, [], None,
        "The enclave's signed output, or a member of it, has a form that no scorer writes: another reader may see another verdict in it.",
        "Ask the producer for a run whose scorer prints one JSON object and nothing else.",
        "Polaris receipt, version 1";
    VerdictCrashed = "verdict.script-crashed", Weakens, [Notes], None,
        "The enclave's signed output is the trace of a script that crashed, not a result.",
        "Ask for a run that finished.",
        "Polaris receipt, version 1";

    TierDiffers = "tier.differs", Refutes, [Weakens], None,
        "The recorded figures earn another tier by the given parameters than the receipt claims.",
        "Check that the parameters are those of the run's date, node and metric; if they are, the claimed tier was not earned.",
        "README.md, tiers";
    TierStricter = "tier.stricter", Weakens, [Notes], None,
        "The receipt claims a refusal where the recorded figures pass by the given parameters; other gates may have decided.",
        "Ask the producer which gate refused.",
        "README.md, tiers";
    TierNotDerivable = "tier.not-derivable", Weakens, [Notes], None,
        "The receipt does not record the figures that the tier function needs, or not exactly enough to tell two tiers apart.",
        "Score the producer's own record of the run with `receipt score --from`.",
        "README.md, tiers";
    TierOnlyAsserted = "tier.only-asserted", Weakens, [Notes], None,
        "A figure behind the derived tier stands only in the attestation, where nothing binds it.",
        "The figure is the producer's word; find it in bound data.",
        "README.md, tiers";

    ProvenanceClocks = "provenance.clocks-unpinned", Weakens, [Notes], None,
        "The GPU clocks were not pinned to a target, so the speed cannot be reproduced.",
        "Run the benchmark again with clocks_pinned true and a pin_target_mhz.",
        "Strict provenance of the evaluation log";
    ProvenanceBuildHash = "provenance.build-hash-absent", Weakens, [Notes], None,
        "The build hash is absent, a placeholder, or not 64 hex digits, so the measured binary is unknown.",
        "Record the SHA-256 of the build in code.build_hash.",
        "Strict provenance of the evaluation log";
    ProvenanceLlamaCpp = "provenance.llamacpp-commit-absent", Weakens, [Notes], None,
        "The llama.cpp commit is absent, a placeholder, or not 40 hex digits, so the reference is unknown.",
        "Record the commit in references.llamacpp_commit.",
        "Strict provenance of the evaluation log";
    ProvenanceModel = "provenance.model-sha256-absent", Weakens, [Notes], None,
        "The model's SHA-256 is absent, a placeholder, or not 64 hex digits, so the weights are unknown.",
        "Record the SHA-256 of the model file in references.model_sha256.",
        "Strict provenance of the evaluation log";
    ProvenanceEvalSeed = "provenance.eval-seed-absent", Weakens, [Notes], None,
        "The evaluation seed is absent or a placeholder, so the prompts cannot be reproduced.",
        "Record the seed in references.eval_seed.",
        "Strict provenance of the evaluation log";
    ProvenanceTimestamp = "provenance.timestamp-outside-window", Notes, [], None,
        "The receipt's own timestamp lies outside the window of its collateral. Nothing covers that timestamp; it is only compared.",
        "Ask when the run took place.",
        "SECURITY.md, old collateral replay";

    EnclaveUnpinned = "enclave.unpinned", Weakens, [], None,
        "The policy names no enclave measurements: any genuine TDX machine could have made this quote.",
        "Pin the measurements you trust in a policy ([[enclave]]), or waive it with any_enclave = true.",
        "SECURITY.md, an unpinned enclave";
    EnclaveMismatch = "enclave.pin-mismatch", Refutes, [], None,
        "The measurements of the quote are not among those that the policy accepts.",
        "The quote was made by another TD than the ones you pinned.",
        "SECURITY.md, an unpinned enclave";
    ImageUnpinned = "image.unpinned", Weakens, [], None,
        "The policy names no container image: any image could have emitted this output.",
        "Pin the image digests you trust in a policy (images), or waive it with any_image = true.",
        "SECURITY.md, an unpinned enclave";
    ImageMismatch = "image.pin-mismatch", Refutes, [], None,
        "The container image is not among those that the policy accepts.",
        "The output was made by another image than the ones you pinned.",
        "SECURITY.md, an unpinned enclave";
    PinDiffers = "pin.value-differs", Refutes, [], None,
        "A field is not among the values that the policy accepts.",
        "The receipt is about something else than the policy asks for.",
        "README.md, policies";
    PinAbsent = "pin.absent", Prevents, [], None,
        "The receipt does not say what the policy pins: the field is absent, null or empty.",
        "Ask the producer for a receipt that records the field, or use a policy that does not list it.",
        "README.md, policies";
    PinNotInEvidence = "pin.not-in-evidence", Weakens, [], None,
        "Policy or caller ask for something that this kind of receipt does not have.",
        "Ask for a receipt with a quote, or do not ask this of it.",
        "README.md, policies";
    PinOnlyAsserted = "pin.only-asserted", Weakens, [], None,
        "A field has an accepted value, but nothing binds it, or only its beginning, to the evidence.",
        "The value is the producer's word; find it in bound data.",
        "README.md, policies";
    ExpectationDiffers = "expectation.value-differs", Refutes, [], None,
        "A value of the receipt is not the one that the caller expects.",
        "The receipt is about something else than you asked for.",
        "README.md, expectations";
    ExpectationAbsent = "expectation.absent", Prevents, [], None,
        "The receipt does not say what the caller expects: the value is absent, null, empty, or no single value.",
        "Check the pointer; `receipt verify -v` lists every value of the receipt's attestation with its pointer.",
        "README.md, expectations";
    ExpectationOnlyAsserted = "expectation.only-asserted", Weakens, [], None,
        "The receipt says what the caller expects, but nothing binds the value, or only its beginning, to the evidence.",
        "The value is the producer's word; find it in bound data, or expect no more of it than what is bound.",
        "README.md, expectations";

    RunUnreadable = "run.file-unreadable", Prevents, [], None,
        "A file beside the receipt cannot be compared: it cannot be read, or is not the JSON that belongs there.",
        "Fetch the run directory again; its files are regular files, not links.",
        "README.md, verifying a run of the public log";
    RunAttestation = "run.attestation-differs", Refutes, [], None,
        "attestation.json is not the attestation of the receipt.",
        "One of the two was changed after the run was sealed: fetch both again, and ask the producer which one holds.",
        "README.md, verifying a run of the public log";
    RunResult = "run.result-differs", Refutes, [Weakens], None,
        "result.json says otherwise than the attestation of the receipt.",
        "The receipt does not vouch for this result: one of the two is of another run, or was changed later. Ask the producer which holds.",
        "README.md, verifying a run of the public log";
    RunLog = "run.log-differs", Refutes, [Weakens], None,
        "The result in the log is not the one that was published with the receipt.",
        "Read the log: the published result was changed after the run, or the log is of another run.",
        "README.md, verifying a run of the public log";
    RunReceiptId = "run.receipt-id-differs", Refutes, [Weakens], None,
        "result.json names another receipt.",
        "Look for the receipt that it names; this one is of another run, or was replaced.",
        "README.md, verifying a run of the public log";

    LogFileUnreadable = "log.file-unreadable", Prevents, [], None,
        "A file of the log cannot be read, or is not the JSON that belongs there.",
        "Fetch the log again; its files are regular files, index.json is one array and ledger.jsonl one object a line.",
        "docs/audit.md, what is read";
    LogNotAFile = "log.not-a-file", Prevents, [Weakens, Notes], None,
        "A name in the log is a symbolic link or no regular file; what it leads to was not audited.",
        "Audit the log as it was published; a log has no use for links.",
        "docs/audit.md, what is read";
    LogListAbsent = "log.list-absent", Weakens, [Notes], None,
        "A list that a log of this shape has is absent, so that nobody can see there which runs were dropped.",
        "Fetch the whole log, with index.json and, where its rows have a run_id, ledger.jsonl.",
        "docs/audit.md, two shapes";
    LogRowUnreadable = "log.row-unreadable", Prevents, [], None,
        "A row of a list is no JSON object that names its run.",
        "Read the row: no verdict can be held against it.",
        "docs/audit.md, two shapes";
    LogRowRepeated = "log.row-repeated", Refutes, [Weakens], None,
        "A list has two rows of the same run, so that two readers can see two verdicts.",
        "Ask who keeps the log which row holds, and since when the other one is there.",
        "docs/audit.md, rows";
    LogRowDiffers = "log.row-differs", Refutes, [Weakens], None,
        "A row says otherwise than the receipt or the result of its run.",
        "The receipt does not vouch for this row. Ask who keeps the log which of the two was changed.",
        "docs/audit.md, rows";
    LogRowsDisagree = "log.rows-disagree", Refutes, [Weakens], None,
        "index.json and ledger.jsonl say different things about a run.",
        "The ledger only ever grows, so begin with its row; ask why the index was written otherwise.",
        "docs/audit.md, rows";
    LogIndexOrder = "log.index-order", Weakens, [Notes], None,
        "index.json is not the ledger from the newest row to the oldest.",
        "Compare the order of the rows: one may have been moved, or taken out and put back.",
        "docs/audit.md, rows";
    LogReceiptUnlisted = "log.receipt-unlisted", Weakens, [Notes], None,
        "A list has no row for a run that has a receipt.",
        "Ask why the run was left out: its verdict was earned and is not published.",
        "docs/audit.md, receipts and rows";
    LogReceiptMissing = "log.receipt-missing", Prevents, [], None,
        "A verdict is published with the claim of a receipt, and the receipt is not there.",
        "Fetch the log again; if the receipt is still missing, nothing supports the verdict.",
        "docs/audit.md, receipts and rows";
    LogRunUnattested = "log.run-unattested", Weakens, [Notes], None,
        "A verdict is published that claims no receipt, and has none.",
        "Take the verdict as the word of whoever keeps the log.",
        "docs/audit.md, receipts and rows";
    LogReceiptUnnamed = "log.receipt-unnamed", Weakens, [Notes], None,
        "A run has a receipt that its row or its result does not name, although those of other runs do: it may be stale.",
        "Compare times and figures: the run may have been measured again without a new receipt.",
        "docs/audit.md, receipts and rows";
    LogDirectoryDiffers = "log.directory-differs", Refutes, [Weakens], None,
        "A run directory bears the id of another receipt than the one in it.",
        "Look for the receipt that belongs there; the two may have been exchanged.",
        "docs/audit.md, names of directories";
    LogCommitDiffers = "log.commit-differs", Refutes, [Weakens], None,
        "The receipt attests another commit than the one that its run directory is named after.",
        "The verdict of this run was measured on other code. Ask for the receipt of the commit that the run is named after.",
        "docs/audit.md, names of directories";
    LogReceiptRepeated = "log.receipt-repeated", Refutes, [], None,
        "The same receipt file stands in several runs.",
        "It is evidence of at most one of them. Ask for the receipts of the others.",
        "docs/audit.md, reuse";
    LogQuoteReused = "log.quote-reused", Refutes, [], None,
        "Different receipts rest on the same quote or signature.",
        "One job of an enclave is evidence of one run. Ask for the receipts of the others.",
        "docs/audit.md, reuse";
    LogNonceShared = "log.nonce-shared", Weakens, [Notes], None,
        "Several runs have the same nonce: it follows from commit, model and seed where there is no seed of its own.",
        "Compare the runs: nothing but their quotes tells them apart. Ask the producer for a new seed each time.",
        "docs/audit.md, reuse";
    LogIdShared = "log.id-shared", Notes, [], None,
        "Several runs have the same receipt id: it follows from the enclave's output alone, so it names no receipt.",
        "Name receipts by their run directory or their SHA-256.",
        "docs/audit.md, reuse";
    LogSuperseded = "log.superseded", Notes, [], None,
        "A row says that another run supersedes it.",
        "Look at the run that it names.",
        "docs/audit.md, replaced runs";
    LogSuccessorMissing = "log.successor-missing", Weakens, [Notes], None,
        "A row is superseded by a run that the log does not have.",
        "Ask for the run that it names: without it a verdict was only taken away.",
        "docs/audit.md, replaced runs";
    LogMeasuredAgain = "log.measured-again", Notes, [], None,
        "The same commit of the same pull request was measured several times.",
        "Look at all of them: the log does not say which one counts.",
        "docs/audit.md, replaced runs";
    LogZeroBaseline = "log.zero-baseline", Weakens, [Notes], None,
        "A guard passes although its baseline is zero: there was nothing to compare with.",
        "Take the guard as not measured.",
        "docs/audit.md, guards";
    LogLedgerRewritten = "log.ledger-rewritten", Refutes, [], None,
        "The earlier ledger is not the beginning of the present one.",
        "Compare the two files: a ledger only ever grows, so a row was changed, moved or taken out.",
        "docs/audit.md, append-only";
    LogFileVanished = "log.file-vanished", Refutes, [], None,
        "A file of the earlier log is gone.",
        "Take it from the earlier log, and ask why it was removed.",
        "docs/audit.md, append-only";
    LogFileChanged = "log.file-changed", Refutes, [], None,
        "A file of the earlier log has other bytes now.",
        "Compare the two files, and ask why it was rewritten.",
        "docs/audit.md, append-only";
    LogRowVanished = "log.row-vanished", Refutes, [Weakens], None,
        "A row of the earlier log is gone.",
        "Ask why the verdict is not published any more.",
        "docs/audit.md, append-only";
    LogVerdictChanged = "log.verdict-changed", Refutes, [Weakens], None,
        "A published verdict is another one than in the earlier log.",
        "Ask why: a new measurement belongs into a run of its own.",
        "docs/audit.md, append-only";
}

impl Code {
    /// The stable name, `stage.what`.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The code with this name.
    pub fn from_name(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Where a finding is: which document, and the JSON pointer or byte offset inside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Location {
    /// The document: `receipt`, `quote`, `collateral`, `TCB info`, `QE identity`, `PCK CRL`, `root CRL`, a certificate, `enclave output`,
    /// or the name of a file beside the receipt.
    pub document: &'static str,
    /// RFC 6901 pointer inside a JSON document, escaped for showing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Byte offset inside the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
}

impl Location {
    pub(crate) const fn document(document: &'static str) -> Self {
        Self { document, pointer: None, offset: None }
    }

    pub(crate) fn pointer(document: &'static str, pointer: impl AsRef<str>) -> Self {
        Self { document, pointer: Some(text::escape(pointer.as_ref())), offset: None }
    }

    pub(crate) const fn offset(document: &'static str, offset: usize) -> Self {
        Self { document, pointer: None, offset: Some(offset) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.document)?;
        if let Some(pointer) = &self.pointer {
            write!(formatter, " {pointer}")?;
        }
        if let Some(offset) = self.offset {
            write!(formatter, " byte {offset}")?;
        }
        Ok(())
    }
}

/// One finding. Every text in it is safe to show: untrusted parts are escaped when the finding is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// What kind of finding it is.
    pub code: Code,
    /// What it does to the outcome under the policy of the report.
    pub effect: Effect,
    /// Where it is.
    pub location: Location,
    /// The sentence for people. Not stable; the code is.
    pub message: String,
    /// What was found, where one value says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What was wanted, where one value says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// What the reader can do.
    pub help: &'static str,
}

impl Problem {
    pub(crate) fn new(code: Code, location: Location, message: impl Into<String>) -> Self {
        let info = code.info();
        Self {
            code,
            effect: info.default_effect,
            location,
            message: text::safe(message.into()),
            found: None,
            wanted: None,
            help: info.help,
        }
    }

    pub(crate) fn found(mut self, found: impl Into<String>) -> Self {
        self.found = Some(text::safe(found.into()));
        self
    }

    pub(crate) fn wanted(mut self, wanted: impl Into<String>) -> Self {
        self.wanted = Some(text::safe(wanted.into()));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_well_formed() {
        let mut names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for name in names {
            let (stage, what) = name.split_once('.').expect("stage.what");
            for part in [stage, what] {
                assert!(
                    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn no_contradiction_can_become_a_note() {
        for code in Code::ALL {
            let info = code.info();
            if info.default_effect == Effect::Refutes {
                assert!(!info.tunable.contains(&Effect::Notes), "{code}");
            }
            assert!(!info.tunable.contains(&info.default_effect), "{code} lists its default as a choice");
        }
    }
}
