//! Builtins that need no request: one file a module.

#![forbid(unsafe_code)]

pub mod core;
pub mod date;
pub mod errors;
pub mod json;
mod nullable;
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
];
