//! Checks that every operand, jump and handler of a program is in range, so that the engine need not.

use crate::op::GLOBAL_ROOT;
use crate::{Function, Op, Operand, Program};

/// Checks a program.
///
/// # Errors
/// Says which instruction of which function is wrong and how. That is a fault of the compiler, never of the script.
pub fn verify(program: &Program, builtins: usize) -> Result<(), String> {
    for (id, function) in program.functions.iter().enumerate() {
        verify_function(program, function, builtins)
            .map_err(|what| format!("function {id} '{}': {what}", function.name))?;
    }
    for file in program.files.iter().chain(&program.prelude) {
        let Some(top) = program.functions.get(file.top as usize) else { return Err("file without a top level".into()) };
        if file.globals + u32::from(top.registers) > program.globals {
            return Err(format!("file {:?} has more globals than the program", file.source));
        }
    }
    Ok(())
}

fn verify_function(program: &Program, function: &Function, builtins: usize) -> Result<(), String> {
    let length = function.code.len();
    let target = |pc: i64| if (0..length as i64).contains(&pc) { Ok(()) } else { Err(format!("jump to {pc}")) };
    let register = |index: usize| {
        let inside = index < function.registers as usize;
        if inside { Ok(()) } else { Err(format!("register {index} of {}", function.registers)) }
    };
    let constant = |index: u32| {
        let inside = (index as usize) < function.constants.len();
        if inside { Ok(()) } else { Err(format!("constant {index} of {}", function.constants.len())) }
    };
    if function.spans.len() != length {
        return Err(format!("{length} instructions and {} positions", function.spans.len()));
    }
    match function.code.last().map(|instr| instr.op) {
        Some(Op::Return | Op::ReturnNull | Op::Jump | Op::Throw | Op::ThrowError) => {}
        last => return Err(format!("ends with {last:?}")),
    }
    for (pc, instr) in function.code.iter().enumerate() {
        let check = || -> Result<(), String> {
            for (kind, value) in instr.op.operands().into_iter().zip([instr.a, instr.b, instr.c]) {
                match kind {
                    Operand::None | Operand::Int32 => {}
                    Operand::Write | Operand::Read | Operand::Update => register(value as usize)?,
                    Operand::First if window(program, function, *instr) == 0 => {}
                    Operand::First => register(value as usize + window(program, function, *instr) - 1)?,
                    Operand::Count if instr.op == Op::RunFile => {
                        program.files.get(value as usize).ok_or_else(|| format!("file {value}"))?;
                    }
                    Operand::Count => {}
                    Operand::Const => constant(u32::from(value))?,
                    Operand::Const32 => constant(instr.bc())?,
                    Operand::Global32 if instr.bc() < program.globals => {}
                    Operand::Global32 => return Err(format!("global {}", instr.bc())),
                    Operand::Jump16 => target(pc as i64 + 1 + i64::from(instr.jump16()))?,
                    Operand::Jump32 => target(pc as i64 + 1 + i64::from(instr.jump32()))?,
                    Operand::Site => {
                        function.sites.get(value as usize).ok_or_else(|| format!("site {value}"))?;
                    }
                    Operand::Function => {
                        program.functions.get(value as usize).ok_or_else(|| format!("function {value}"))?;
                    }
                    Operand::Builtin if (value as usize) < builtins => {}
                    Operand::Builtin => return Err(format!("builtin {value}")),
                    Operand::Struct => {
                        program.structs.get(value as usize).ok_or_else(|| format!("struct {value}"))?;
                    }
                    Operand::Root if instr.has(GLOBAL_ROOT) && u32::from(value) < program.globals => {}
                    Operand::Root if instr.has(GLOBAL_ROOT) => return Err(format!("global {value}")),
                    Operand::Root => register(value as usize)?,
                }
            }
            match instr.op {
                Op::IterStart | Op::IterNext | Op::EndFinally => register(instr.a as usize + 1),
                _ => Ok(()),
            }
        };
        check().map_err(|what| format!("instruction {pc} {}: {what}", instr.op.name()))?;
    }
    for handler in &function.handlers {
        target(i64::from(handler.target))?;
        register(handler.register as usize)?;
        if handler.start > handler.end || handler.end as usize > length {
            return Err(format!("handler {}..{}", handler.start, handler.end));
        }
    }
    for entry in &function.entries {
        target(i64::from(*entry))?;
    }
    let fixed = function.captures.iter().copied().chain(function.own);
    for index in fixed.chain(function.params.checked_sub(1)) {
        register(index as usize)?;
    }
    Ok(())
}

/// How many registers from its first one an instruction uses.
fn window(program: &Program, function: &Function, instr: crate::Instr) -> usize {
    let (x, c) = (instr.x as usize, instr.c as usize);
    match instr.op {
        Op::Call | Op::CallBuiltin => x,
        Op::CallValue => x + 1,
        Op::Drop => instr.b as usize,
        Op::SetPath | Op::AppendPath | Op::PushPath | Op::PopPath => c + 1,
        Op::NewMap => match function.sites.get(c) {
            Some(crate::Site::Keys(keys)) => keys.len(),
            _ => 0,
        },
        Op::Closure => program.functions.get(c).map_or(0, |inner| inner.captures.len()),
        _ => c,
    }
}
