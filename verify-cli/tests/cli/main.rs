//! The binary as its users meet it: exit codes, what is read, what is printed and where.

mod audit;
mod claims;
mod classify;
mod compare;
mod destination;
mod determinism;
mod exit_codes;
mod expectations;
mod html;
mod injection;
mod inputs;
mod offline;
mod output;
mod pipes;
mod quote;
mod schemas;
mod score;
mod settings;
mod shared;
mod signers;
mod streams;
mod support;
mod trace;
