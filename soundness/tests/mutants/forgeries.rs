//! Forgeries that are consistent in themselves.

use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    Vec::new()
}
