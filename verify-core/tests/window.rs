//! Every signed object is judged by its own window, closed at both ends.

#[path = "support/generated.rs"]
mod generated;

use generated::{codes, judge};
use vector_gen::collateral::Container;
use vector_gen::pki::{Certificate, Key};
use vector_gen::receipt::Material;
use verify_core::{Instant, Outcome, Timestamp};

const START: &str = "2026-08-10T00:00:00Z";
const END: &str = "2026-08-20T00:00:00Z";

/// Gives one object a start and an end.
type SetWindow = fn(&mut Material, &'static str, &'static str);

/// The objects, and what is found where one is judged outside its window.
const OBJECTS: [(&str, SetWindow, &str); 9] = [
    ("PCK certificate", |m, start, end| (m.pck.not_before, m.pck.not_after) = (start, end), "certificate.outside-validity"),
    ("PCK CA certificate", |m, start, end| (m.ca.not_before, m.ca.not_after) = (start, end), "certificate.outside-validity"),
    ("root certificate", |m, start, end| (m.root.not_before, m.root.not_after) = (start, end), "certificate.outside-validity"),
    ("TCB signing certificate", set_signer, "certificate.outside-validity"),
    ("signer of the QE identity alone", set_qe_signer, "certificate.outside-validity"),
    ("PCK CRL", |m, start, end| set_crl(&mut m.collateral.pck_crl, start, end), "crl.outside-window"),
    ("root CRL", |m, start, end| set_crl(&mut m.collateral.root_crl, start, end), "crl.outside-window"),
    ("TCB info", |m, start, end| set_document(&mut m.collateral.tcb_info.body, start, end), "tcb-info.outside-window"),
    ("QE identity", |m, start, end| set_document(&mut m.collateral.qe_identity.body, start, end), "qe-identity.outside-window"),
];

fn set_signer(material: &mut Material, start: &'static str, end: &'static str) {
    material.collateral.container = Container::V3;
    let signer = &mut material.collateral.signer_chain[0];
    (signer.not_before, signer.not_after) = (start, end);
}

fn set_qe_signer(material: &mut Material, start: &'static str, end: &'static str) {
    material.collateral.container = Container::V3;
    let mut signer = Certificate::tcb_signing(Key::named("second TCB signing"), &material.root.key);
    (signer.not_before, signer.not_after) = (start, end);
    material.collateral.qe_identity.key = signer.key.clone();
    material.collateral.qe_signer = Some(signer);
}

fn set_crl(crl: &mut vector_gen::crl::Crl, start: &'static str, end: &'static str) {
    (crl.this_update, crl.next_update) = (start, Some(end));
}

fn set_document(body: &mut vector_gen::json::Json, start: &str, end: &str) {
    body.set("/issueDate", start);
    body.set("/nextUpdate", end);
}

fn instant(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).expect("an instant")
}

#[test]
fn both_ends_of_every_window_are_inside_and_no_second_more() {
    for (name, set, code) in OBJECTS {
        for (at, inside) in [
            ("2026-08-09T23:59:59Z", false),
            (START, true),
            ("2026-08-10T00:00:01Z", true),
            ("2026-08-19T23:59:59Z", true),
            (END, true),
            ("2026-08-20T00:00:01Z", false),
        ] {
            for source in [Instant::Given(instant(at)), Instant::Now(instant(at))] {
                let report = judge(|m| set(m, START, END), source);
                let wanted = if inside { (Outcome::Verified, vec![]) } else { (Outcome::Unverifiable, vec![code]) };
                assert_eq!((report.outcome, codes(&report)), wanted, "{name} at {at}");
            }
        }
    }
}

/// Without a given instant the judged one is the latest start, whichever object has it.
#[test]
fn the_latest_start_is_the_judged_instant() {
    for (name, set, _) in OBJECTS {
        let report = judge(|m| set(m, START, END), Instant::Collateral);
        let window = report.facts.window.expect("a window");
        assert_eq!((report.outcome, report.judged.at), (Outcome::Verified, Some(instant(START))), "{name}");
        assert_eq!((window.start, window.end), (instant(START), instant(END)), "{name}");
    }
}

/// An object of one instant is current at that instant; one that ends before it begins, or before the others begin, never is.
#[test]
fn a_window_may_be_one_instant_but_not_less() {
    for (name, set, code) in OBJECTS {
        let one = judge(|m| set(m, START, START), Instant::Collateral);
        assert_eq!((one.outcome, codes(&one)), (Outcome::Verified, vec![]), "{name}");
        for (start, end) in [(END, START), ("2026-08-01T00:00:00Z", "2026-08-03T09:00:00Z")] {
            let never = judge(|m| set(m, start, end), Instant::Collateral);
            assert_eq!((never.outcome, codes(&never)), (Outcome::Unverifiable, vec![code, "window.empty"]), "{name} from {start} to {end}");
            let problem = never.problems.iter().find(|problem| problem.code.name() == code).expect("the finding");
            assert!(problem.message.contains(" has expired "), "{}", problem.message);
        }
    }
}

/// The two signed documents may be dated with fractions of a second.
#[test]
fn fractions_of_a_second_count() {
    for (name, set, code) in &OBJECTS[7..] {
        for (at, inside) in [
            ("2026-08-10T00:00:00Z", false),
            ("2026-08-10T00:00:00.5Z", true),
            ("2026-08-20T00:00:00.25Z", true),
            ("2026-08-20T00:00:00.250000001Z", false),
        ] {
            let report = judge(|m| set(m, "2026-08-10T00:00:00.5Z", "2026-08-20T00:00:00.25Z"), Instant::Given(instant(at)));
            assert_eq!(codes(&report), if inside { vec![] } else { vec![*code] }, "{name} at {at}");
        }
    }
}

/// Dates of the two signed documents that name no instant in UTC.
#[test]
fn dates_of_documents_are_in_utc() {
    for (set, code) in [(OBJECTS[7].1, "tcb-info.malformed"), (OBJECTS[8].1, "qe-identity.malformed")] {
        for date in ["2026-08-10T00:00:00", "2026-08-10T02:00:00+02:00", "2026-08-10", "2026-08-10 00:00:00Z", "2026-02-30T00:00:00Z", ""] {
            assert_eq!(codes(&judge(|m| set(m, date, END), Instant::Collateral)), [code], "{date:?}");
            assert_eq!(codes(&judge(|m| set(m, START, date), Instant::Collateral)), [code], "{date:?}");
        }
        assert_eq!(codes(&judge(|m| set(m, "2026-08-10T00:00:00+00:00", END), Instant::Collateral)), [""; 0]);
    }
}
