//! Bytecode as text that a person can read.

use crate::op::{DIES_B, DIES_C, GLOBAL_ROOT, UNSTOPPABLE, WANTED, WHEN_TRUE, WITH_KEY};
use crate::{BuiltinId, Constant, Function, Instr, Op, Operand, Program, Signatures, Site};
use source::SourceMap;
use std::fmt::Write;

/// All functions of a program.
pub fn disassemble(program: &Program, sources: &SourceMap, signatures: &Signatures) -> String {
    let mut out = String::new();
    for (at, function) in program.functions.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        push_function(&mut out, at, function, program, sources, signatures);
    }
    out
}

fn push_function(
    out: &mut String,
    id: usize,
    function: &Function,
    program: &Program,
    sources: &SourceMap,
    signatures: &Signatures,
) {
    let source = sources.get(function.source);
    let name = if function.name.is_empty() { "top level" } else { &function.name };
    let at = source.location(function.span.start);
    push(out, format_args!("function {id} {name} ({}:{})\n", source.name(), at.line));
    push(out, format_args!("  {} parameters, {} registers", function.params, function.registers));
    for (register, name) in &function.names {
        push(out, format_args!(", r{register} = ${name}"));
    }
    out.push('\n');
    let mut last_line = 0;
    for (pc, (instr, span)) in function.code.iter().zip(&function.spans).enumerate() {
        let line = source.location(span.start).line;
        if line != last_line {
            push(out, format_args!("  ; {line}: {}\n", source.line_text(line).trim()));
            last_line = line;
        }
        let entry = if function.entries.len() > 1 && function.entries.contains(&(pc as u32)) { '>' } else { ' ' };
        push(out, format_args!("{entry} {pc:5}  {}\n", instruction(*instr, pc, function, program, signatures)));
    }
    for handler in &function.handlers {
        push(
            out,
            format_args!(
                "  {:?} {}..{} -> {} in r{}\n",
                handler.kind, handler.start, handler.end, handler.target, handler.register
            ),
        );
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let written = out.write_fmt(text);
    debug_assert!(written.is_ok(), "writing to memory does not fail");
}

fn instruction(instr: Instr, pc: usize, function: &Function, program: &Program, signatures: &Signatures) -> String {
    let mut text = format!("{:<12}", instr.op.name());
    let mut notes: Vec<String> = Vec::new();
    let operands = instr.op.operands().into_iter().zip([instr.a, instr.b, instr.c]);
    let jump = |distance: i64| format!("-> {}", pc as i64 + 1 + distance);
    for (kind, value) in operands {
        let shown = match kind {
            Operand::None => continue,
            Operand::Write | Operand::Read | Operand::Update => format!("r{value}"),
            Operand::First => format!("r{value}.."),
            Operand::Count => value.to_string(),
            Operand::Const => note_constant(&mut notes, function, u32::from(value)),
            Operand::Const32 => note_constant(&mut notes, function, instr.bc()),
            Operand::Int32 => instr.jump32().to_string(),
            Operand::Global32 => format!("g{}", instr.bc()),
            Operand::Jump16 => jump(i64::from(instr.jump16())),
            Operand::Jump32 => jump(i64::from(instr.jump32())),
            Operand::Site => {
                notes.push(function.sites.get(value as usize).map_or_else(String::new, site));
                format!("s{value}")
            }
            Operand::Function => {
                notes.push(program.functions.get(value as usize).map_or_else(String::new, |f| f.name.to_string()));
                format!("f{value}")
            }
            Operand::Builtin => {
                let signature = signatures.get(BuiltinId(value));
                notes.push(signature.map_or_else(String::new, crate::Signature::full_name));
                format!("b{value}")
            }
            Operand::Struct => {
                notes.push(program.structs.get(value as usize).map_or_else(String::new, |ty| ty.name.to_string()));
                format!("t{value}")
            }
            Operand::Root if instr.has(GLOBAL_ROOT) => format!("g{value}"),
            Operand::Root => format!("r{value}"),
        };
        text.push(' ');
        text.push_str(&shown);
    }
    if matches!(instr.op, Op::Call | Op::CallValue | Op::CallBuiltin) {
        notes.push(format!("{} arguments", instr.x));
    } else {
        for (flag, name) in [
            (DIES_B, "dies b"),
            (DIES_C, "dies c"),
            (WANTED, "wanted"),
            (WITH_KEY, "with key"),
            (WHEN_TRUE, "when true"),
            (UNSTOPPABLE, "unstoppable"),
        ] {
            if instr.has(flag) {
                notes.push(name.to_owned());
            }
        }
    }
    if !notes.is_empty() {
        text = format!("{text:<32} ; {}", notes.join(", "));
    }
    text
}

fn note_constant(notes: &mut Vec<String>, function: &Function, index: u32) -> String {
    if let Some(value) = function.constants.get(index as usize) {
        notes.push(constant(value));
    }
    format!("k{index}")
}

fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown: String = text.chars().take(40).collect();
    format!("{shown:?}")
}

fn site(site: &Site) -> String {
    match site {
        Site::Key { key, .. } => quoted(key),
        Site::Keys(keys) => keys.iter().map(|key| quoted(key)).collect::<Vec<_>>().join(" "),
    }
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Null => "null".into(),
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Str(bytes) => quoted(bytes),
        Constant::Field(bytes) => format!(".{}", String::from_utf8_lossy(bytes)),
        Constant::List(items) => format!("list of {}", items.len()),
        Constant::Map(entries) => format!("map of {}", entries.len()),
        Constant::Function(id) => format!("function {id}"),
        Constant::Builtin(id) => format!("builtin {}", id.0),
    }
}
