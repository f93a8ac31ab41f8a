//! The SGX extension of a PCK certificate: both sides of every bound, through the public door.

#[path = "support/generated.rs"]
mod generated;

use generated::{codes, judge};
use vector_gen::der;
use vector_gen::pki::{self, SgxExtension};
use verify_core::{Instant, QuoteReport};

/// An item of the extension with the number `path`.
fn item(path: &str, value: Vec<u8>) -> Vec<u8> {
    der::sequence(&[der::oid(&format!("{}.{path}", pki::SGX_EXTENSION)), value])
}

#[derive(Clone, Copy)]
enum Ca {
    Platform,
    Processor,
}

fn read(ca: Ca, change: impl FnOnce(&mut SgxExtension)) -> QuoteReport {
    judge(
        |m| {
            if let Ca::Processor = ca {
                m.use_processor_ca();
            }
            change(&mut m.sgx);
        },
        Instant::Collateral,
    )
}

/// Replaces item `at`, counted from 0, by `value` under the same number.
fn with_item(at: usize, value: Vec<u8>) -> impl Fn(&mut SgxExtension) {
    move |written| {
        let item = item(&(at + 1).to_string(), value.clone());
        written.items.add(move |items| items[at].clone_from(&item));
    }
}

/// The same for an item of the TCB.
fn with_tcb_item(at: usize, value: Vec<u8>) -> impl Fn(&mut SgxExtension) {
    move |written| {
        let item = item(&format!("2.{}", at + 1), value.clone());
        written.tcb_items.add(move |items| items[at].clone_from(&item));
    }
}

#[test]
fn every_value_is_the_one_that_was_written() {
    let report = judge(
        |m| {
            (m.sgx.pce_svn, m.sgx.pce_id, m.sgx.fmspc) = (65535, vec![1, 2], vec![1, 2, 3, 4, 5, 6]);
            m.collateral.tcb_info.body.set("/pceId", "0102");
            m.collateral.tcb_info.body.set("/fmspc", "010203040506");
        },
        Instant::Collateral,
    );
    let platform = report.facts.platform.expect("a platform");
    assert_eq!((platform.pce_svn, platform.pce_id.as_str(), platform.fmspc.as_str()), (65535, "0102", "010203040506"));
    assert_eq!((platform.ca, platform.ppid.as_str()), ("platform", "3d8222509e2883977dd84ad7cb735472"));
}

#[test]
fn both_sides_of_every_bound() {
    let flag = |number: u8, value: Vec<u8>| item(&format!("7.{number}"), value);
    let flags = |values: &[Vec<u8>]| der::sequence(values);
    let (yes, no) = (der::boolean(true), der::boolean(false));
    type Change = Box<dyn Fn(&mut SgxExtension)>;
    let cases: Vec<(&str, Ca, Change, bool)> = vec![
        ("as Intel writes it", Ca::Platform, Box::new(|_| {}), true),
        ("five items", Ca::Processor, Box::new(|_| {}), true),
        ("seven items of a processor", Ca::Processor, Box::new(|written| written.platform = true), true),
        ("five items of a platform", Ca::Platform, Box::new(|written| written.platform = false), false),
        ("six items", Ca::Platform, Box::new(|written| written.items.add(|items| items.truncate(6))), false),
        ("four items", Ca::Processor, Box::new(|written| written.items.add(|items| items.truncate(4))), false),
        ("eight items", Ca::Platform, Box::new(|written| written.items.add(|items| items.push(item("8", der::boolean(true))))), false),
        ("another order", Ca::Platform, Box::new(|written| written.items.add(|items| items.reverse())), true),
        ("no item", Ca::Platform, Box::new(|written| written.items.add(Vec::clear)), false),
        (
            "an item of another arc",
            Ca::Platform,
            Box::new(|written| written.items.add(|items| items[0] = item("1.1", der::octets(&[0; 16])))),
            false,
        ),
        ("15 bytes of PPID", Ca::Platform, Box::new(with_item(0, der::octets(&[0; 15]))), false),
        ("17 bytes of PPID", Ca::Platform, Box::new(with_item(0, der::octets(&[0; 17]))), false),
        ("a PPID in a string", Ca::Platform, Box::new(with_item(0, der::utf8("0123456789abcdef"))), false),
        ("1 byte of PCE id", Ca::Platform, Box::new(|written| written.pce_id = vec![0]), false),
        ("3 bytes of PCE id", Ca::Platform, Box::new(|written| written.pce_id = vec![0; 3]), false),
        ("7 bytes of FMSPC", Ca::Platform, Box::new(|written| written.fmspc = vec![0; 7]), false),
        ("SGX type 2", Ca::Platform, Box::new(with_item(4, der::enumerated(2))), true),
        ("SGX type 3", Ca::Platform, Box::new(with_item(4, der::enumerated(3))), false),
        ("SGX type as INTEGER", Ca::Platform, Box::new(with_item(4, der::integer(1))), false),
        ("15 bytes of platform instance id", Ca::Platform, Box::new(with_item(5, der::octets(&[0; 15]))), false),
        ("two flags", Ca::Platform, Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, no.clone())]))), false),
        (
            "a flag twice",
            Ca::Platform,
            Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, no.clone()), flag(2, no.clone())]))),
            false,
        ),
        (
            "a flag that is no BOOLEAN",
            Ca::Platform,
            Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, no), flag(3, der::integer(1))]))),
            false,
        ),
        (
            "a BOOLEAN of 1",
            Ca::Platform,
            Box::new(with_item(6, flags(&[flag(1, yes.clone()), flag(2, yes), flag(3, der::tlv(1, &[1]))]))),
            false,
        ),
        ("component 255", Ca::Platform, Box::new(|written| written.components[15] = 255), true),
        ("component 256", Ca::Platform, Box::new(|written| written.components[15] = 256), false),
        ("component -1", Ca::Platform, Box::new(with_tcb_item(0, der::raw_integer(&[0xff]))), false),
        ("component with a needless zero", Ca::Platform, Box::new(with_tcb_item(0, der::raw_integer(&[0, 3]))), false),
        ("component without a byte", Ca::Platform, Box::new(with_tcb_item(0, der::raw_integer(&[]))), false),
        ("PCE SVN 65536", Ca::Platform, Box::new(|written| written.pce_svn = 65536), false),
        ("PCE SVN -1", Ca::Platform, Box::new(with_tcb_item(16, der::raw_integer(&[0xff]))), false),
        ("15 bytes of CPU SVN", Ca::Platform, Box::new(with_tcb_item(17, der::octets(&[0; 15]))), false),
        ("no PCE SVN", Ca::Platform, Box::new(|written| written.tcb_items.add(|items| drop(items.remove(16)))), false),
        ("19 TCB items", Ca::Platform, Box::new(|written| written.tcb_items.add(|items| items.push(item("2.19", der::integer(1))))), false),
        ("a component twice", Ca::Platform, Box::new(|written| written.tcb_items.add(|items| items[1] = items[0].clone())), false),
    ];
    for (name, ca, change, is_good) in cases {
        let wanted = if is_good { [].as_slice() } else { &["sgx-extension.malformed"] };
        assert_eq!(codes(&read(ca, change)), wanted, "{name}");
    }
}

/// Nothing, and something after the end.
#[test]
fn the_extension_is_one_value() {
    for edit in [|_: Vec<u8>| Vec::new(), |der: Vec<u8>| [der, vec![0]].concat()] {
        let report = judge(
            |m| {
                let content = edit(m.sgx.der());
                m.sgx.carried = false;
                m.pck.set_extension(pki::SGX_EXTENSION, false, content);
            },
            Instant::Collateral,
        );
        assert_eq!(codes(&report), ["sgx-extension.malformed"]);
    }
}
