//! The contract between compiler and engines: instructions, functions, signatures. No behaviour.

#![forbid(unsafe_code)]

mod disassemble;
mod function;
pub mod op;
mod signature;
mod signatures;
mod verify;

pub use disassemble::disassemble;
pub use function::{Constant, File, Function, Handler, HandlerKind, Program, Site, StructField, StructType, exit};
pub use op::{Instr, Op, Operand};
pub use signature::{Effect, Intrinsic, Param, Signature, Ty, arity_message};
pub use signatures::{BuiltinId, Signatures};
pub use verify::verify;
