//! The claimed tier against the tier function. The k3 receipt records 120.5 over a frontier of 106.25: a gain of 13.4 per
//! cent, and of 26.8 per cent by the reference of the test parameters.

use super::{Vector, any_output, echo, k3};
use crate::json::{Json, parse, token};
use crate::receipt::Material;

pub(super) fn vectors() -> Vec<Vector> {
    let scored = |id: &str, rule: &str| k3(id, rule).policy("input-not-needed").score("test");
    let claimed_apart = |id: &str, rule: &str| {
        scored(id, rule).change(|m| m.receipt.output = "{\"label\": \"XL\", \"pass\": true}\n".to_owned()).change(|m| {
            m.receipt.attestation.set("/verdict/tps", token("125.41"));
            m.receipt.attestation.set("/verdict/delta_tps", token("19.12"));
            m.receipt.attestation.set("/verdict/label", "XL");
        })
    };
    let latency = |id: &str, rule: &str| {
        let vector = k3(id, rule).policy("input-not-needed").score("test-latency");
        vector.change(|m| m.receipt.output = "{\"label\": \"XL\", \"pass\": true}\n".to_owned()).change(|m| {
            m.receipt.attestation.set("/verdict/tps", token("0.8"));
            m.receipt.attestation.set("/verdict/delta_tps", token("0.2"));
            m.receipt.attestation.set("/verdict/label", "XL");
        })
    };
    let differs = &["tier.differs"];
    vec![
        scored("tier-follows", "A claimed tier that the recorded figures earn follows from them.").verified(&[]),
        scored("tier-other", "A claimed tier that the recorded figures do not earn was not earned, even where the output repeats it.")
            .change(says("XL", true))
            .invalid(differs),
        k3("tier-other-tolerant", "A policy may weaken that difference, never silence it.")
            .score("test")
            .policy("tolerant")
            .change(says("XL", true))
            .thin(differs),
        scored("tier-other-version", "The two versions of the rule differ in their cap: by the older one the gain is an XL.")
            .score("test-2g")
            .invalid(differs),
        scored("tier-pass-alone", "Label and pass follow together: a tier that does not pass is a stricter claim.")
            .change(says("L", false))
            .thin(&["tier.stricter"]),
        scored("tier-stricter", "A refusal may come from gates that the parameters do not know.")
            .change(says("REJECT", false))
            .thin(&["tier.stricter"]),
        scored("tier-gate-first", "A gate refuses whatever the gain is.")
            .change(figure("/kl", "/measurements/primary/kl", "0.06"))
            .change(says("REJECT", false))
            .verified(&[]),
        scored("tier-gate-passed-over", "A claimed tier over a gate that refuses was not earned.")
            .change(figure("/kl", "/measurements/primary/kl", "0.06"))
            .invalid(differs),
        scored("tier-not-a-number", "A figure that is no number passes no gate.")
            .change(figure("/kl", "/measurements/primary/kl", "NaN"))
            .invalid(&["json.non-finite", "tier.differs"]),
        scored("tier-guard", "A guarded speed that got worse refuses the run.")
            .change(|m| m.change_output(|output| output.set("/guards", guards("3.0"))))
            .invalid(differs),
        scored("tier-guard-holds", "A guarded speed within the tolerance refuses nothing.")
            .change(|m| m.change_output(|output| output.set("/guards", guards("3.5"))))
            .verified(&[]),
        scored("tier-guard-within-rounding", "What a guard recorded is rounded too: 3.475 over 3.545 would hold.")
            .change(|m| m.change_output(|output| output.set("/guards", guards("3.47"))))
            .thin(&["tier.not-derivable"]),
        scored("tier-guard-beyond-rounding", "No figures that round to 3.46 over 3.55 hold.")
            .change(|m| m.change_output(|output| output.set("/guards", guards("3.46"))))
            .invalid(differs),
        scored("tier-top1-at-the-bar", "What rounds to the bar may have lain below it.")
            .change(figure("/top1", "/measurements/primary/top1", "0.95"))
            .change(says("REJECT", false))
            .thin(&["tier.not-derivable"]),
        scored("tier-kl-at-the-bar", "Or above it.")
            .change(figure("/kl", "/measurements/primary/kl", "0.05"))
            .change(says("REJECT", false))
            .thin(&["tier.not-derivable"]),
        scored("tier-refused-otherwise", "A claim that refuses under another label is not stricter than a refusal.")
            .change(figure("/kl", "/measurements/primary/kl", "0.06"))
            .change(says("L", false))
            .invalid(differs),
        scored("tier-no-gain-over-nothing", "A frontier of 0 is not rounded: over none there is no gain.")
            .change(figure("/frontier_tps", "/verdict/delta_tps", "0"))
            .change(figure("/delta_tps", "/verdict/delta_tps", "null"))
            .change(says("XL", true))
            .invalid(differs),
        scored("tier-baseline", "A run without a frontier is the baseline, whatever the figures claim.")
            .change(figure("/frontier_tps", "/verdict/delta_tps", "0"))
            .change(figure("/delta_tps", "/verdict/delta_tps", "null"))
            .change(says("BASELINE", true))
            .verified(&[]),
        scored("tier-no-frontier", "Without a frontier in the record no tier can be derived.")
            .change(|m| {
                m.change_output(|output| {
                    output.remove("/frontier_tps");
                    output.remove("/delta_tps");
                });
                m.receipt.attestation.set("/verdict/delta_tps", token("null"));
            })
            .thin(&["tier.not-derivable"]),
        scored("tier-latency", "A record of a latency is not scored by the parameters of a speed.")
            .change(|m| m.change_output(|output| output.set("/lower_is_better", true)))
            .thin(&["tier.not-derivable"]),
        scored("tier-within-rounding", "Figures are recorded rounded: 112.62 may have been 112.625, which earns an M.")
            .change(figure("/tps", "/verdict/tps", "112.62"))
            .change(says("M", true))
            .thin(&["tier.not-derivable"]),
        scored("tier-beyond-rounding", "What rounds to 112.61 does not earn an M.")
            .change(figure("/tps", "/verdict/tps", "112.61"))
            .change(says("M", true))
            .invalid(differs),
        scored("tier-frontier-within-rounding", "The frontier is rounded too: 125.385 over 106.255 earns an XL.")
            .change(figure("/tps", "/verdict/tps", "125.38"))
            .change(|m| m.change_output(|output| output.set("/frontier_tps", token("106.26"))))
            .change(says("XL", true))
            .thin(&["tier.not-derivable"]),
        claimed_apart(
            "tier-asserted-within-rounding",
            "A claimed frontier is the difference of two rounded figures: 125.415 over 106.28 earns an XL.",
        )
        .thin(&["tier.not-derivable", "tier.only-asserted"]),
        claimed_apart("tier-asserted-beyond-rounding", "No figures that round to the claimed ones earn it over 106.29.")
            .change(|m| m.receipt.attestation.set("/verdict/delta_tps", token("19.11")))
            .invalid(&["tier.differs", "tier.only-asserted"]),
        any_output(
            "tier-not-measured",
            "Of the enclave's proven input only the measurements are bound: speed and frontier are claims.",
            "{\"label\": \"L\", \"pass\": true}\n",
        )
        .score("test")
        .thin(&["tier.only-asserted"]),
        scored("tier-asserted", "A tier that follows from claims alone follows from nothing that is bound.")
            .change(|m| m.receipt.output = "{\"label\": \"L\", \"pass\": true}\n".to_owned())
            .thin(&["tier.only-asserted"]),
        latency("tier-asserted-latency", "Of a latency the claimed frontier is the value and the reduction together.")
            .thin(&["tier.only-asserted"]),
        latency("tier-asserted-latency-beyond-rounding", "It is as rounded as that of a speed: 0.9111195 under 1.111121 is no XL.")
            .change(|m| m.receipt.attestation.set("/verdict/tps", token("0.91112")))
            .invalid(&["tier.differs", "tier.only-asserted"]),
        echo("tier-measured", "Measurements that are the enclave's proven input are bound, though its output does not repeat them.")
            .score("test")
            .change(|m| {
                m.receipt.attestation.set("/measurements/primary/top1", token("0.5"));
                m.receipt.attestation.set("/verdict/label", "REJECT");
                m.receipt.attestation.set("/verdict/pass", false);
                m.receipt.output =
                    "{\"label\": \"REJECT\", \"pass\": false, \"reason\": \"correctness gate failed: top1=0.5000 (need >= 0.9)\"}\n"
                        .to_owned();
            })
            .verified(&[]),
        scored("tier-asserted-other", "Claims that earn another tier than they claim contradict themselves.")
            .change(|m| m.receipt.output = "{\"label\": \"XL\", \"pass\": true}\n".to_owned())
            .change(|m| m.receipt.attestation.set("/verdict/label", "XL"))
            .invalid(&["tier.differs", "tier.only-asserted"]),
    ]
}

/// Label and pass, in the receipt and in the output.
fn says(label: &'static str, pass: bool) -> impl Fn(&mut Material) {
    move |m| {
        m.receipt.attestation.set("/verdict/label", label);
        m.receipt.attestation.set("/verdict/pass", pass);
        m.change_output(|output| {
            output.set("/label", label);
            output.set("/pass", pass);
        });
    }
}

/// One figure, in the output and in the receipt.
fn figure(output_pointer: &'static str, receipt_pointer: &'static str, value: &'static str) -> impl Fn(&mut Material) {
    move |m| {
        m.change_output(|output| output.set(output_pointer, token(value)));
        m.receipt.attestation.set(receipt_pointer, token(value));
    }
}

/// Two guarded contexts, of which the second measures `speed` over a base of 3.55.
fn guards(speed: &str) -> Json {
    parse(&format!(r#"[{{"ctx": 128, "tps": 3.6, "base": 3.55}}, {{"ctx": 4096, "tps": {speed}, "base": 3.55}}]"#))
}
