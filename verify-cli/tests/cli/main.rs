//! The binary as its users meet it: exit codes, what is read, what is printed and where.

mod claims;
mod exit_codes;
mod expectations;
mod inputs;
mod output;
mod quote;
mod score;
mod settings;
mod shared;
mod signers;
mod support;
