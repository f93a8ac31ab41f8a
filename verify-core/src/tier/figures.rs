//! How figures are written in JSON: as numbers, and where JSON has no number for them as the words of Python.

use serde::{Serialize, Serializer};

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
pub(crate) fn number<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match figure {
        figure if figure.is_finite() => serializer.serialize_f64(*figure),
        figure if figure.is_nan() => serializer.serialize_str("NaN"),
        figure if *figure > 0.0 => serializer.serialize_str("Infinity"),
        _ => serializer.serialize_str("-Infinity"),
    }
}

/// A figure that may not have been recorded; null where it was not.
pub(crate) fn optional<S: Serializer>(figure: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Number<'a>(#[serde(serialize_with = "number")] &'a f64);
    figure.as_ref().map(Number).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use crate::tier::{Guard, Measurement};

    #[test]
    fn what_is_no_number_of_json_is_written_as_its_name() {
        let mut measurement = Measurement::default();
        (measurement.value, measurement.frontier) = (Some(1.5), Some(f64::NEG_INFINITY));
        (measurement.ceiling, measurement.kl) = (Some(f64::INFINITY), Some(f64::NAN));
        measurement.guards = vec![Guard::new("128", f64::INFINITY, 3.0)];
        let written = r#"{"value":1.5,"frontier":"-Infinity","ceiling":"Infinity","top1":null,"kl":"NaN","lower_is_better":null,"guards":[{"name":"128","value":"Infinity","base":3.0}]}"#;
        assert_eq!(serde_json::to_string(&measurement).unwrap(), written);
    }
}
