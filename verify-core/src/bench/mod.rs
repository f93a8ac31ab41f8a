//! Whether published numbers can be believed: pure functions over the bytes of raw files.
//!
//! They keep two facts apart, as everywhere in this crate: that something could not be verified, and that it was verified and differs.
//! Files are handed in as [`Files`]; nothing here opens one.
//!
//! [`compare()`] holds two arms of one window against each other, [`floor()`] measures how much of a difference is noise. What raw files
//! look like is data ([`Shape`]), and so is what has to be equal ([`Profile`]). [`classify`] says what the record of a measurement supports.

mod arm;
pub mod classify;
mod compare;
mod data;
mod declared;
mod document;
mod drain;
mod files;
mod floor;
mod gate;
mod profile;
mod recorded;
mod select;
mod shape;
mod statistic;
pub mod trace;

pub use arm::RawFile;
pub use compare::{
    ArmCounts, Compared, DELTA_CONVENTION, Exit, Headline, InputFile, PointCounts, Question, Row, Sides, compare, exit_code_files,
};
pub use data::DataError;
pub use declared::Declared;
pub use drain::{Drain, DrainCheck};
pub use files::Files;
pub use floor::{Floor, FloorInput, FloorMetric, FloorPair, Floored, Reading, ReadingResult, floor};
pub use gate::{Gate, GateCheck, GateResult};
pub use profile::{FieldCheck, FieldResult, Profile, ProfileCheck, UncheckedDifference, Waiver};
pub use shape::{Better, Section, Shape};
pub use statistic::Method;
