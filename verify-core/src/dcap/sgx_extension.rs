//! The SGX extension of a PCK certificate, 1.2.840.113741.1.13.1, with exactly Intel's structure
//! (Intel SGX PCK certificate specification, section 1.3.5).

use der::asn1::{AnyRef, ObjectIdentifier, OctetStringRef};
use der::{Decode, Reader, SliceReader, Tag, Tagged};

use crate::dcap::chain::{PckCa, PckChain};
use crate::ledger::{Checked, Findings};
use crate::problem::{Code, Location, Problem};

const BASE: &[u32] = &[1, 2, 840, 113741, 1, 13, 1];

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
type Items<'a> = Vec<(u32, AnyRef<'a>)>;

impl SgxExtension {
    pub(crate) fn read(chain: &PckChain, findings: &mut Findings) -> Checked<Self> {
        let mut wrong = |message: &str| findings.stop(Problem::new(Code::SgxExtension, Location::document("PCK certificate"), message));
        let content = chain.leaf.sgx_extension.as_deref().ok_or_else(|| wrong("there is no SGX extension"))?;
        parse(content, chain.ca).map_err(wrong)
    }
}

fn parse(content: &[u8], ca: PckCa) -> Result<SgxExtension, &'static str> {
    let items = items(AnyRef::from_der(content).map_err(|_| "the SGX extension is not one DER value")?, BASE)?;
    match items.as_slice() {
        [ppid, tcb, pce_id, fmspc, sgx_type] if ca == PckCa::Processor => common(ppid, tcb, pce_id, fmspc, sgx_type),
        [ppid, tcb, pce_id, fmspc, sgx_type, (6, instance), (7, configuration)] => {
            let _platform_instance: [u8; 16] = octets(*instance, "platform instance id: wanted 16 bytes")?;
            let path = [BASE, &[7]].concat();
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
    ppid: &(u32, AnyRef<'_>),
    tcb: &(u32, AnyRef<'_>),
    pce_id: &(u32, AnyRef<'_>),
    fmspc: &(u32, AnyRef<'_>),
    sgx_type: &(u32, AnyRef<'_>),
) -> Result<SgxExtension, &'static str> {
    let ((1, ppid), (2, tcb), (3, pce_id), (4, fmspc), (5, sgx_type)) = (ppid, tcb, pce_id, fmspc, sgx_type) else {
        return Err("wanted the items PPID, TCB, PCE id, FMSPC and SGX type, each once");
    };
    let is_sgx_type = sgx_type.tag() == Tag::Enumerated && matches!(sgx_type.value(), [0..=2]);
    if !is_sgx_type {
        return Err("SGX type: wanted standard, scalable or scalable with integrity");
    }
    let path = [BASE, &[2]].concat();
    let tcb = items(*tcb, &path)?;
    let levels = "TCB: wanted 16 component SVNs, PCE SVN and CPU SVN, each once";
    let Some((components, [(17, pce_svn), (18, cpu_svn)])) = tcb.split_at_checked(16) else {
        return Err(levels);
    };
    let mut svns = [0; 16];
    for ((svn, wanted), (number, value)) in svns.iter_mut().zip(1u32..).zip(components) {
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

/// The items of a sequence, sorted by number; their OIDs have to be `path` and one more arc.
fn items<'a>(sequence: AnyRef<'a>, path: &[u32]) -> Result<Items<'a>, &'static str> {
    let malformed = "the SGX extension is not a sequence of object identifiers with values";
    if sequence.tag() != Tag::Sequence {
        return Err(malformed);
    }
    let mut reader = SliceReader::new(sequence.value()).map_err(|_| malformed)?;
    let mut items = Items::new();
    while !reader.is_finished() {
        let (oid, value): (ObjectIdentifier, AnyRef<'a>) =
            reader.sequence(|inner| Ok::<_, der::Error>((inner.decode()?, inner.decode()?))).map_err(|_| malformed)?;
        let arcs: Vec<u32> = oid.arcs().collect();
        match arcs.split_last() {
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

#[cfg(test)]
mod tests {
    use vector_gen::der;
    use vector_gen::pki::{self, SgxExtension as Written};

    use super::*;

    const PLATFORM: PckCa = PckCa::Platform;
    const PROCESSOR: PckCa = PckCa::Processor;

    /// An item of the extension with the number `path`.
    fn item(path: &str, value: Vec<u8>) -> Vec<u8> {
        der::sequence(&[der::oid(&format!("{}.{path}", pki::SGX_EXTENSION)), value])
    }

    fn read(ca: PckCa, change: &dyn Fn(&mut Written)) -> Result<SgxExtension, &'static str> {
        let mut written = Written { platform: ca == PLATFORM, ..Written::default() };
        change(&mut written);
        parse(&written.der(), ca)
    }

    /// Replaces item `at`, counted from 0, by `value` under the same number.
    fn with_item(at: usize, value: Vec<u8>) -> impl Fn(&mut Written) {
        move |written| {
            let item = item(&(at + 1).to_string(), value.clone());
            written.items.add(move |items| items[at].clone_from(&item));
        }
    }

    /// The same for an item of the TCB.
    fn with_tcb_item(at: usize, value: Vec<u8>) -> impl Fn(&mut Written) {
        move |written| {
            let item = item(&format!("2.{}", at + 1), value.clone());
            written.tcb_items.add(move |items| items[at].clone_from(&item));
        }
    }

    #[test]
    fn every_value_is_the_one_that_was_written() {
        let read = read(PLATFORM, &|written| {
            written.components = std::array::from_fn(|index| 255 - index as u64);
            written.pce_svn = 65535;
            written.pce_id = vec![1, 2];
            written.fmspc = vec![1, 2, 3, 4, 5, 6];
        })
        .unwrap();
        assert_eq!(read.components, std::array::from_fn(|index| 255 - index as u8));
        assert_eq!((read.pce_svn, read.pce_id, read.fmspc), (65535, [1, 2], [1, 2, 3, 4, 5, 6]));
        assert_eq!(read.ppid, pki::sha256("test platform")[..16]);
    }

    #[test]
    fn both_sides_of_every_bound() {
        let flag = |number: u8, value: Vec<u8>| item(&format!("7.{number}"), value);
        let flags = |values: &[Vec<u8>]| der::sequence(values);
        let (yes, no) = (der::boolean(true), der::boolean(false));
        type Change = Box<dyn Fn(&mut Written)>;
        let cases: Vec<(&str, PckCa, Change, bool)> = vec![
            ("as Intel writes it", PLATFORM, Box::new(|_| {}), true),
            ("five items", PROCESSOR, Box::new(|_| {}), true),
            ("seven items of a processor", PROCESSOR, Box::new(|written| written.platform = true), true),
            ("five items of a platform", PLATFORM, Box::new(|written| written.platform = false), false),
            ("six items", PLATFORM, Box::new(|written| written.items.add(|items| items.truncate(6))), false),
            ("four items", PROCESSOR, Box::new(|written| written.items.add(|items| items.truncate(4))), false),
            ("eight items", PLATFORM, Box::new(|written| written.items.add(|items| items.push(item("8", der::boolean(true))))), false),
            ("another order", PLATFORM, Box::new(|written| written.items.add(|items| items.reverse())), true),
            ("no item", PLATFORM, Box::new(|written| written.items.add(Vec::clear)), false),
            (
                "an item of another arc",
                PLATFORM,
                Box::new(|written| written.items.add(|items| items[0] = item("1.1", der::octets(&[0; 16])))),
                false,
            ),
            ("15 bytes of PPID", PLATFORM, Box::new(with_item(0, der::octets(&[0; 15]))), false),
            ("17 bytes of PPID", PLATFORM, Box::new(with_item(0, der::octets(&[0; 17]))), false),
            ("a PPID in a string", PLATFORM, Box::new(with_item(0, der::utf8("0123456789abcdef"))), false),
            ("1 byte of PCE id", PLATFORM, Box::new(|written| written.pce_id = vec![0]), false),
            ("3 bytes of PCE id", PLATFORM, Box::new(|written| written.pce_id = vec![0; 3]), false),
            ("7 bytes of FMSPC", PLATFORM, Box::new(|written| written.fmspc = vec![0; 7]), false),
            ("SGX type 2", PLATFORM, Box::new(with_item(4, der::enumerated(2))), true),
            ("SGX type 3", PLATFORM, Box::new(with_item(4, der::enumerated(3))), false),
            ("SGX type as INTEGER", PLATFORM, Box::new(with_item(4, der::integer(1))), false),
            ("15 bytes of platform instance id", PLATFORM, Box::new(with_item(5, der::octets(&[0; 15]))), false),
            ("two flags", PLATFORM, Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, no.clone())]))), false),
            (
                "a flag twice",
                PLATFORM,
                Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, no.clone()), flag(2, no.clone())]))),
                false,
            ),
            (
                "a flag that is no BOOLEAN",
                PLATFORM,
                Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, no), flag(3, der::integer(1))]))),
                false,
            ),
            (
                "a BOOLEAN of 1",
                PLATFORM,
                Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, yes), flag(3, der::tlv(1, &[1]))]))),
                false,
            ),
            ("component 255", PLATFORM, Box::new(|written| written.components[15] = 255), true),
            ("component 256", PLATFORM, Box::new(|written| written.components[15] = 256), false),
            ("component -1", PLATFORM, Box::new(with_tcb_item(0, der::raw_integer(&[0xff]))), false),
            ("component with a needless zero", PLATFORM, Box::new(with_tcb_item(0, der::raw_integer(&[0, 3]))), false),
            ("component without a byte", PLATFORM, Box::new(with_tcb_item(0, der::raw_integer(&[]))), false),
            ("PCE SVN 65536", PLATFORM, Box::new(|written| written.pce_svn = 65536), false),
            ("PCE SVN -1", PLATFORM, Box::new(with_tcb_item(16, der::raw_integer(&[0xff]))), false),
            ("15 bytes of CPU SVN", PLATFORM, Box::new(with_tcb_item(17, der::octets(&[0; 15]))), false),
            ("no PCE SVN", PLATFORM, Box::new(|written| written.tcb_items.add(|items| drop(items.remove(16)))), false),
            ("19 TCB items", PLATFORM, Box::new(|written| written.tcb_items.add(|items| items.push(item("2.19", der::integer(1))))), false),
            ("a component twice", PLATFORM, Box::new(|written| written.tcb_items.add(|items| items[1] = items[0].clone())), false),
        ];
        for (name, ca, change, wanted) in cases {
            assert_eq!(read(ca, &change).is_ok(), wanted, "{name}");
        }
        assert!(parse(&[Written::default().der(), vec![0]].concat(), PLATFORM).is_err(), "bytes after the extension");
        assert!(parse(&[], PLATFORM).is_err(), "nothing");
    }
}
