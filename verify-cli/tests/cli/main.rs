//! The binary as its users meet it: exit codes, what is read, what is printed and where.

mod claims;
mod exit_codes;
mod inputs;
mod output;
mod settings;
mod shared;
mod support;
