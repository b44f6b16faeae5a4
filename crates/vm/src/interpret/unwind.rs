//! Throwing: the search for a handler, and leaving the frames it skips.

use super::{State, call, set_plain};
use crate::isolate::Isolate;
use crate::link::Code;
use crate::machine::{Frame, FrameKind, Machine};
use crate::throw::{MAX_TRACE, Thrown, ThrownKind};
use crate::value::Value;
use bytecode::{Handler, HandlerKind, Instr, exit};

/// The innermost handler of running code that takes what is on its way.
fn handler_at(machine: &Machine, code: *const Code, pc: *const Instr, is_error: bool) -> Option<Handler> {
    // SAFETY: codes belong to the image and `pc` points into the code's instructions.
    let (id, at) = unsafe { ((*code).id, pc.offset_from((*code).instructions) as u32 - 1) };
    let handlers = &machine.image.program.functions[id as usize].handlers;
    let guards = |handler: &&Handler| {
        (handler.start..handler.end).contains(&at) && (is_error || handler.kind == HandlerKind::Finally)
    };
    handlers.iter().find(guards).copied()
}

/// The `catch` that takes a value thrown right here, if the innermost handler of this function is one: where to go on, the
/// register for the value, and the first register that holds nothing there.
#[inline(always)]
pub(super) fn local_handler(machine: &Machine, state: State) -> Option<(*const Instr, u16, u16)> {
    let handler =
        handler_at(machine, state.code, state.pc, true).filter(|handler| handler.kind == HandlerKind::Catch)?;
    // SAFETY: handler targets lie inside the code.
    let target = unsafe { (*state.code).instructions.add(handler.target as usize) };
    Some((target, handler.register, handler.live))
}

/// Drops the registers from `live` on.
///
/// # Safety
/// `base` points to `registers` registers.
pub(super) unsafe fn drop_registers(base: *mut Value, live: u16, registers: u32) {
    for at in u32::from(live)..registers {
        // SAFETY: by the contract.
        unsafe { set_plain(base.add(at as usize), Value::NULL) };
    }
}

/// Finds who takes over and leaves the frames above. Without a handler the frames down to `entry` are left, and what was
/// thrown goes on with their trace.
///
/// # Errors
/// What was thrown, when nobody here takes it.
#[inline(never)]
pub(super) fn unwind(isolate: &mut Isolate, state: State, entry: usize, mut thrown: Thrown) -> Result<State, Thrown> {
    let is_error = matches!(thrown.kind(), ThrownKind::Value { .. });
    let machine = &isolate.machine;
    let above = isolate.running.frames.get(entry..).unwrap_or_default();
    let calls = above.iter().rev().map(Frame::position);
    let mut positions = std::iter::once(state.position()).chain(calls);
    let found = positions.clone().position(|at| handler_at(machine, at.code, at.pc, is_error).is_some());
    if found.is_none() {
        let entries: Vec<_> = positions.by_ref().take(MAX_TRACE).map(|at| machine.trace_entry(at)).collect();
        thrown.extend_trace(entries);
    }
    let leave = found.unwrap_or(above.len());
    let mut state = state;
    for _ in 0..leave {
        leave_registers(state);
        let Some(frame) = isolate.running.frames.pop() else { break };
        state = State { code: frame.code, pc: frame.pc, base: frame.base };
        if frame.kind == FrameKind::NextSegment {
            call::leave_segment(isolate);
        }
    }
    let handler = handler_at(&isolate.machine, state.code, state.pc, is_error);
    let Some(handler) = handler.filter(|_| found.is_some()) else {
        leave_registers(state);
        return Err(thrown);
    };
    // SAFETY: handlers name registers and instructions of their function.
    unsafe {
        drop_registers(state.base, handler.live, (*state.code).registers);
        let place = state.base.add(handler.register as usize);
        match (handler.kind, thrown.into_kind()) {
            (HandlerKind::Catch, ThrownKind::Value { value, .. }) => *place = value,
            (_, kind) => {
                let (number, value) = match kind {
                    ThrownKind::Value { value, .. } => (exit::THROWN, value),
                    ThrownKind::Exit(code) => (exit::EXIT, Value::int(i64::from(code))),
                    ThrownKind::Stop => (exit::STOP, Value::NULL),
                };
                *place = Value::int(i64::from(number));
                *place.add(1) = value;
            }
        }
        let pc = (*state.code).instructions.add(handler.target as usize);
        Ok(State { pc, ..state })
    }
}

/// Drops what a function that is being left holds; globals stay.
fn leave_registers(state: State) {
    // SAFETY: the registers of running code are valid.
    unsafe {
        if !(*state.code).is_top {
            drop_registers(state.base, 0, (*state.code).registers);
        }
    }
}
