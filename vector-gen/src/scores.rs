//! The parameters of the tier function that vectors are scored by.

/// File name without its ending, and text.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    // A reference of half the frontier that the receipts record, so that the cap decides.
    let speed = Metric { lower_is_better: false, reference: "53.125", places: 2 };
    let latency = Metric { lower_is_better: true, reference: "0.0", places: 6 };
    vec![
        ("test", params("test", "g", &speed)),
        ("test-2g", params("test, capped at twice the gain", "2g", &speed)),
        ("test-latency", params("test of a latency", "g", &latency)),
    ]
}

/// What is measured.
struct Metric {
    lower_is_better: bool,
    reference: &'static str,
    places: u32,
}

fn params(name: &str, cap: &str, metric: &Metric) -> String {
    let Metric { lower_is_better, reference, places } = metric;
    format!(
        r#"version = 1
name = "{name}"
cap = "{cap}"
anchor = "auto"
lower_is_better = {lower_is_better}
significance = 0.02

[bars]
top1 = 0.95
kl = 0.05
kl_prefer = 0.02

[difficulty]
reference = {reference}
boost = false
k = 8.0
max = 1.5

[guards]
tolerance = 0.98

[tiers]
XL = 0.18
L = 0.1
M = 0.06
S = 0.035

[places]
value = {places}
top1 = 4
kl = 9
"#
    )
}
