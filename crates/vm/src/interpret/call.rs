//! Calls beyond the fast path: defaults, rest parameters, captured values, function values, segments.

use super::{State, run};
use crate::builtin::Cx;
use crate::heap::function::{Function, FunctionKind};
use crate::heap::list::List;
use crate::isolate::Isolate;
use crate::link::{Code, Image};
use crate::machine::{Frame, FrameKind, Machine, NO_RESULT};
use crate::running::Globals;
use crate::text::to_text;
use crate::throw::Thrown;
use crate::value::{Value, View, ViewMut};
use bytecode::arity_message;
use std::sync::Arc;

/// What a call of a value led to.
pub(super) enum Called {
    /// A function of the program, which runs next.
    Entered(State),
    /// A builtin or foreign function, which has run.
    Result(Value),
}

/// Starts a function with these arguments, which are moved to its registers.
///
/// # Errors
/// A wrong number of arguments, calls nested too deep.
#[inline(never)]
pub(super) fn enter(
    isolate: &mut Isolate,
    function: u32,
    args: &mut [Value],
    mut frame: Frame,
    closure: Option<&Function>,
) -> Result<State, Thrown> {
    let machine = &isolate.machine;
    let code: *const Code = &raw const machine.image.codes[function as usize];
    let meta = &machine.image.program.functions[function as usize];
    let (declared, given) = (meta.params as usize, args.len());
    let (required, max) = (meta.required as usize, if meta.has_rest { usize::MAX } else { declared });
    if given < required || given > max {
        return Err(Thrown::error(arity_message(&meta.name, required, max, declared, given)));
    }
    if isolate.running.frames.len() >= machine.max_depth {
        return Err(Thrown::error(format!(
            "Stack overflow: max call depth ({}) exceeded in '{}'",
            machine.max_depth, meta.name
        )));
    }
    let optional = declared - required - usize::from(meta.has_rest);
    let entry = meta.entries.get((given - required).min(optional)).copied().unwrap_or(0);
    let rest: Option<List> = meta.has_rest.then(|| {
        let extra = args.get_mut(declared - 1..).unwrap_or_default();
        extra.iter_mut().map(Value::take).collect()
    });
    let first = args.as_mut_ptr();
    let registers = meta.registers as usize;
    let base = match place(isolate, first, registers) {
        Some(base) => base,
        None => {
            isolate.running.stack.enter_next(registers);
            frame.kind = match frame.kind {
                FrameKind::Plain | FrameKind::NextSegment => FrameKind::NextSegment,
                FrameKind::Native | FrameKind::NativeNextSegment => FrameKind::NativeNextSegment,
            };
            isolate.running.stack.start()
        }
    };
    let machine = &isolate.machine;
    let meta = &machine.image.program.functions[function as usize];
    // SAFETY: `base` has room for all registers of the function, and each of them holds a value.
    unsafe {
        if base != first {
            for (at, arg) in args.iter_mut().enumerate().take(declared) {
                *base.add(at) = arg.take();
            }
        }
        if let Some(rest) = rest {
            *base.add(declared - 1) = Value::from(rest);
        }
        if let Some(closure) = closure
            && let FunctionKind::Script { captures, .. } = closure.kind()
        {
            for (register, value) in meta.captures.iter().zip(captures) {
                *base.add(*register as usize) = value.clone();
            }
            if let Some(own) = meta.own {
                *base.add(own as usize) = Value::from(closure.clone());
            }
        }
        let pc = meta.code.as_ptr().add(entry as usize);
        isolate.running.frames.push(frame);
        Ok(State { code, pc, base })
    }
}

/// Where a function's registers can stand in the current segment; none when there is no room. Arguments that already lie
/// there stay where they are.
fn place(isolate: &Isolate, first: *mut Value, registers: usize) -> Option<*mut Value> {
    let stack = &isolate.running.stack;
    let (start, end) = (stack.start(), stack.end);
    let base = if (start..end).contains(&first) { first } else { isolate.free_registers() };
    let room = (end.addr() - base.addr()) / size_of::<Value>();
    (room >= registers).then_some(base)
}

/// Goes back to the segment before, when a call that had gone on in the next one ends.
pub(super) fn leave_segment(isolate: &mut Isolate) {
    isolate.running.stack.leave();
}

/// Calls a value.
#[inline(never)]
pub(super) fn call_value(
    isolate: &mut Isolate,
    callee: Value,
    args: &mut [Value],
    frame: Frame,
    name: &Value,
) -> Result<Called, Thrown> {
    let View::Function(function) = callee.view() else {
        let name = to_text(name);
        return Err(Thrown::error(format!("'{}' is not callable (function expected)", name.to_str_lossy())));
    };
    match function.kind() {
        FunctionKind::Script { function: id, .. } => {
            enter(isolate, *id, args, frame, Some(function)).map(Called::Entered)
        }
        FunctionKind::Builtin(builtin) => {
            let result = builtin.invoke(&mut Cx::new(isolate), args);
            args.iter_mut().for_each(|arg| drop(arg.take()));
            result.map(Called::Result)
        }
        FunctionKind::Foreign(_) => {
            let args = args.iter_mut().map(Value::take).collect();
            Cx::new(isolate).call(function, args).map(Called::Result)
        }
    }
}

/// Calls a value with the elements of a list.
#[inline(never)]
pub(super) fn call_list(
    isolate: &mut Isolate,
    callee: &mut Value,
    list: &mut Value,
    frame: Frame,
) -> Result<Called, Thrown> {
    let callee = callee.take();
    let mut args = match list.take().view_mut() {
        ViewMut::List(list) => list.clone().into_vec(),
        _ => Vec::new(),
    };
    call_value(isolate, callee, &mut args, frame, &Value::NULL)
}

/// Makes a closure from the values in neighbouring registers.
///
/// # Safety
/// As many registers from `first` on hold values as the function captures.
pub(super) unsafe fn closure(image: &Image, function: u16, first: *mut Value) -> Value {
    let count = image.program.functions[function as usize].captures.len();
    // SAFETY: by the contract.
    let captures = (0..count).map(|at| unsafe { (*first.add(at)).take() }).collect();
    Value::from(Function::new(FunctionKind::Script { function: u32::from(function), captures }))
}

/// Starts the top level of a file, unless it has been started before.
pub(super) fn enter_file(isolate: &mut Isolate, file: usize, frame: Frame) -> Result<Option<State>, Thrown> {
    let machine = &mut isolate.machine;
    if std::mem::replace(&mut machine.started[file], true) {
        return Ok(None);
    }
    if isolate.running.frames.len() >= machine.max_depth {
        return Err(Thrown::error("Stack overflow: files that use each other are nested too deep"));
    }
    isolate.running.frames.push(frame);
    Ok(Some(top_state(isolate, file)))
}

fn top_state(isolate: &mut Isolate, file: usize) -> State {
    let file = isolate.machine.image.program.files[file].clone();
    file_state(isolate, &file)
}

fn file_state(isolate: &mut Isolate, file: &bytecode::File) -> State {
    let code: *const Code = &raw const isolate.machine.image.codes[file.top as usize];
    // SAFETY: the verifier has checked that the registers of the top level lie inside the globals.
    unsafe {
        let base = isolate.running.globals.base_mut().add(file.globals as usize);
        State { code, pc: (*code).instructions, base }
    }
}

impl Isolate {
    /// Registers that nobody uses, in the current segment.
    fn free_registers(&self) -> *mut Value {
        let start = self.running.stack.start();
        match self.running.position {
            // SAFETY: the registers of running code lie inside the segment.
            Some(position) => unsafe {
                if (*position.code).is_top { start } else { position.base.add((*position.code).registers as usize) }
            },
            None => start,
        }
    }

    /// Runs the program: the constants, then the top level of the main file.
    ///
    /// # Errors
    /// What the program throws and does not catch.
    pub fn run_main(&mut self) -> Result<(), Thrown> {
        self.running.stack.prepare();
        let prelude = self.machine.image.program.prelude.clone();
        if let Some(file) = prelude {
            let state = file_state(self, &file);
            // SAFETY: the state stands at the start of a function of the image.
            unsafe { run(self, state, 0) }?;
        }
        self.machine.started[0] = true;
        let state = top_state(self, 0);
        // SAFETY: as above.
        let result = unsafe { run(self, state, 0) };
        self.running.position = None;
        result.map(drop)
    }

    /// Goes on with a longer version of the same main file: `image` has the same functions and globals at the same places
    /// and more behind them. Runs its top level from instruction `start`, where the new text begins; `named` globals of
    /// the old version keep their values.
    ///
    /// # Errors
    /// What the new text throws and does not catch.
    pub fn run_more(&mut self, image: Arc<Image>, start: u32, named: usize) -> Result<(), Thrown> {
        let mut globals = Globals::own(image.program.globals as usize);
        for (at, old) in self.running.globals.take().into_iter().enumerate().take(named) {
            // SAFETY: a longer version of a file has at least the globals of the shorter one.
            unsafe { *globals.base_mut().add(at) = old };
        }
        self.running.globals = globals;
        let mut machine = Machine::new(image);
        machine.max_depth = self.machine.max_depth;
        machine.interrupt = self.machine.interrupt.clone();
        let old = std::mem::replace(&mut self.machine, machine);
        self.running.stack.prepare();
        self.machine.started[0] = true;
        let state = top_state(self, 0);
        // SAFETY: `start` is an instruction of the top level, which the verifier has checked; its registers are globals.
        let result = unsafe { run(self, State { pc: state.pc.add(start as usize), ..state }, 0) };
        self.running.position = None;
        // The old image's constants may still be held by variables; it goes when they are replaced.
        self.retired.push(old.image);
        result.map(drop)
    }

    /// The value of a global of the main file.
    pub fn global(&self, slot: usize) -> Option<&Value> {
        self.running.globals.get(slot)
    }

    /// Calls a function of the program from a builtin or from outside.
    ///
    /// # Errors
    /// What the function throws.
    pub(crate) fn run_function(&mut self, function: &Function, mut args: Vec<Value>) -> Result<Value, Thrown> {
        let FunctionKind::Script { function: id, .. } = function.kind() else { return Ok(Value::NULL) };
        let outer = self.running.position;
        let entry = self.running.frames.len() + 1;
        let frame = match outer {
            Some(position) => Frame {
                code: position.code,
                pc: position.pc,
                base: position.base,
                dst: NO_RESULT,
                kind: FrameKind::Native,
            },
            None => Frame {
                code: std::ptr::null(),
                pc: std::ptr::null(),
                base: std::ptr::null_mut(),
                dst: NO_RESULT,
                kind: FrameKind::Native,
            },
        };
        self.running.stack.prepare();
        let state = enter(self, *id, &mut args, frame, Some(function))?;
        self.running.position = Some(state.position());
        // SAFETY: the state stands at an entry of the function with its registers ready.
        let result = unsafe { run(self, state, entry) };
        if let Some(frame) = self.running.frames.pop()
            && frame.kind == FrameKind::NativeNextSegment
        {
            leave_segment(self);
        }
        self.running.position = outer;
        result
    }
}
