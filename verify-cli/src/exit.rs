//! The exit codes: one table for every command. 1 is never used, because wrappers and shells use it for their own failures.

pub(crate) const OK: u8 = 0;
pub(crate) const USAGE: u8 = 2;
pub(crate) const MISSING: u8 = 3;
pub(crate) const INVALID: u8 = 4;
pub(crate) const UNVERIFIABLE: u8 = 6;
pub(crate) const INTERNAL: u8 = 70;

/// The table as `--help` shows it.
pub(crate) const TABLE: &str = "\
Exit codes:
   0  verified: everything was checked and nothing is missing
   2  usage: a bad argument, policy, key or certificate file, or no receipts found
   3  missing: an input file cannot be read
   4  invalid: the evidence is contradicted, forged or malformed
   5  zero baseline: only of compare, floor and trace
   6  unverifiable: something needed is absent, stale or unsupported
   7  under-provenanced: not contradicted, but thinner than the policy asks
  70  internal: a bug in this tool, or the answer could not be written
With several inputs the worst wins, in the order 70, 2, 4, 3, 6, 5, 7, 0.";

/// The table of `inspect`, which judges nothing.
pub(crate) const INSPECT_TABLE: &str = "\
Exit codes (nothing is verified):
   0  everything in the file could be decoded
   2  usage: a bad argument
   3  missing: an input file cannot be read
   4  a part of the file is malformed
   6  a part of the file is absent or unsupported
  70  internal: a bug in this tool, or the answer could not be written";

/// The table of `score`, which derives a label and verifies nothing.
pub(crate) const SCORE_TABLE: &str = "\
Exit codes (a refusal is a label too, so REJECT is 0):
   0  a label was derived, and it is the expected one where one was given
   2  usage: a bad argument or file of parameters, or a figure without which the rule gives no label
   3  missing: the file with the figures cannot be read
   4  another label than the expected one, or the file with the figures is malformed
   6  the file records no figure that the rule needs, is of a latency where the parameters are of a speed, or is over a limit
  70  internal: a bug in this tool, or the answer could not be written";

/// The table of `compare` and `floor`, whose refusals have names.
pub(crate) const COMPARE_TABLE: &str = "\
Exit codes (a refusal is a whole answer; its first line on standard error is REFUSED NAME: why):
   0  OK: every field of the profile is equal, and the numbers are shown
   2  USAGE: a bad argument or file of settings
   3  MISSING_ARM: a raw file cannot be read
   4  PROFILE_MISMATCH: a field is recorded in both arms and differs
   5  ZERO_BASELINE: a number of arm A is zero
   6  PROFILE_UNVERIFIABLE: a field cannot be checked, or there is nothing to compare
  70  internal: a bug in this tool, or the answer could not be written";

/// The table of `classify`, where a low class is an answer too.
pub(crate) const CLASSIFY_TABLE: &str = "\
Exit codes (any class is an answer, so 0 without --require):
   0  the record has a class, and where one is required, that or a higher one
   2  usage: a bad argument, policy or key file
   3  the record, or a file that it names, cannot be read
   4  the evidence contradicts the record, which has no class then
   6  the class is below the required one
  70  internal: a bug in this tool, or the answer could not be written";

/// The table of `trace`, in the order of precedence.
pub(crate) const TRACE_TABLE: &str = "\
Exit codes (the first that applies, of the claims that are made):
  70  internal: a bug in this tool, or the answer could not be written
   2  usage: a bad argument or manifest
   4  MISMATCH: a number, line, equality or digest was checked and differs
   3  MISSING: a file cannot be read
   6  UNVERIFIABLE: a value, rows, a digest or a published text is absent, nothing is claimed, or --strict found numbers without a claim
   5  ZERO_BASELINE: a claim divides by zero
   0  OK: every claim follows from its files";

/// The name of a code where answers about measurements carry it.
pub(crate) const fn name(code: u8) -> &'static str {
    match code {
        OK => "OK",
        USAGE => "USAGE",
        MISSING => "MISSING",
        INVALID => "MISMATCH",
        UNVERIFIABLE => "UNVERIFIABLE",
        _ => "INTERNAL",
    }
}

/// From the worst to the best. 5 belongs to measurements.
const WORST_FIRST: [u8; 8] = [INTERNAL, USAGE, INVALID, MISSING, UNVERIFIABLE, 5, 7, OK];

/// The worse of two exit codes; one that the table does not know is worse than all.
pub(crate) fn worst(one: u8, other: u8) -> u8 {
    let rank = |code: u8| WORST_FIRST.iter().position(|known| *known == code).map_or(0, |position| position + 1);
    if rank(other) < rank(one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_wins_whatever_the_order() {
        for (index, worse) in WORST_FIRST.iter().enumerate() {
            for better in &WORST_FIRST[index..] {
                assert_eq!(worst(*worse, *better), *worse);
                assert_eq!(worst(*better, *worse), *worse);
            }
        }
    }

    #[test]
    fn an_unknown_code_is_never_hidden() {
        assert_eq!(worst(99, INTERNAL), 99);
        assert_eq!(worst(OK, 99), 99);
    }
}
