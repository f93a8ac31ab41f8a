//! Instants. The core never reads a clock: every instant is an argument or comes from a signed document.

use std::fmt;

use chrono::{DateTime, NaiveDate};
use serde::{Serialize, Serializer};

/// An instant in UTC with nanoseconds, ordered in time.
///
/// Shown, and serialised, as RFC 3339 with a `Z`: `2026-08-01T23:11:08Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    seconds: i64,
    nanoseconds: u32,
}

/// Why a text is not an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimestampError {
    /// The text has not the shape `YYYY-MM-DDThh:mm:ss`, an optional fraction of 1 to 9 digits, and a zone.
    #[error("wanted YYYY-MM-DDThh:mm:ss[.fraction] followed by Z or an offset such as +00:00")]
    Shape,
    /// The shape is right, the zone is missing: without one the text names no instant.
    #[error("the zone is missing: wanted Z or an offset such as +00:00")]
    NoZone,
    /// The shape is right, but there is no such date, time or offset.
    #[error("there is no such date, time or offset")]
    NoSuchInstant,
}

impl Timestamp {
    /// The instant `seconds` after 1970-01-01T00:00:00Z.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self { seconds, nanoseconds: 0 }
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub const fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// Reads an RFC 3339 instant with any offset. Leap seconds, lower-case letters and a blank instead of `T` are refused.
    ///
    /// # Errors
    /// [`TimestampError`] says which part of the shape is wrong.
    pub fn parse_rfc3339(text: &str) -> Result<Self, TimestampError> {
        let bytes = text.as_bytes();
        let (date_time, rest) = bytes.split_at_checked(19).ok_or(TimestampError::Shape)?;
        let [y0, y1, y2, y3, b'-', mo0, mo1, b'-', d0, d1, b'T', h0, h1, b':', mi0, mi1, b':', s0, s1] = date_time else {
            return Err(TimestampError::Shape);
        };
        let century = [*y0, *y1];
        let digits = [y2, y3, mo0, mo1, d0, d1, h0, h1, mi0, mi1, s0, s1].map(|digit| *digit);
        if !century.iter().chain(&digits).all(u8::is_ascii_digit) {
            return Err(TimestampError::Shape);
        }
        let (nanoseconds, zone) = fraction(rest)?;
        let offset = offset_seconds(zone)?;
        let local = Self::from_digits(century, digits).ok_or(TimestampError::NoSuchInstant)?;
        let seconds = local.seconds.saturating_sub(offset);
        match (FIRST_SECOND..=LAST_SECOND).contains(&seconds) {
            true => Ok(Self { seconds, nanoseconds }),
            false => Err(TimestampError::NoSuchInstant),
        }
    }

    /// The instant in UTC that is written in digits alone: the first two of the year, then two each for the rest of it, month, day,
    /// hour, minute and second.
    pub(crate) fn from_digits([y0, y1]: [u8; 2], rest: [u8; 12]) -> Option<Self> {
        let [y2, y3, mo0, mo1, d0, d1, h0, h1, mi0, mi1, s0, s1] = rest;
        let year = i32::try_from(number(&[y0, y1, y2, y3]).ok()?).ok()?;
        let [month, day] = [number(&[mo0, mo1]).ok()?, number(&[d0, d1]).ok()?];
        let [hour, minute, second] = [number(&[h0, h1]).ok()?, number(&[mi0, mi1]).ok()?, number(&[s0, s1]).ok()?];
        let instant = NaiveDate::from_ymd_opt(year, month, day)?.and_hms_opt(hour, minute, second)?;
        Some(Self::from_unix_seconds(instant.and_utc().timestamp()))
    }

    /// Reads an instant as Intel writes it: the zone is `Z` or `+00:00`, a fraction is allowed.
    pub(crate) fn parse_utc(text: &str) -> Result<Self, TimestampError> {
        if text.ends_with('Z') || text.ends_with("+00:00") { Self::parse_rfc3339(text) } else { Err(TimestampError::NoZone) }
    }
}

/// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z: RFC 3339 can write no other years.
const FIRST_SECOND: i64 = -62_167_219_200;
const LAST_SECOND: i64 = 253_402_300_799;

fn number(digits: &[u8]) -> Result<u32, TimestampError> {
    digits.iter().try_fold(0u32, |value, digit| match digit {
        b'0'..=b'9' => Ok(value.saturating_mul(10).saturating_add(u32::from(digit.saturating_sub(b'0')))),
        _ => Err(TimestampError::Shape),
    })
}

fn fraction(rest: &[u8]) -> Result<(u32, &[u8]), TimestampError> {
    let Some((b'.', after)) = rest.split_first() else {
        return Ok((0, rest));
    };
    let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, zone) = after.split_at_checked(length).ok_or(TimestampError::Shape)?;
    if !(1..=9).contains(&length) {
        return Err(TimestampError::Shape);
    }
    let scale = (length..9).fold(1u32, |scale, _| scale.saturating_mul(10));
    Ok((number(digits)?.saturating_mul(scale), zone))
}

fn offset_seconds(zone: &[u8]) -> Result<i64, TimestampError> {
    match zone {
        [] => Err(TimestampError::NoZone),
        b"Z" => Ok(0),
        [sign @ (b'+' | b'-'), h0, h1, b':', m0, m1] => {
            let (hours, minutes) = (number(&[*h0, *h1])?, number(&[*m0, *m1])?);
            if hours > 23 || minutes > 59 {
                return Err(TimestampError::NoSuchInstant);
            }
            let seconds = i64::from(hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60)));
            Ok(if *sign == b'-' { seconds.saturating_neg() } else { seconds })
        }
        _ => Err(TimestampError::Shape),
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(second) = DateTime::from_timestamp(self.seconds, 0) else {
            return write!(formatter, "{} s after 1970-01-01T00:00:00Z", self.seconds);
        };
        // Debug is the form of ISO 8601 that RFC 3339 wants.
        write!(formatter, "{:?}", second.naive_utc())?;
        if self.nanoseconds != 0 {
            write!(formatter, ".{:09}", self.nanoseconds)?;
        }
        formatter.write_str("Z")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, TimestampError> {
        Timestamp::parse_rfc3339(text).map(|instant| instant.to_string())
    }

    #[test]
    fn both_spellings_of_utc_are_one_instant() {
        assert_eq!(parse("2026-08-01T23:47:45+00:00").unwrap(), "2026-08-01T23:47:45Z");
        assert_eq!(parse("2026-08-01T23:47:45-00:00").unwrap(), "2026-08-01T23:47:45Z");
        assert_eq!(parse("2026-08-02T01:47:45+02:00").unwrap(), "2026-08-01T23:47:45Z");
        assert_eq!(parse("2026-08-01T23:47:45+23:59").unwrap(), "2026-07-31T23:48:45Z");
        assert_eq!(parse("2026-08-01T23:47:45.5Z").unwrap(), "2026-08-01T23:47:45.500000000Z");
    }

    #[test]
    fn near_misses_are_refused() {
        for (text, error) in [
            ("2026-08-02 00:00:00Z", TimestampError::Shape),
            ("2026-08-02T00:00:00", TimestampError::NoZone),
            ("2026-08-02", TimestampError::Shape),
            ("1785628800", TimestampError::Shape),
            ("2026-02-30T00:00:00Z", TimestampError::NoSuchInstant),
            ("2026-08-02T23:59:60Z", TimestampError::NoSuchInstant),
            ("2026-08-02T24:00:00Z", TimestampError::NoSuchInstant),
            ("2026-08-02T0x:00:00Z", TimestampError::Shape),
            ("", TimestampError::Shape),
            ("2026-08-02T00:00:00Z\n", TimestampError::Shape),
            ("2026-08-02t00:00:00z", TimestampError::Shape),
            ("２０２６-08-02T00:00:00Z", TimestampError::Shape),
            ("2026-08-02T00:00:00.Z", TimestampError::Shape),
            ("2026-08-02T00:00:00.1234567890Z", TimestampError::Shape),
            ("2026-08-02T00:00:00+24:00", TimestampError::NoSuchInstant),
            ("2026-08-02T00:00:00+00:60", TimestampError::NoSuchInstant),
            ("9999-12-31T23:59:59-00:01", TimestampError::NoSuchInstant),
            ("0000-01-01T00:00:00+00:01", TimestampError::NoSuchInstant),
        ] {
            assert_eq!(Timestamp::parse_rfc3339(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_fraction_orders_after_its_second() {
        let whole = Timestamp::parse_rfc3339("2026-08-02T00:00:00Z").unwrap();
        let later = Timestamp::parse_rfc3339("2026-08-02T00:00:00.000000001Z").unwrap();
        assert!(whole < later);
    }

    #[test]
    fn intel_dates_are_utc_only() {
        assert!(Timestamp::parse_utc("2026-08-02T00:00:00+00:00").is_ok());
        assert!(Timestamp::parse_utc("2026-08-02T02:00:00+02:00").is_err());
    }
}
