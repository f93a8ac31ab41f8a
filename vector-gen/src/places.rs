//! Where two files differ, as JSON pointers.
//!
//! A pointer goes on through what a text holds: through JSON, through base64 of JSON, and through a quote, whose fields have the names of
//! Intel's documents in lower case. Where a value cannot be taken apart, it is the place itself.

use data_encoding::{BASE64, HEXLOWER};

use crate::json::{self, Json};

/// The places in which two JSON documents differ; the whole, where one of them is none.
pub(crate) fn of_documents(old: &[u8], new: &[u8]) -> Vec<String> {
    between(document(old), document(new))
}

/// The fields in which two quotes differ.
pub(crate) fn of_quotes(old: &[u8], new: &[u8]) -> Vec<String> {
    between(Some(quote(old)), Some(quote(new)))
}

fn between(old: Option<Json>, new: Option<Json>) -> Vec<String> {
    let mut places = Vec::new();
    match (old, new) {
        (Some(old), Some(new)) => differences(&old, &new, "", &mut places),
        _ => places.push(String::new()),
    }
    if places.is_empty() {
        // Only the layout differs.
        places.push(String::new());
    }
    places
}

fn document(bytes: &[u8]) -> Option<Json> {
    json::read(std::str::from_utf8(bytes).ok()?)
}

fn differences(old: &Json, new: &Json, at: &str, places: &mut Vec<String>) {
    if old == new {
        return;
    }
    let before = places.len();
    match (old, new) {
        (Json::Object(old), Json::Object(new)) => {
            let mut names: Vec<&String> = Vec::new();
            for (name, _) in old.iter().chain(new) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            for name in names {
                let [olds, news] = [old, new].map(|members| members.iter().filter(|(member, _)| member == name).collect::<Vec<_>>());
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (&olds[..], &news[..]) {
                    ([(_, old)], [(_, new)]) => differences(old, new, &at, places),
                    _ if olds == news => {}
                    _ => places.push(at),
                }
            }
        }
        (Json::List(old), Json::List(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, &format!("{at}/{index}"), places);
            }
        }
        (Json::Text(old), Json::Text(new)) => {
            let [old, new] = [old, new].map(|text| opened(text, at));
            if let (Some(old), Some(new)) = (old, new) {
                differences(&old, &new, at, places);
            }
        }
        _ => {}
    }
    if places.len() == before {
        places.push(at.to_owned());
    }
}

/// What a text holds that stands at `at`.
fn opened(text: &str, at: &str) -> Option<Json> {
    let decoded = BASE64.decode(text.as_bytes()).ok();
    if at.ends_with("/quote_b64") {
        return decoded.map(|bytes| quote(&bytes));
    }
    decoded.and_then(|bytes| document(&bytes)).or_else(|| json::read(text)).filter(|value| matches!(value, Json::Object(_)))
}

const HEADER: &[(&str, usize)] =
    &[("version", 2), ("attestation_key_type", 2), ("tee_type", 4), ("reserved", 4), ("qe_vendor_id", 16), ("user_data", 20)];

const DESCRIPTOR: &[(&str, usize)] = &[("type", 2), ("size", 4)];

const TD_REPORT: &[(&str, usize)] = &[
    ("tee_tcb_svn", 16),
    ("mrseam", 48),
    ("mrsignerseam", 48),
    ("seam_attributes", 8),
    ("td_attributes", 8),
    ("xfam", 8),
    ("mrtd", 48),
    ("mrconfigid", 48),
    ("mrowner", 48),
    ("mrownerconfig", 48),
    ("rtmr0", 48),
    ("rtmr1", 48),
    ("rtmr2", 48),
    ("rtmr3", 48),
    ("report_data", 64),
];

const TD15_REPORT: &[(&str, usize)] = &[("tee_tcb_svn2", 16), ("mrservicetd", 48)];

const ENCLAVE_REPORT: &[(&str, usize)] = &[
    ("cpu_svn", 16),
    ("misc_select", 4),
    ("reserved1", 28),
    ("attributes", 16),
    ("mrenclave", 32),
    ("reserved2", 32),
    ("mrsigner", 32),
    ("reserved3", 96),
    ("isv_prod_id", 2),
    ("isv_svn", 2),
    ("reserved4", 60),
    ("report_data", 64),
];

/// The fields of a quote of any version, as far as the bytes reach. Lengths that a quote states are followed, not judged.
fn quote(bytes: &[u8]) -> Json {
    let mut reader = Reader { rest: bytes, fields: Vec::new() };
    let version = reader.number(0, 2);
    let is_enclave = reader.number(4, 4) == 0;
    reader.group("header", HEADER);
    let mut body_type = if is_enclave { 1 } else { 2 };
    let mut td15_ex = 0;
    if version == 5 {
        (body_type, td15_ex) = (reader.number(0, 2), reader.number(2, 4).saturating_sub(648));
        reader.group("descriptor", DESCRIPTOR);
    }
    match body_type {
        1 => reader.group("enclave_report", ENCLAVE_REPORT),
        2 => reader.group("td_report", TD_REPORT),
        _ => reader.group("td_report", &[TD_REPORT, TD15_REPORT, &[("td15_ex", td15_ex)]].concat()),
    }
    reader.field("signature_length", 4);
    reader.field("signature", 64);
    reader.field("attestation_key", 64);
    if version > 3 {
        reader.group("certification", DESCRIPTOR);
    }
    reader.group("qe_report", ENCLAVE_REPORT);
    reader.field("qe_report_signature", 64);
    let auth_length = reader.number(0, 2);
    reader.field("auth_length", 2);
    reader.field("auth", auth_length);
    let chain_length = reader.number(2, 4);
    reader.group("qe_certification", DESCRIPTOR);
    reader.certificates(chain_length);
    reader.field("rest", usize::MAX);
    Json::Object(reader.fields)
}

/// Takes fields off the front of a quote; one that is not there is left out.
struct Reader<'a> {
    rest: &'a [u8],
    fields: Vec<(String, Json)>,
}

impl Reader<'_> {
    /// The little-endian number of `size` bytes at `offset`.
    fn number(&self, offset: usize, size: usize) -> usize {
        let bytes = self.rest.iter().skip(offset).take(size);
        bytes.rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    }

    fn take(&mut self, size: usize) -> &[u8] {
        let (field, rest) = self.rest.split_at(size.min(self.rest.len()));
        self.rest = rest;
        field
    }

    fn field(&mut self, name: &str, size: usize) {
        let value = HEXLOWER.encode(self.take(size));
        if !value.is_empty() {
            self.fields.push((name.to_owned(), value.into()));
        }
    }

    fn group(&mut self, name: &str, layout: &[(&str, usize)]) {
        let before = self.fields.len();
        for (name, size) in layout {
            self.field(name, *size);
        }
        let group = self.fields.split_off(before);
        if !group.is_empty() {
            self.fields.push((name.to_owned(), Json::Object(group)));
        }
    }

    fn certificates(&mut self, size: usize) {
        let text = String::from_utf8_lossy(self.take(size)).into_owned();
        let certificates: Vec<Json> = text.split_inclusive("-----END CERTIFICATE-----\n").map(Json::from).collect();
        if !certificates.is_empty() {
            self.fields.push(("chain".to_owned(), Json::List(certificates)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipt::Material;

    #[test]
    fn a_pointer_goes_on_through_what_a_text_holds() {
        let inner = |label: &str| BASE64.encode(format!(r#"{{"a": ["{label}"], "b~/": 1}}"#).as_bytes());
        let outer = |label: &str| format!(r#"{{"x": {{"y_b64": "{}"}}, "z": 1.0}}"#, inner(label));
        assert_eq!(of_documents(outer("S").as_bytes(), outer("XL").as_bytes()), ["/x/y_b64/a/0"]);
        assert_eq!(of_documents(br#"{"b~/": 1}"#, br#"{"b~/": 1.0}"#), ["/b~0~1"]);
        assert_eq!(of_documents(br#"{"a": 1, "b": 2}"#, br#"{"b": 2, "a": 1}"#), [""], "another order is a difference of the whole");
        assert_eq!(of_documents(br#"{"a": 1}"#, br#"{"a": 1, "a": 1}"#), ["/a"]);
        assert_eq!(of_documents(br#"{"a": 1}"#, br#"{"a": 1"#), [""]);
    }

    #[test]
    fn a_field_of_a_quote_has_its_name() {
        let quote = |change: fn(&mut Material)| {
            let mut material = Material::classic();
            change(&mut material);
            let [quote, _] = material.evidence();
            quote
        };
        let good = quote(|_| {});
        assert_eq!(of_quotes(&good, &quote(|m| m.quote.body.rtmr[3][47] = 1)), ["/td_report/rtmr3", "/signature"]);
        assert_eq!(of_quotes(&good, &quote(|m| m.quote.auth = vec![1; 32])), ["/qe_report/report_data", "/qe_report_signature", "/auth"]);
        let lengths = ["/signature_length", "/certification/size", "/qe_certification/size", "/chain/0"];
        assert_eq!(of_quotes(&good, &quote(|m| m.pck.serial = vec![7])), lengths);
        assert_eq!(of_quotes(&good, &quote(|m| m.quote.padded_to = 8000)), ["/rest"]);
    }
}
