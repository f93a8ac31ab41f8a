//! The parameters of the tier function that vectors are scored by.

/// File name without its ending, and text.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    vec![("test", params("test", "g")), ("test-2g", params("test, capped at twice the gain", "2g"))]
}

/// A reference of half the frontier that the receipts record, so that the cap decides.
fn params(name: &str, cap: &str) -> String {
    format!(
        r#"version = 1
name = "{name}"
cap = "{cap}"
anchor = "auto"
lower_is_better = false
significance = 0.02

[bars]
top1 = 0.95
kl = 0.05
kl_prefer = 0.02

[difficulty]
reference = 53.125
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
value = 2
top1 = 4
kl = 9
"#
    )
}
