//! Compiled functions and the program they belong to.

use crate::{BuiltinId, Instr};
use source::{SourceId, Span};
use std::sync::Arc;

/// A constant of a function.
#[derive(Clone, PartialEq, Debug)]
pub enum Constant {
    /// `null`
    Null,
    /// A bool.
    Bool(bool),
    /// An int.
    Int(i64),
    /// A float.
    Float(f64),
    /// Bytes.
    Str(Arc<[u8]>),
    /// A key of a path that was written `.name`.
    Field(Arc<[u8]>),
    /// A list of constants.
    List(Vec<Constant>),
    /// A map of constants; keys differ from each other.
    Map(Vec<(Arc<[u8]>, Constant)>),
    /// A function of the program that captures nothing.
    Function(u32),
    /// A builtin as a value.
    Builtin(BuiltinId),
}

/// What an instruction knows beyond its operands. The engine keeps what it has seen at a site beside it.
#[derive(Clone, PartialEq, Debug)]
pub enum Site {
    /// A key known at compile time. `dotted` for `.name`, which lists do not have.
    Key {
        /// The key.
        key: Arc<[u8]>,
        /// Written as `.name`.
        dotted: bool,
    },
    /// The keys of a map literal, all different.
    Keys(Vec<Arc<[u8]>>),
}

/// Who takes over when something is thrown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandlerKind {
    /// `catch`: the thrown value goes to `R[register]`. Ends that are not errors pass by.
    Catch,
    /// `finally`: how it was left goes to `R[register]` (one of [`exit`]), the value to `R[register + 1]`.
    Finally,
}

/// Numbers that a `finally` keeps while it runs: how its block was left.
pub mod exit {
    /// Normally.
    pub const NORMAL: i32 = 0;
    /// A value was thrown.
    pub const THROWN: i32 = -1;
    /// `exit(code)` is under way; the value is the code.
    pub const EXIT: i32 = -2;
    /// The request is being stopped.
    pub const STOP: i32 = -3;
    /// `return`; the value is the result.
    pub const RETURN: i32 = 1;
    /// From here on: jumps (`break`, `continue`) to places numbered by the compiler.
    pub const JUMP: i32 = 2;
}

/// A range of instructions that is guarded, innermost ranges first in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// First guarded instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// Where to go on.
    pub target: u32,
    /// Where the value goes.
    pub register: u16,
    /// Registers from here on hold nothing at the target and are dropped.
    pub live: u16,
    /// Catch or finally.
    pub kind: HandlerKind,
}

/// A compiled function, closure or top level of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The name; `__anonymous__` for closures, empty for the top level of a file.
    pub name: Arc<str>,
    /// The file.
    pub source: SourceId,
    /// The declaration.
    pub span: Span,
    /// Declared parameters, a rest parameter included. They stand in the first registers.
    pub params: u16,
    /// Their names, without `$`.
    pub param_names: Vec<Arc<str>>,
    /// Parameters without a default (and without the rest parameter).
    pub required: u16,
    /// True when the last parameter takes all further arguments as a list.
    pub has_rest: bool,
    /// Where to start with `required`, `required + 1`, … arguments given; the first entry with the fewest.
    pub entries: Vec<u32>,
    /// Registers of the captured values, in the order of the closure's captures.
    pub captures: Vec<u16>,
    /// Register that holds the function itself, for named inner functions that use their own name.
    pub own: Option<u16>,
    /// Number of registers.
    pub registers: u16,
    /// The instructions.
    pub code: Vec<Instr>,
    /// The source of each instruction.
    pub spans: Vec<Span>,
    /// Constants.
    pub constants: Vec<Constant>,
    /// Sites.
    pub sites: Vec<Site>,
    /// Handlers, inner before outer.
    pub handlers: Vec<Handler>,
    /// Names of variables by register, for people.
    pub names: Vec<(u16, Arc<str>)>,
}

/// A field of a struct declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct StructField {
    /// Its name.
    pub name: Arc<str>,
    /// The type's name as written.
    pub ty: Arc<str>,
    /// True when declared with `?`.
    pub nullable: bool,
    /// The default, where it is a constant.
    pub default: Option<Constant>,
}

/// A struct declaration.
#[derive(Clone, PartialEq, Debug)]
pub struct StructType {
    /// The name.
    pub name: Arc<str>,
    /// The fields in order.
    pub fields: Vec<StructField>,
    /// Function that makes an instance with all defaults, where some are not constants.
    pub maker: Option<u32>,
}

/// A file of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct File {
    /// Its source.
    pub source: SourceId,
    /// Function that is its top level.
    pub top: u32,
    /// First global of the file. The registers of its top level are the globals from here on.
    pub globals: u32,
}

/// A compiled program. The first file is the main one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// All functions; an index is an id.
    pub functions: Vec<Function>,
    /// All structs; an index is an id.
    pub structs: Vec<StructType>,
    /// All files, in load order.
    pub files: Vec<File>,
    /// Number of globals of all files, the registers of their top levels included.
    pub globals: u32,
    /// Computes constants that are not known at compile time, before anything else runs; they are its globals.
    pub prelude: Option<File>,
}
