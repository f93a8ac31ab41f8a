//! Where two receipts say something else.
//!
//! A place is a JSON pointer of the receipt, `collateral:` and a pointer of the container, or the name of what lies between signed
//! parts. One that ends in `/+` stands for members that the first receipt does not have; one in `, rounded` for a number that is the
//! same after rounding to six places.

use std::collections::{BTreeMap, BTreeSet};

use data_encoding::BASE64;
use serde_json::Value;

use crate::essence::{Frame, finite};

/// Zero bytes after the signature data of the quote.
pub const PADDING: &str = "quote: zero bytes after it";
/// Line ends of the PEM chain, and one NUL after it.
pub const LINE_ENDS: &str = "quote: line ends of the chain";
/// Anything else in a quote.
const OTHERWISE: &str = "quote";

/// Where two receipts that both can be read say something else; none where they differ in spelling alone.
pub fn differences(base: &[u8], mutant: &[u8]) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    match (parse(base), parse(mutant)) {
        (Some(base), Some(mutant)) => compare("", &base, &mutant, &mut places),
        _ => drop(places.insert(String::new())),
    }
    places
}

fn parse(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(&finite(text)).ok()
}

fn compare(pointer: &str, base: &Value, mutant: &Value, places: &mut BTreeSet<String>) {
    match (base, mutant) {
        (Value::Object(base), Value::Object(mutant)) => {
            for (name, value) in base {
                let below = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                match mutant.get(name) {
                    Some(mutant) => compare(&below, value, mutant, places),
                    None => drop(places.insert(below)),
                }
            }
            if mutant.keys().any(|name| !base.contains_key(name)) {
                places.insert(format!("{pointer}/+"));
            }
        }
        (Value::Array(base), Value::Array(mutant)) if base.len() == mutant.len() => {
            for (index, (base, mutant)) in base.iter().zip(mutant).enumerate() {
                compare(&format!("{pointer}/{index}"), base, mutant, places);
            }
        }
        (Value::String(base), Value::String(mutant)) if base != mutant => match pointer.rsplit('/').next() {
            Some("quote_b64") => both(base, mutant, compare_quotes, places),
            Some("collateral_b64") => both(base, mutant, compare_containers, places),
            _ => drop(places.insert(pointer.to_owned())),
        },
        // Python and the verifier read the integer -0 as 0; serde_json keeps it as a float.
        (Value::Number(base), Value::Number(mutant)) if [base, mutant].iter().all(|number| number.as_f64() == Some(0.0)) => {}
        (Value::Number(base), Value::Number(mutant)) if base != mutant => {
            let rounded = [base, mutant].map(|number| number.as_f64().map(|number| format!("{number:.6}")));
            let rounding = if rounded[0] == rounded[1] { ", rounded" } else { "" };
            places.insert(format!("{pointer}{rounding}"));
        }
        _ if base != mutant => drop(places.insert(pointer.to_owned())),
        _ => {}
    }
}

fn both(base: &str, mutant: &str, compare: fn(&[u8], &[u8], &mut BTreeSet<String>), places: &mut BTreeSet<String>) {
    match (BASE64.decode(base.as_bytes()), BASE64.decode(mutant.as_bytes())) {
        (Ok(base), Ok(mutant)) => compare(&base, &mutant, places),
        _ => drop(places.insert(OTHERWISE.to_owned())),
    }
}

fn compare_quotes(base: &[u8], mutant: &[u8], places: &mut BTreeSet<String>) {
    let (Some(in_base), Some(in_mutant)) = (Frame::of(base), Frame::of(mutant)) else {
        places.insert(OTHERWISE.to_owned());
        return;
    };
    let padding = base[in_base.chain.end..] != mutant[in_mutant.chain.end..];
    let line_ends = base[in_base.chain] != mutant[in_mutant.chain];
    let found = [(padding, PADDING), (line_ends, LINE_ENDS), (!padding && !line_ends, OTHERWISE)];
    places.extend(found.into_iter().filter(|(differs, _)| *differs).map(|(_, place)| place.to_owned()));
}

/// Items are told by the end of their URL's path, as the verifier tells them; the rest of it is a label.
fn compare_containers(base: &[u8], mutant: &[u8], places: &mut BTreeSet<String>) {
    let (Some(mut base), Some(mut mutant)) = (parse(base), parse(mutant)) else {
        places.insert("collateral:".to_owned());
        return;
    };
    let [labels, other_labels] = [&mut base, &mut mutant].map(|container| {
        let items = container.get_mut("items").and_then(Value::as_object_mut).map(std::mem::take).unwrap_or_default();
        let known = ["tcb", "identity", "pckcrl", "IntelSGXRootCA.der"];
        let (mut labels, mut kept) = (BTreeMap::new(), serde_json::Map::new());
        for (url, item) in items {
            let end = url.split('?').next().and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_owned();
            if known.contains(&&*end) {
                kept.insert(end.clone(), item);
                labels.insert(end, url);
            } else {
                kept.insert(url, item);
            }
        }
        if !kept.is_empty() {
            container["items"] = Value::Object(kept);
        }
        labels
    });
    let changed = labels.iter().filter(|(end, url)| other_labels.get(*end).is_some_and(|other| other != *url));
    places.extend(changed.map(|(end, _)| format!("collateral: label of {end}")));
    let mut found = BTreeSet::new();
    compare("", &base, &mutant, &mut found);
    places.extend(found.into_iter().map(|place| format!("collateral:{place}")));
}
