//! Values and their life; the interpreter.
//!
//! The way in: [`value`] and [`heap`] say what a value is, [`text`], [`number`], [`compare`] and [`access`] what the
//! operators do with it, [`builtin`] how Rust functions are offered to scripts, [`isolate`] what running code changes.

#![allow(clippy::indexing_slicing, reason = "the engine indexes what the verifier has checked")]

pub mod access;
mod app;
pub mod builtin;
pub mod compare;
mod context;
pub mod freeze;
pub mod heap;
mod interpret;
pub mod interrupt;
pub mod isolate;
pub mod link;
mod machine;
pub mod memory;
pub mod number;
mod output;
mod running;
mod stack;
pub mod text;
pub mod throw;
pub mod value;

pub use app::App;
pub use builtin::{Array, Builtin, Cx, FromValue, IntoValue, Module, Registry};
pub use freeze::Frozen;
pub use heap::function::{ForeignFunction, Function, FunctionKind};
pub use heap::handle::Handle;
pub use heap::list::List;
pub use heap::live_objects;
pub use heap::map::Map;
pub use heap::shape::{Shape, forget_shapes};
pub use heap::string::{MAX_STRING, Str};
pub use heap::structs::{FieldDef, FieldType, Struct, StructDef};
pub use interrupt::{Attention, Interrupter};
pub use isolate::{Host, Isolate, SyntaxIssue};
pub use link::Image;
pub use machine::DEFAULT_CALL_DEPTH;
pub use number::Number;
pub use output::Output;
pub use throw::{Thrown, ThrownKind, TraceEntry};
pub use value::{Tag, Value, View, ViewMut};
