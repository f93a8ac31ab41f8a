//! Statistics of rows. A percentile has no meaning without its method: tools differ by more than the effects that they report.

use serde::{Deserialize, Serialize};

/// How a percentile is taken of `n` values in ascending order, by the names that papers and tools use. `h` is `(n - 1) p / 100`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Between the values beside index `h`, in proportion: numpy's default (Hyndman and Fan's type 7), vLLM, AIPerf, spreadsheets.
    Linear,
    /// The value of rank `ceil(n p / 100)`, the first rank for 0 (type 1 of Hyndman and Fan).
    NearestRank,
    /// The value at index `floor(n p / 100)`, the last one for 100: what `sorted[int(n * p)]` gives.
    FloorPn,
    /// The value at index `h`, rounded, with halves to the even index: AIPerf for its adjusted metrics.
    NearestIndex,
    /// The value at index `floor(h)`.
    Lower,
    /// The value at index `ceil(h)`.
    Higher,
    /// The mean of the lower and the higher value.
    Midpoint,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] =
        [Self::Linear, Self::NearestRank, Self::FloorPn, Self::NearestIndex, Self::Lower, Self::Higher, Self::Midpoint];

    /// The name, as it is written in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::NearestRank => "nearest-rank",
            Self::FloorPn => "floor-pn",
            Self::NearestIndex => "nearest-index",
            Self::Lower => "lower",
            Self::Higher => "higher",
            Self::Midpoint => "midpoint",
        }
    }

    /// The percentile `p`, from 0 to 100, of rows in any order; `None` without rows, or for another `p`.
    #[must_use]
    pub fn percentile(self, rows: &[f64], p: f64) -> Option<f64> {
        self.of_sorted(&sorted(rows.to_vec()), p)
    }

    /// The percentile `p` of rows in ascending order.
    pub(crate) fn of_sorted(self, sorted: &[f64], p: f64) -> Option<f64> {
        (0.0..=100.0).contains(&p).then_some(())?;
        let last = sorted.len().checked_sub(1)?;
        let at = |index: f64| sorted.get(whole(index).min(last)).copied();
        let (n, fraction) = (count(sorted.len()), p / 100.0);
        let h = (n - 1.0) * fraction;
        let (lower, higher) = (at(h.floor())?, at(h.ceil())?);
        match self {
            Self::Linear => Some(lower + (higher - lower) * (h - h.floor())),
            Self::NearestRank => at((n * p / 100.0).ceil() - 1.0),
            Self::FloorPn => at((n * fraction).floor()),
            Self::NearestIndex => at(h.round_ties_even()),
            Self::Lower => Some(lower),
            Self::Higher => Some(higher),
            Self::Midpoint => Some(f64::midpoint(lower, higher)),
        }
    }
}

/// The rows in ascending order.
pub(crate) fn sorted(mut rows: Vec<f64>) -> Vec<f64> {
    rows.sort_unstable_by(f64::total_cmp);
    rows
}

/// The arithmetic mean, added up in the order of the rows; `None` without rows.
pub(crate) fn mean(rows: &[f64]) -> Option<f64> {
    (!rows.is_empty()).then(|| rows.iter().sum::<f64>() / count(rows.len()))
}

/// How many there are, as a double; exact below 2^53, which no file of ours reaches.
pub(crate) fn count(length: usize) -> f64 {
    #[expect(
        clippy::as_conversions,
        clippy::cast_precision_loss,
        reason = "there is no other way to a double, and lengths are far below 2^53"
    )]
    let count = length as f64;
    count
}

/// An index that is a whole number already; below zero it is the first.
fn whole(index: f64) -> usize {
    #[expect(
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "there is no other way from a double, and this one saturates"
    )]
    let index = index as usize;
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight latencies of one run, unsorted.
    const ROWS: [f64; 8] = [5.0, 1.0, 2.0, 8.0, 3.0, 13.0, 21.0, 34.0];

    fn all(rows: &[f64], p: f64) -> Vec<f64> {
        Method::ALL.iter().map(|method| method.percentile(rows, p).unwrap()).collect()
    }

    #[test]
    fn each_method_has_its_own_answer() {
        // Sorted: 1 2 3 5 8 13 21 34. Of p50: h = 3.5, n p = 4. Of p90: h = 6.3, n p = 7.2. Of p25: h = 1.75, n p = 2.
        assert_eq!(all(&ROWS, 50.0), [6.5, 5.0, 8.0, 8.0, 5.0, 8.0, 6.5]);
        assert_eq!(Method::Linear.percentile(&ROWS, 90.0).unwrap().to_bits(), (21.0 + 13.0 * (7.0 * 0.9 - 6.0_f64)).to_bits());
        assert_eq!(all(&ROWS, 90.0)[1..], [34.0, 34.0, 21.0, 21.0, 34.0, 27.5]);
        assert_eq!(all(&ROWS, 25.0), [2.75, 2.0, 3.0, 3.0, 2.0, 3.0, 2.5]);
    }

    #[test]
    fn halves_go_to_the_even_index() {
        // h = 0.5 and 2.5.
        assert_eq!(Method::NearestIndex.percentile(&[1.0, 2.0], 50.0), Some(1.0));
        assert_eq!(Method::NearestIndex.percentile(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 50.0), Some(3.0));
    }

    #[test]
    fn the_ends_are_the_smallest_and_the_largest() {
        assert_eq!(all(&ROWS, 0.0), [1.0; 7]);
        assert_eq!(all(&ROWS, 100.0), [34.0; 7]);
        assert_eq!(all(&[7.0], 50.0), [7.0; 7]);
    }

    #[test]
    fn nothing_has_no_percentile() {
        assert_eq!(Method::Linear.percentile(&[], 50.0), None);
        assert_eq!(Method::Linear.percentile(&ROWS, 100.1), None);
        assert_eq!(Method::Linear.percentile(&ROWS, -0.1), None);
        assert_eq!(Method::Linear.percentile(&ROWS, f64::NAN), None);
    }

    #[test]
    fn the_mean_is_of_the_rows_in_their_order() {
        assert_eq!(mean(&ROWS), Some(10.875));
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1e300, 1e-300, -1e300]), Some(0.0));
    }
}
