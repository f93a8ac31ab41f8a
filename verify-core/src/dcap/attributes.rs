//! What opens a trust domain or an enclave to its host: TD attributes, service TD and XFAM (Intel TDX module ABI specification
//! 348551-008US, tables of ATTRIBUTES and XFAM), SGX attributes (Intel SDM volume 3D, ATTRIBUTES).

use data_encoding::HEXLOWER;

use crate::dcap::quote::{Body, EnclaveReport, TdReport};
use crate::dcap::signed::Authentic;
use crate::ledger::Findings;
use crate::problem::{Code, Location, Problem};

const DEBUG: u64 = 1;
const PROFILING: u64 = 0b111 << 4;
const SERVICE_TD_EXTENSION: u64 = 1 << 17;
const SEPT_VE_DISABLE: u64 = 1 << 28;
const MIGRATABLE: u64 = 1 << 29;
/// Bits 1 to 3, 7 to 15, 23 to 26 and 32 to 61.
const RESERVED: u64 = 0b1110 | 0xFF80 | (0b1111 << 23) | (0x3FFF_FFFF << 32);

/// x87 and SSE are always on.
const XFAM_FIXED_1: u64 = 0b11;
/// No known module allows other bits.
const XFAM_ALLOWED: u64 = 0x6DBE7;

/// Offsets in a TD report.
const TD_ATTRIBUTES: usize = 120;
const XFAM: usize = 128;
const MRSERVICETD: usize = 600;

const SGX_DEBUG: u8 = 0b10;
/// Offset in an enclave report.
const SGX_ATTRIBUTES: usize = 48;

pub(crate) fn check(body: &Authentic<Body<'_>>, findings: &mut Findings) {
    match &**body {
        Body::TrustDomain(report) => check_trust_domain(report, findings),
        Body::Enclave(report) => check_enclave(report, findings),
    }
}

/// Whether the host may read and change the enclave's memory.
pub(crate) const fn is_debug_enclave(report: &EnclaveReport<'_>) -> bool {
    let [flags, ..] = *report.attributes;
    flags & SGX_DEBUG != 0
}

fn check_enclave(report: &EnclaveReport<'_>, findings: &mut Findings) {
    if is_debug_enclave(report) {
        let message = "the enclave runs in debug mode: its memory is readable by the host";
        let location = Location::offset("quote", report.offset.saturating_add(SGX_ATTRIBUTES));
        findings.raise(Problem::new(Code::SgxDebug, location, message).found(HEXLOWER.encode(report.attributes)));
    }
}

fn check_trust_domain(report: &TdReport<'_>, findings: &mut Findings) {
    let at = |field: usize| Location::offset("quote", report.offset.saturating_add(field));
    let attributes = u64::from_le_bytes(*report.td_attributes);
    let mut refuse_if = |wrong: bool, code: Code, message: &str| {
        if wrong {
            let problem = Problem::new(code, at(TD_ATTRIBUTES), message);
            findings.raise(problem.found(format!("{attributes:#018x}")));
        }
    };
    refuse_if(attributes & DEBUG != 0, Code::TdDebug, "the trust domain runs in debug mode: its memory is readable by the host");
    refuse_if(attributes & PROFILING != 0, Code::TdProfiling, "a profiling bit (4 to 6) of the TD attributes is set");
    refuse_if(attributes & RESERVED != 0, Code::TdReservedBits, "a reserved bit of the TD attributes is set");
    refuse_if(attributes & SEPT_VE_DISABLE == 0, Code::TdSeptVe, "SEPT_VE_DISABLE (bit 28 of the TD attributes) is clear");
    refuse_if(attributes & MIGRATABLE != 0, Code::TdMigratable, "MIGRATABLE (bit 29 of the TD attributes) is set");
    refuse_if(
        attributes & SERVICE_TD_EXTENSION != 0,
        Code::TdService,
        "SERVTD_EXT (bit 17 of the TD attributes) is set: a service TD can be bound",
    );
    if let Some(mrservicetd) = report.td15.map(|td15| td15.mrservicetd).filter(|hash| **hash != [0; 48]) {
        let message = "MRSERVICETD is not zero: a service TD is bound to the trust domain, and can act on it";
        findings.raise(Problem::new(Code::TdService, at(MRSERVICETD), message).found(HEXLOWER.encode(mrservicetd)));
    }
    let xfam = u64::from_le_bytes(*report.xfam);
    if xfam & XFAM_FIXED_1 != XFAM_FIXED_1 || xfam & !XFAM_ALLOWED != 0 {
        let message = format!("XFAM is {xfam:#018x}; bits 0 and 1 are always set, and none outside {XFAM_ALLOWED:#x} is known");
        findings.raise(Problem::new(Code::TdXfam, at(XFAM), message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_is_either_reserved_or_named() {
        let reserved: Vec<u32> = (0..64).filter(|bit| RESERVED & (1 << bit) != 0).collect();
        let wanted: Vec<u32> = (1..=3).chain(7..=15).chain(23..=26).chain(32..=61).collect();
        assert_eq!(reserved, wanted);
    }
}
