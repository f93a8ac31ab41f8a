// temporary: collects disagreements
use std::collections::BTreeMap;
#[test]
fn collect() {
    let rounds: u64 = std::env::var("ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(2000);
    let mut seen: BTreeMap<String, (usize, Vec<u8>)> = BTreeMap::new();
    let mut x = 0x1234_5678_9abc_def1u64;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 24) as u8
    };
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..rounds {
        let edits = 1 + usize::from(next() % 3);
        let mut input = vec![if next() % 4 == 0 { next() } else { 0 }, if next() % 8 == 0 { next() } else { 0 }];
        for _ in 0..edits {
            let mut edit: Vec<u8> = (0..5).map(|_| next()).collect();
            if next() % 2 == 0 {
                edit[0] = 8 + next() % 2;
                edit[1] = [6, 7, 6, 1][usize::from(next() % 4)];
            }
            if edit[1] % 9 == 2 {
                let n = usize::from(edit[4] % 32);
                for _ in 0..n {
                    edit.push(next());
                }
            }
            input.extend(edit);
        }
        if let Err(panic) = std::panic::catch_unwind(|| receipt_fuzz::peer::compare(&input)) {
            let m = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            let m: String = m
                .split("Problem {")
                .map(|part| {
                    let get = |k: &str| {
                        part.split(k).nth(1).map(|r| r.chars().take(230).take_while(|c| *c != '"').collect::<String>()).unwrap_or_default()
                    };
                    if part.contains("message: ") {
                        format!(
                            "{} {}",
                            part.split("code:").nth(1).map(|c| c.split(',').next().unwrap_or("")).unwrap_or(""),
                            get("message: \"")
                        )
                    } else {
                        String::new()
                    }
                })
                .collect::<Vec<_>>()
                .join(" | ")
                + &m.chars().rev().take(200).collect::<String>().chars().rev().collect::<String>();
            let e = seen.entry(m).or_insert((0, input.clone()));
            e.0 += 1;
        }
    }
    for (m, (n, i)) in &seen {
        println!("{n:5} {m}\n      {}", data_encoding::HEXLOWER.encode(&i[..i.len().min(60)]));
    }
}
