//! Resolved tree → bytecode, one function at a time.
//!
//! Registers are a stack: parameters first, then captured values, then the variables of open blocks, then temporaries. A
//! temporary is read once; the instruction that reads it is told so (`DIES_…`) or takes it, so that no register keeps a
//! value alive that the script has given up.

mod access;
mod assign;
mod call;
mod condition;
mod control;
mod expression;
mod invariant;
mod program;
mod statement;
mod structure;
mod text;

pub(crate) use program::lower_program;

use crate::builder::{Builder, Label, Overflow, Reg};
use crate::declare::Declarations;
use crate::load::Loaded;
use crate::resolve::{Access, FunctionNames, Resolved, VarId};
use bytecode::{Constant, Function, HandlerKind, Op, Signatures};
use source::{Diagnostic, SourceId, Span};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What all functions of a program share while they are lowered.
pub(crate) struct Lowering<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) declarations: &'a Declarations,
    pub(crate) signatures: &'a Signatures,
    pub(crate) resolved: &'a [Resolved],
    /// First place of each file's functions.
    pub(crate) bases: Vec<u32>,
    /// Finished functions: those of the files in source order, then what lowering adds.
    pub(crate) functions: Vec<Option<Function>>,
    /// The file of each function.
    pub(crate) function_files: Vec<usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Functions that make structs with defaults that are not constants, by struct.
    pub(crate) makers: Vec<Option<u32>>,
}

/// Which code is being lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Top level of a file: its variables are the file's globals.
    Top,
    /// The prelude that computes constants, or the maker of a struct: no variables of its own.
    Bare,
    /// A function.
    Function,
}

/// A register with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operand {
    pub(crate) reg: Reg,
    /// A temporary: read once.
    pub(crate) temp: bool,
}

/// What `break`, `continue` and `return` pass on their way out.
#[derive(Debug)]
pub(crate) enum Exit {
    /// A loop.
    Loop { on_break: Label, on_continue: Label },
    /// A switch: only `break` ends it.
    Switch { on_break: Label },
    /// A `finally` that runs first.
    Finally {
        /// Exit registers.
        state: Reg,
        /// Where it begins.
        entry: Label,
        /// Jumps that wait for it, numbered from `exit::JUMP`.
        jumps: Vec<Way>,
        /// True when a `return` waits for it.
        returns: bool,
    },
    /// The block of a `finally`, with its exit registers: leaving it does not stop an `exit` that is under way.
    FinallyBlock { state: Reg },
}

/// A jump out of a construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// To the end of a loop or switch.
    Break,
    /// To the next round of a loop.
    Continue,
}

/// Code that stands after the function's body: what a failed part of a string prints.
pub(crate) struct Stub {
    pub(crate) entry: Label,
    pub(crate) back: Label,
    pub(crate) reg: Reg,
    pub(crate) literal: Rc<[u8]>,
    pub(crate) span: Span,
}

/// A function under construction.
pub(crate) struct Lowerer<'p, 'a> {
    pub(crate) program: &'p mut Lowering<'a>,
    pub(crate) file: usize,
    pub(crate) kind: Kind,
    names: Option<&'a FunctionNames>,
    pub(crate) b: Builder,
    /// Registers of variables.
    registers: Vec<Option<Reg>>,
    pub(crate) exits: Vec<Exit>,
    /// Registers of calls whose results open loops keep, by the position of the call.
    kept: HashMap<u32, Reg>,
    pub(crate) stubs: Vec<Stub>,
    /// `iota` in constants.
    pub(crate) iota: Option<i64>,
    register_names: Vec<(u16, Arc<str>)>,
}

impl<'p, 'a> Lowerer<'p, 'a> {
    pub(crate) fn new(
        program: &'p mut Lowering<'a>,
        file: usize,
        kind: Kind,
        names: Option<&'a FunctionNames>,
        far: bool,
    ) -> Self {
        let variables = names.map_or(0, |names| names.variables.len());
        Self {
            program,
            file,
            kind,
            names,
            b: Builder::new(far),
            registers: vec![None; variables],
            exits: Vec::new(),
            kept: HashMap::new(),
            stubs: Vec::new(),
            iota: None,
            register_names: Vec::new(),
        }
    }

    pub(crate) fn source(&self) -> SourceId {
        self.program.loaded.files.get(self.file).map_or(SourceId(0), |file| file.source)
    }

    pub(crate) fn resolved(&self) -> Option<&'a Resolved> {
        self.program.resolved.get(self.file)
    }

    /// What the occurrence of a name at `span` refers to.
    pub(crate) fn access(&self, span: Span) -> Access {
        self.resolved().and_then(|resolved| resolved.accesses.get(&span.start)).copied().unwrap_or_default()
    }

    pub(crate) fn warn(&mut self, code: &'static str, span: Span, message: String, hint: Option<String>) {
        let mut diagnostic = Diagnostic::warning(code, self.source(), span, message);
        diagnostic.hint = hint;
        self.program.diagnostics.push(diagnostic);
    }

    pub(crate) fn error(&mut self, span: Span, message: String, hint: Option<String>) {
        let mut diagnostic = Diagnostic::parse_error(self.source(), span, message);
        diagnostic.hint = hint;
        self.program.diagnostics.push(diagnostic);
    }

    /// The register of a variable.
    pub(crate) fn register(&mut self, id: VarId) -> Reg {
        if let Some(Some(reg)) = self.registers.get(id.index()) {
            return *reg;
        }
        // Every variable is placed when its block opens; a name of a function that failed to resolve gets a register too.
        self.place_variable(id)
    }

    pub(crate) fn place_variable(&mut self, id: VarId) -> Reg {
        let reg = self.b.alloc(1);
        self.place_variable_at(id, reg);
        reg
    }

    pub(crate) fn place_variable_at(&mut self, id: VarId, reg: Reg) {
        if let Some(place) = self.registers.get_mut(id.index()) {
            *place = Some(reg);
        }
        if let Some(variable) = self.names.and_then(|names| names.variables.get(id.index())) {
            self.register_names.push((reg as u16, Arc::from(&*variable.name)));
        }
    }

    /// Gives registers to the variables of a block. Returns where the block's registers begin.
    pub(crate) fn open_block(&mut self, key: u32) -> Reg {
        let base = self.place_block(key);
        self.mark_unassigned(key);
        base
    }

    /// As [`Self::open_block`], but without code.
    pub(crate) fn place_block(&mut self, key: u32) -> Reg {
        let base = self.b.top();
        for id in self.declared(key) {
            if self.registers.get(id.index()).is_none_or(Option::is_none) {
                self.place_variable(*id);
            }
        }
        base
    }

    /// Marks the variables of a block that may be read before they are assigned.
    pub(crate) fn mark_unassigned(&mut self, key: u32) {
        for id in self.declared(key) {
            if self.names.and_then(|names| names.variables.get(id.index())).is_some_and(|variable| variable.needs_mark)
            {
                let reg = self.register(*id);
                self.b.emit(Op::LoadUndef, 0, [reg, 0, 0]);
            }
        }
    }

    /// True when [`Self::mark_unassigned`] has something to do.
    pub(crate) fn has_marks(&self, key: u32) -> bool {
        let needs =
            |id: &VarId| self.names.and_then(|names| names.variables.get(id.index())).is_some_and(|v| v.needs_mark);
        self.declared(key).iter().any(needs)
    }

    fn declared(&self, key: u32) -> &'a [VarId] {
        self.resolved().and_then(|resolved| resolved.blocks.get(&key)).map_or(&[], Vec::as_slice)
    }

    /// Ends a block: what its variables hold is dropped.
    pub(crate) fn close_block(&mut self, key: u32, base: Reg) {
        let heap = self.declared(key).iter().filter(|id| {
            self.names.and_then(|names| names.variables.get(id.index())).is_some_and(|variable| variable.may_hold_heap)
        });
        let registers: Vec<Reg> = heap.filter_map(|id| self.registers.get(id.index()).copied().flatten()).collect();
        let inside = registers.iter().copied().filter(|reg| *reg >= base);
        if let (Some(first), Some(last)) = (inside.clone().min(), inside.max()) {
            self.b.emit(Op::Drop, 0, [first, last - first + 1, 0]);
        }
        self.b.release_to(base);
    }

    /// How many registers a return from here drops. What the top level and the prelude hold are globals, which stay.
    pub(crate) fn ending(&self) -> Reg {
        if self.kind == Kind::Function { self.b.top() } else { 0 }
    }

    pub(crate) fn temp(&mut self) -> Operand {
        Operand { reg: self.b.alloc(1), temp: true }
    }

    pub(crate) fn load(&mut self, dst: Reg, value: Constant) {
        match value {
            Constant::Null => self.b.emit(Op::LoadNull, 0, [dst, 0, 0]),
            Constant::Bool(value) => self.b.emit(Op::LoadBool, 0, [dst, u32::from(value), 0]),
            Constant::Int(value) if i32::try_from(value).is_ok() => {
                self.b.emit_wide(Op::LoadInt, 0, dst, value as i32 as u32);
            }
            value => {
                let index = self.b.constant(value);
                self.b.emit_wide(Op::LoadConst, 0, dst, index);
            }
        }
    }

    pub(crate) fn throw_message(&mut self, message: &str) {
        let index = self.b.constant(Constant::Str(Arc::from(message.as_bytes())));
        self.b.emit_wide(Op::ThrowError, 0, 0, index);
    }

    /// Ends the function: what stands out of line, then the tables.
    pub(crate) fn finish(&mut self, name: &str, span: Span) -> Result<Function, Overflow> {
        let top = self.ending();
        self.b.span = Span::at(span.end.saturating_sub(1));
        self.b.emit(Op::ReturnNull, 0, [0, top, 0]);
        for stub in std::mem::take(&mut self.stubs) {
            self.b.span = stub.span;
            self.b.bind(stub.entry);
            self.load(stub.reg, Constant::Str(Arc::from(&*stub.literal)));
            self.b.jump(stub.back);
        }
        let handlers = self.b.finish()?;
        let source = self.source();
        Ok(Function {
            name: Arc::from(name),
            source,
            span,
            params: 0,
            param_names: Vec::new(),
            required: 0,
            has_rest: false,
            entries: vec![0],
            captures: Vec::new(),
            own: None,
            registers: self.b.register_count().max(1) as u16,
            code: std::mem::take(&mut self.b.code),
            spans: std::mem::take(&mut self.b.spans),
            constants: std::mem::take(&mut self.b.constants),
            sites: std::mem::take(&mut self.b.sites),
            handlers,
            names: std::mem::take(&mut self.register_names),
        })
    }

    /// Guards code from `start` to here with a stub that prints `literal` into `reg`.
    pub(crate) fn guard_with_literal(&mut self, start: u32, reg: Reg, literal: &Rc<[u8]>, span: Span) {
        let (entry, back) = (self.b.label(), self.b.label());
        self.b.guard(start, entry, reg, reg, HandlerKind::Catch);
        self.b.bind(back);
        self.stubs.push(Stub { entry, back, reg, literal: literal.clone(), span });
    }
}
