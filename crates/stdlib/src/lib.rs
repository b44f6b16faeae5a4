//! Builtins that need no request: one file a module.

#![forbid(unsafe_code)]

pub mod array;
pub mod asserts;
pub mod auth;
pub mod core;
pub mod crypto;
pub mod date;
pub mod env;
pub mod errors;
pub mod file;
pub mod helper;
pub mod html;
pub mod json;
pub mod log;
pub mod look;
pub mod math;
mod nullable;
mod random;
pub mod regex;
#[cfg(test)]
mod robustness;
pub mod string;
#[cfg(test)]
mod testing;
mod text;
pub mod types;
pub mod validator;

/// The modules of this crate.
pub static ALL: &[&vm::Module] = &[
    &core::builtins::MODULE,
    &types::builtins::MODULE,
    &errors::builtins::MODULE,
    &math::builtins::MODULE,
    &math::bare::MODULE,
    &string::builtins::MODULE,
    &string::bare::MODULE,
    &regex::builtins::MODULE,
    &array::builtins::MODULE,
    &html::builtins::MODULE,
    &validator::builtins::MODULE,
    &asserts::builtins::MODULE,
    &json::builtins::MODULE,
    &date::builtins::MODULE,
    &crypto::builtins::MODULE,
    &auth::builtins::MODULE,
    &file::builtins::MODULE,
    &log::builtins::MODULE,
    &env::builtins::MODULE,
    &look::builtins::MODULE,
];
