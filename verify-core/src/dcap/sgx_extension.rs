//! The SGX extension of a PCK certificate, 1.2.840.113741.1.13.1, with exactly Intel's structure
//! (Intel SGX PCK certificate specification, section 1.3.5).

use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Reader, SliceReader, Tag, Tagged};

use crate::dcap::chain::{PckCa, PckChain};
use crate::ledger::{Checked, Findings};
use crate::problem::{Code, Location, Problem};

const BASE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113741.1.13.1");

/// What Intel certifies about a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SgxExtension {
    pub(crate) ppid: [u8; 16],
    pub(crate) components: [u8; 16],
    pub(crate) pce_svn: u16,
    pub(crate) pce_id: [u8; 2],
    pub(crate) fmspc: [u8; 6],
}

/// Numbered items of one sequence: each `{ OID, value }`, the last arc of the OID being the number.
type Items<'a> = Vec<(u8, AnyRef<'a>)>;

impl SgxExtension {
    pub(crate) fn read(chain: &PckChain, findings: &mut Findings) -> Checked<Self> {
        let mut wrong = |message: &str| findings.stop(Problem::new(Code::SgxExtension, Location::document("PCK certificate"), message));
        let content = chain.leaf.sgx_extension.as_deref().ok_or_else(|| wrong("there is no SGX extension"))?;
        parse(content, chain.ca).map_err(wrong)
    }
}

fn parse(content: &[u8], ca: PckCa) -> Result<SgxExtension, &'static str> {
    let items = items(AnyRef::from_der(content).map_err(|_| "the SGX extension is not one DER value")?, BASE.as_bytes())?;
    match items.as_slice() {
        [ppid, tcb, pce_id, fmspc, sgx_type] if ca == PckCa::Processor => common(ppid, tcb, pce_id, fmspc, sgx_type),
        [ppid, tcb, pce_id, fmspc, sgx_type, (6, instance), (7, configuration)] => {
            let _platform_instance: [u8; 16] = octets(*instance, "platform instance id: wanted 16 bytes")?;
            let path = [BASE.as_bytes(), &[7]].concat();
            let flags = self::items(*configuration, &path)?;
            let are_flags = flags.iter().all(|(_, flag)| flag.decode_as::<bool>().is_ok());
            match flags.as_slice() {
                [(1, _), (2, _), (3, _)] if are_flags => common(ppid, tcb, pce_id, fmspc, sgx_type),
                _ => Err("configuration: wanted the three flags dynamic platform, cached keys and SMT"),
            }
        }
        _ => Err("wanted the items 1 to 7, or under the Processor CA 1 to 5, each once"),
    }
}

fn common(
    ppid: &(u8, AnyRef<'_>),
    tcb: &(u8, AnyRef<'_>),
    pce_id: &(u8, AnyRef<'_>),
    fmspc: &(u8, AnyRef<'_>),
    sgx_type: &(u8, AnyRef<'_>),
) -> Result<SgxExtension, &'static str> {
    let ((1, ppid), (2, tcb), (3, pce_id), (4, fmspc), (5, sgx_type)) = (ppid, tcb, pce_id, fmspc, sgx_type) else {
        return Err("wanted the items PPID, TCB, PCE id, FMSPC and SGX type, each once");
    };
    let is_sgx_type = sgx_type.tag() == Tag::Enumerated && matches!(sgx_type.value(), [0..=2]);
    if !is_sgx_type {
        return Err("SGX type: wanted standard, scalable or scalable with integrity");
    }
    let path = [BASE.as_bytes(), &[2]].concat();
    let tcb = items(*tcb, &path)?;
    let levels = "TCB: wanted 16 component SVNs, PCE SVN and CPU SVN, each once";
    let Some((components, [(17, pce_svn), (18, cpu_svn)])) = tcb.split_at_checked(16) else {
        return Err(levels);
    };
    let mut svns = [0; 16];
    for ((svn, wanted), (number, value)) in svns.iter_mut().zip(1u8..).zip(components) {
        if *number != wanted {
            return Err(levels);
        }
        *svn = value.decode_as::<u8>().map_err(|_| "TCB component SVN: wanted an integer from 0 to 255")?;
    }
    let _cpu_svn: [u8; 16] = octets(*cpu_svn, "CPU SVN: wanted 16 bytes")?;
    Ok(SgxExtension {
        ppid: octets(*ppid, "PPID: wanted 16 bytes")?,
        components: svns,
        pce_svn: pce_svn.decode_as::<u16>().map_err(|_| "PCE SVN: wanted an integer from 0 to 65535")?,
        pce_id: octets(*pce_id, "PCE id: wanted 2 bytes")?,
        fmspc: octets(*fmspc, "FMSPC: wanted 6 bytes")?,
    })
}

/// The items of a sequence, sorted by number; their OIDs have to be `path` (in DER, without the header) and one more arc of one byte.
fn items<'a>(sequence: AnyRef<'a>, path: &[u8]) -> Result<Items<'a>, &'static str> {
    let malformed = "the SGX extension is not a sequence of object identifiers with values";
    if sequence.tag() != Tag::Sequence {
        return Err(malformed);
    }
    let mut reader = SliceReader::new(sequence.value()).map_err(|_| malformed)?;
    let mut items = Items::new();
    while !reader.is_finished() {
        let (oid, value): (ObjectIdentifier, AnyRef<'a>) =
            reader.sequence(|inner| Ok::<_, der::Error>((inner.decode()?, inner.decode()?))).map_err(|_| malformed)?;
        match oid.as_bytes().split_last() {
            Some((number, parent)) if parent == path => items.push((*number, value)),
            _ => return Err("the SGX extension holds an unknown item"),
        }
    }
    items.sort_by_key(|(number, _)| *number);
    Ok(items)
}

fn octets<const N: usize>(value: AnyRef<'_>, message: &'static str) -> Result<[u8; N], &'static str> {
    let octets: &OctetStringRef = value.decode_as().map_err(|_| message)?;
    octets.as_bytes().try_into().map_err(|_| message)
}
