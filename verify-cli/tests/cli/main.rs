//! The binary as its users meet it: exit codes, what is read, what is printed and where.

mod exit_codes;
mod inputs;
mod output;
mod settings;
mod shared;
mod signers;
mod support;
