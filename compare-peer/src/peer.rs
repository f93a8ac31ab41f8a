//! What a caller of dcap-qvl does with a Polaris receipt.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use dcap_qvl::QuoteCollateralV3;
use dcap_qvl::verify::{VerifiedReport, ring, rustcrypto};
use serde::Deserialize;
use serde_json::value::RawValue;

/// dcap-qvl with what the receipts lack.
pub struct Peer<'a> {
    tcb_signing_chain: &'a str,
}

#[derive(Deserialize)]
struct Receipt<'a> {
    #[serde(borrow)]
    tdx: Tdx<'a>,
}

#[derive(Deserialize)]
struct Tdx<'a> {
    #[serde(borrow)]
    quote_b64: Cow<'a, str>,
    #[serde(borrow)]
    collateral_b64: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Collateral<'a> {
    #[serde(borrow)]
    items: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
}

#[derive(Deserialize)]
struct TcbInfo<'a> {
    #[serde(borrow, rename = "tcbInfo")]
    body: &'a RawValue,
    #[serde(borrow)]
    signature: Cow<'a, str>,
}

#[derive(Deserialize)]
struct QeIdentity<'a> {
    #[serde(borrow, rename = "enclaveIdentity")]
    body: &'a RawValue,
    #[serde(borrow)]
    signature: Cow<'a, str>,
}

impl<'a> Peer<'a> {
    pub fn new(tcb_signing_chain: &'a str) -> Self {
        Self { tcb_signing_chain }
    }

    /// The TCB status by the build with ring.
    pub fn ring(&self, receipt: &[u8], now: u64) -> Result<String, String> {
        let (quote, collateral) = self.open(receipt)?;
        status(ring::verify(&quote, &collateral, now).map_err(|error| error.to_string())?)
    }

    /// The TCB status by the build in pure Rust.
    pub fn rustcrypto(&self, receipt: &[u8], now: u64) -> Result<String, String> {
        let (quote, collateral) = self.open(receipt)?;
        status(rustcrypto::verify(&quote, &collateral, now).map_err(|error| error.to_string())?)
    }

    fn open(&self, receipt: &[u8]) -> Result<(Vec<u8>, QuoteCollateralV3), String> {
        let text = |error: serde_json::Error| error.to_string();
        let receipt: Receipt<'_> = serde_json::from_slice(receipt).map_err(text)?;
        let decode = |encoded: &str| BASE64.decode(encoded.as_bytes()).map_err(|error| error.to_string());
        let hex = |encoded: &str| HEXLOWER_PERMISSIVE.decode(encoded.as_bytes()).map_err(|error| error.to_string());
        let (quote, collateral) = (decode(&receipt.tdx.quote_b64)?, decode(&receipt.tdx.collateral_b64)?);
        let collateral: Collateral<'_> = serde_json::from_slice(&collateral).map_err(text)?;
        let item = |part: &str| {
            let found = collateral.items.iter().find(|(url, _)| url.contains(part)).map(|(_, item)| decode(item));
            found.unwrap_or_else(|| Err(format!("no {part}")))
        };
        let (tcb_info, qe_identity) = (item("/tcb?")?, item("/qe/identity")?);
        let tcb_info: TcbInfo<'_> = serde_json::from_slice(&tcb_info).map_err(text)?;
        let qe_identity: QeIdentity<'_> = serde_json::from_slice(&qe_identity).map_err(text)?;
        let collateral = QuoteCollateralV3 {
            // Not read by this version: the PCK chain of the quote has the issuer.
            pck_crl_issuer_chain: String::new(),
            root_ca_crl: item("IntelSGXRootCA.der")?,
            pck_crl: item("/pckcrl")?,
            tcb_info_issuer_chain: self.tcb_signing_chain.to_owned(),
            tcb_info: tcb_info.body.get().to_owned(),
            tcb_info_signature: hex(&tcb_info.signature)?,
            qe_identity_issuer_chain: self.tcb_signing_chain.to_owned(),
            qe_identity: qe_identity.body.get().to_owned(),
            qe_identity_signature: hex(&qe_identity.signature)?,
            pck_certificate_chain: None,
        };
        Ok((quote, collateral))
    }
}

fn status(report: VerifiedReport) -> Result<String, String> {
    Ok(report.status)
}
