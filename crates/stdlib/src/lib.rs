//! Builtins that need no request: one file a module.

pub mod json;
