//! Appends instructions of one function: constants, labels, handlers, and the limits of the format.

use bytecode::{Constant, Handler, HandlerKind, Instr, Op, Operand, Site};
use source::Span;
use std::collections::HashMap;

/// A register. Numbers above the format's limit are caught when the function is finished.
pub(crate) type Reg = u32;

/// A place in the code that jumps can name before it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label(usize);

/// Why a function could not be finished.
#[derive(Debug)]
pub(crate) enum Overflow {
    /// A jump does not fit in 16 bits: the function must be lowered again with far jumps.
    FarJump,
    /// Something does not fit at all; says what.
    Limit(String),
}

/// The code of a function under construction.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) code: Vec<Instr>,
    pub(crate) spans: Vec<Span>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) sites: Vec<Site>,
    handlers: Vec<(Handler, Label)>,
    known_constants: HashMap<ConstantKey, u32>,
    labels: Vec<Option<u32>>,
    jumps: Vec<(usize, Label)>,
    /// Conditional jumps in 16 bits go around a jump in 32 bits.
    far: bool,
    /// Where the instructions come from.
    pub(crate) span: Span,
    next: Reg,
    registers: Reg,
}

/// Constants that are stored once.
#[derive(PartialEq, Eq, Hash, Debug)]
enum ConstantKey {
    Int(i64),
    Float(u64),
    Str(Vec<u8>),
    Field(Vec<u8>),
    Function(u32),
    Builtin(u16),
}

/// Registers and constants per function that the format can hold.
const MAX_INDEX: u32 = u16::MAX as u32 - 256;

impl Builder {
    pub(crate) fn new(far: bool) -> Self {
        Self { far, ..Self::default() }
    }

    /// Appends an instruction with register operands.
    pub(crate) fn emit(&mut self, op: Op, x: u8, [a, b, c]: [Reg; 3]) {
        // Operands beyond the format are reported by `finish`, from the register count.
        self.push(Instr::new(op, x, a as u16, b as u16, c as u16));
    }

    pub(crate) fn emit_wide(&mut self, op: Op, x: u8, a: Reg, bc: u32) {
        self.push(Instr::wide(op, x, a as u16, bc));
    }

    fn push(&mut self, instr: Instr) {
        self.code.push(instr);
        self.spans.push(self.span);
    }

    pub(crate) fn position(&self) -> u32 {
        self.code.len() as u32
    }

    /// The index of a constant; equal scalars share one.
    pub(crate) fn constant(&mut self, value: Constant) -> u32 {
        let key = match &value {
            Constant::Int(value) => Some(ConstantKey::Int(*value)),
            Constant::Float(value) => Some(ConstantKey::Float(value.to_bits())),
            Constant::Str(bytes) => Some(ConstantKey::Str(bytes.to_vec())),
            Constant::Field(bytes) => Some(ConstantKey::Field(bytes.to_vec())),
            Constant::Function(id) => Some(ConstantKey::Function(*id)),
            Constant::Builtin(id) => Some(ConstantKey::Builtin(id.0)),
            Constant::Null | Constant::Bool(_) | Constant::List(_) | Constant::Map(_) => None,
        };
        let next = self.constants.len() as u32;
        if let Some(key) = key {
            let known = *self.known_constants.entry(key).or_insert(next);
            if known != next {
                return known;
            }
        }
        self.constants.push(value);
        next
    }

    /// The index of a constant as a 16-bit operand, if it fits.
    pub(crate) fn short_constant(&mut self, value: Constant) -> Option<u32> {
        let index = self.constant(value);
        (index <= MAX_INDEX).then_some(index)
    }

    /// The index of a site.
    pub(crate) fn site(&mut self, site: Site) -> Reg {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    pub(crate) fn bind(&mut self, label: Label) {
        let at = self.position();
        if let Some(place) = self.labels.get_mut(label.0) {
            *place = Some(at);
        }
    }

    /// An unconditional jump.
    pub(crate) fn jump(&mut self, label: Label) {
        self.jumps.push((self.code.len(), label));
        self.emit_wide(Op::Jump, 0, 0, 0);
    }

    /// A jump with a distance of 32 bits that depends on one register.
    pub(crate) fn jump_on(&mut self, op: Op, x: u8, a: Reg, label: Label) {
        self.jumps.push((self.code.len(), label));
        self.emit_wide(op, x, a, 0);
    }

    /// A jump with a distance of 16 bits.
    pub(crate) fn jump_short(&mut self, op: Op, x: u8, a: Reg, b: Reg, label: Label) {
        if self.far {
            let (take, skip) = (self.label(), self.label());
            self.jumps.push((self.code.len(), take));
            self.emit(op, x, [a, b, 0]);
            self.jump(skip);
            self.bind(take);
            self.jump(label);
            self.bind(skip);
        } else {
            self.jumps.push((self.code.len(), label));
            self.emit(op, x, [a, b, 0]);
        }
    }

    /// Guards the instructions from `start` to here. Inner handlers must be added before outer ones.
    pub(crate) fn guard(&mut self, start: u32, target: Label, register: Reg, live: Reg, kind: HandlerKind) {
        let (end, register, live) = (self.position(), register as u16, live as u16);
        if start < end {
            self.handlers.push((Handler { start, end, target: 0, register, live, kind }, target));
        }
    }

    /// Takes `count` registers above all that are in use.
    pub(crate) fn alloc(&mut self, count: Reg) -> Reg {
        let first = self.next;
        self.next += count;
        self.registers = self.registers.max(self.next);
        first
    }

    /// The first register that is not in use.
    pub(crate) fn top(&self) -> Reg {
        self.next
    }

    /// Gives back all registers from `top` on.
    pub(crate) fn release_to(&mut self, top: Reg) {
        self.next = top;
    }

    pub(crate) fn register_count(&self) -> Reg {
        self.registers
    }

    /// Resolves labels.
    ///
    /// # Errors
    /// Jumps or indexes that do not fit.
    pub(crate) fn finish(&mut self) -> Result<Vec<Handler>, Overflow> {
        for (what, count) in [("variables and temporaries", self.registers), ("element sites", self.sites.len() as u32)]
        {
            if count > MAX_INDEX {
                let message = format!("the function is too large: it needs {count} {what}, the limit is {MAX_INDEX}");
                return Err(Overflow::Limit(message));
            }
        }
        for (at, label) in &self.jumps {
            let target = self.labels.get(label.0).copied().flatten().unwrap_or(0);
            let distance = i64::from(target) - (*at as i64 + 1);
            let Some(instr) = self.code.get_mut(*at) else { continue };
            if instr.op.operands().contains(&Operand::Jump16) {
                let Ok(distance) = i16::try_from(distance) else { return Err(Overflow::FarJump) };
                instr.c = distance as u16;
            } else {
                *instr = Instr::wide(instr.op, instr.x, instr.a, distance as i32 as u32);
            }
        }
        let place = |label: Label| self.labels.get(label.0).copied().flatten().unwrap_or(0);
        Ok(self.handlers.iter().map(|(handler, label)| Handler { target: place(*label), ..*handler }).collect())
    }
}
