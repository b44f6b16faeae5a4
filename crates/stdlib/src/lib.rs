//! Builtins that need no request: one file a module.

#![forbid(unsafe_code)]

pub mod auth;
pub mod core;
pub mod crypto;
pub mod date;
pub mod env;
pub mod errors;
pub mod file;
pub mod json;
pub mod log;
pub mod look;
mod nullable;
mod random;
#[cfg(test)]
mod testing;
mod text;
pub mod types;

/// The modules of this crate.
pub static ALL: &[&vm::Module] = &[
    &core::builtins::MODULE,
    &types::builtins::MODULE,
    &errors::builtins::MODULE,
    &json::builtins::MODULE,
    &date::builtins::MODULE,
    &crypto::builtins::MODULE,
    &auth::builtins::MODULE,
    &file::builtins::MODULE,
    &log::builtins::MODULE,
    &env::builtins::MODULE,
    &look::builtins::MODULE,
];
