//! Whether published numbers can be believed: pure functions over the bytes of raw files.
//!
//! They keep two facts apart, as everywhere in this crate: that something could not be verified, and that it was verified and differs.
//! Files are handed in as [`Files`]; nothing here opens one.

mod files;
mod select;
mod statistic;
pub mod trace;

pub use files::Files;
pub use statistic::Method;
