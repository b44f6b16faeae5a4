//! The contract between compiler and engines: instructions, functions, signatures. No behaviour.

#![forbid(unsafe_code)]

mod signature;
mod signatures;

pub use signature::{Effect, Intrinsic, Param, Signature, Ty, arity_message};
pub use signatures::{BuiltinId, Signatures};
