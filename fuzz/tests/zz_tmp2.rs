use receipt_fuzz::evidence::{Evidence, Part};
use receipt_fuzz::tree::Node;
#[test]
fn show() {
    let input = data_encoding::HEXLOWER.decode(std::env::var("INPUT").unwrap().as_bytes()).unwrap();
    let mut parts: Vec<Vec<u8>> = Part::ALL
        .iter()
        .map(|part| {
            let s = Evidence::good().signed(*part);
            if part.is_der() { Node::read(s).unwrap().script() } else { s.to_vec() }
        })
        .collect();
    let originals = parts.clone();
    soundness::edits::edit_parts(&input[2..], &mut parts);
    for ((part, new), old) in Part::ALL.iter().zip(&parts).zip(&originals) {
        if new != old {
            let first = new.iter().zip(old).position(|(a, b)| a != b).unwrap_or(old.len().min(new.len()));
            println!(
                "{part:?} at {first}\n old {}\n new {}",
                data_encoding::HEXLOWER.encode(&old[first.saturating_sub(40)..old.len().min(first + 40)]),
                data_encoding::HEXLOWER.encode(&new[first.saturating_sub(40)..new.len().min(first + 40)])
            );
            if !part.is_der() {
                println!(
                    " old {}\n new {}",
                    String::from_utf8_lossy(&old[first.saturating_sub(60)..old.len().min(first + 60)]),
                    String::from_utf8_lossy(&new[first.saturating_sub(60)..new.len().min(first + 60)])
                );
            }
        }
    }
    receipt_fuzz::peer::compare(&input);
}
