//! The interpreter loop: fetch, dispatch, short fast paths. What is rare stands in the folder beside it.
//!
//! Registers always hold valid values; writing one drops what it held. `base` points to the running function's first
//! register, and stays good because stack segments do not move. Handlers are found by searching the tables of the frames,
//! so that a `try` costs nothing until something is thrown.

mod access;
mod arithmetic;
mod call;
mod text;
mod unwind;

use crate::access::resolve;
use crate::builtin::Cx;
use crate::compare::is_truthy;
use crate::heap::list::List;
use crate::interrupt;
use crate::isolate::Isolate;
use crate::link::Code;
use crate::machine::{Feedback, Frame, FrameKind, NO_RESULT, Position};
use crate::number::Arithmetic;
use crate::throw::{Thrown, ThrownKind};
use crate::value::{Tag, Value};
use bytecode::op::{DIES_B, DIES_C, GLOBAL_ROOT, OR_NULL, UNSTOPPABLE, WANTED, WHEN_TRUE, WITH_KEY};
use bytecode::{Instr, Op};
use std::cmp::Ordering::{Equal, Greater, Less};
use std::sync::atomic::Ordering;

/// Where running code stands, held in machine registers.
#[derive(Clone, Copy)]
struct State {
    code: *const Code,
    pc: *const Instr,
    base: *mut Value,
}

impl State {
    fn position(self) -> Position {
        Position { code: self.code, pc: self.pc, base: self.base }
    }
}

/// Writes a number or other plain value to a register.
///
/// # Safety
/// `dst` is a valid place that holds a value.
#[inline(always)]
unsafe fn set_plain(dst: *mut Value, value: Value) {
    // SAFETY: by the contract.
    unsafe {
        if (*dst).is_heap() {
            drop_in_place(dst);
        }
        dst.write(value);
    }
}

/// Drops the heap value in a register, which must be written next.
#[cold]
#[inline(never)]
unsafe fn drop_in_place(dst: *mut Value) {
    // SAFETY: by the caller's contract.
    unsafe { dst.drop_in_place() }
}

/// Runs until the frame count is back at `entry`, and gives the result of the function that started there.
///
/// # Errors
/// What the code throws and does not catch.
///
/// # Safety
/// `state` stands at a function of the isolate's image with its registers ready.
unsafe fn run(isolate: &mut Isolate, state: State, entry: usize) -> Result<Value, Thrown> {
    let State { mut code, mut pc, mut base } = state;
    let isolate: *mut Isolate = isolate;
    // SAFETY: for the whole function. `isolate` outlives the call and is only used through this pointer. Instructions were
    // checked by the verifier: registers, constants, sites, functions and jumps are in range, so that pointers computed from
    // operands stay inside their arrays. Registers hold valid values at all times.
    unsafe {
        let mut constants = (*code).constants;
        let codes = { &(*isolate).machine.image }.codes.as_ptr();
        let interrupt = std::sync::Arc::as_ptr(&(*isolate).machine.interrupt.0);
        let all_feedback = (*isolate).machine.feedback.as_mut_ptr();

        macro_rules! r {
            ($n:expr) => {
                base.add($n as usize)
            };
        }
        macro_rules! k {
            ($n:expr) => {
                constants.add($n as usize)
            };
        }
        // Goes on with the handler of what was thrown, or leaves.
        macro_rules! throw {
            ($thrown:expr) => {{
                let state = unwind::unwind(&mut *isolate, State { code, pc, base }, entry, $thrown)?;
                enter!(state);
                continue;
            }};
        }
        macro_rules! enter {
            ($state:expr) => {
                let State { code: new_code, pc: new_pc, base: new_base } = $state;
                code = new_code;
                pc = new_pc;
                base = new_base;
                constants = (*code).constants;
            };
        }
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(thrown) => throw!(thrown),
                }
            };
        }
        macro_rules! set {
            ($dst:expr, $value:expr) => {{
                let value: Value = $value;
                *r!($dst) = value;
            }};
        }
        macro_rules! dies {
            ($instr:expr, $flag:expr, $reg:expr) => {
                if $instr.has($flag) {
                    *r!($reg) = Value::NULL;
                }
            };
        }
        macro_rules! poll {
            () => {
                if (*interrupt).load(Ordering::Relaxed) != 0 {
                    check!(interrupt::answer(&mut *isolate, Position { code, pc, base }));
                }
            };
        }
        macro_rules! jump {
            ($distance:expr) => {{
                let distance = $distance as isize;
                pc = pc.offset(distance);
                if distance < 0 {
                    poll!();
                }
            }};
        }
        macro_rules! arithmetic {
            ($i:expr, $right:expr, $op:expr, $int:expr, $float:expr) => {{
                let (left, right) = (r!($i.b), $right);
                if (*left).tag() == Tag::Int && (*right).tag() == Tag::Int {
                    let result: Option<i64> = $int((*left).raw_int(), (*right).raw_int());
                    if let Some(result) = result {
                        set_plain(r!($i.a), Value::int(result));
                        continue;
                    }
                } else if (*left).tag() == Tag::Float && (*right).tag() == Tag::Float {
                    let result: Option<f64> = $float((*left).raw_float(), (*right).raw_float());
                    if let Some(result) = result {
                        set_plain(r!($i.a), Value::float(result));
                        continue;
                    }
                }
                let result = check!(arithmetic::calculate($op, &*left, &*right));
                set!($i.a, result);
                dies!($i, DIES_B, $i.b);
                dies!($i, DIES_C, $i.c);
            }};
        }
        macro_rules! slow_arithmetic {
            ($i:expr, $op:expr) => {{
                let result = check!(arithmetic::calculate($op, &*r!($i.b), &*r!($i.c)));
                set!($i.a, result);
                dies!($i, DIES_B, $i.b);
                dies!($i, DIES_C, $i.c);
            }};
        }
        // Compares two places; gives the truth. Floats with NaN compare false.
        macro_rules! compare {
            ($left:expr, $right:expr, $int:tt, $($order:pat_param)|+) => {{
                let (left, right) = ($left, $right);
                if (*left).tag() == Tag::Int && (*right).tag() == Tag::Int {
                    (*left).raw_int() $int (*right).raw_int()
                } else if (*left).tag() == Tag::Float && (*right).tag() == Tag::Float {
                    (*left).raw_float() $int (*right).raw_float()
                } else {
                    let order = check!(crate::compare::order(&*left, &*right));
                    matches!(order, $(Some($order))|+)
                }
            }};
        }
        macro_rules! compare_value {
            ($i:expr, $int:tt, $($order:pat_param)|+) => {{
                let truth = compare!(r!($i.b), r!($i.c), $int, $($order)|+);
                dies!($i, DIES_B, $i.b);
                dies!($i, DIES_C, $i.c);
                set_plain(r!($i.a), Value::bool(truth));
            }};
        }
        macro_rules! compare_jump {
            ($i:expr, $right:expr, $int:tt, $($order:pat_param)|+) => {{
                let truth = compare!(r!($i.a), $right, $int, $($order)|+);
                if $i.x & (DIES_B | DIES_C) != 0 {
                    dies!($i, DIES_B, $i.a);
                    dies!($i, DIES_C, $i.b);
                }
                if truth == $i.has(WHEN_TRUE) {
                    jump!($i.jump16());
                }
            }};
        }
        macro_rules! equal {
            ($left:expr, $right:expr) => {{
                let (left, right) = ($left, $right);
                if (*left).tag() == Tag::Int && (*right).tag() == Tag::Int {
                    (*left).raw_int() == (*right).raw_int()
                } else {
                    check!(crate::compare::equals(&*left, &*right))
                }
            }};
        }

        loop {
            let i = *pc;
            pc = pc.add(1);
            match i.op {
                Op::Copy => {
                    let value = (*r!(i.b)).clone();
                    set!(i.a, value);
                }
                Op::Move => {
                    let value = (*r!(i.b)).take();
                    set!(i.a, value);
                }
                Op::LoadConst => {
                    let value = (*k!(i.bc())).clone();
                    set!(i.a, value);
                }
                Op::LoadInt => set_plain(r!(i.a), Value::int(i64::from(i.jump32()))),
                Op::LoadNull => set_plain(r!(i.a), Value::NULL),
                Op::LoadBool => set_plain(r!(i.a), Value::bool(i.b != 0)),
                Op::LoadUndef => set_plain(r!(i.a), Value::UNDEF),
                Op::Drop => {
                    for at in 0..i.b as usize {
                        set_plain(r!(i.a as usize + at), Value::NULL);
                    }
                }
                Op::CheckDefined => {
                    if (*r!(i.a)).is_undefined() {
                        throw!(access::undefined(&*k!(i.bc())));
                    }
                }
                Op::GetGlobal => {
                    let global = (*isolate).running.globals.base().add(i.bc() as usize);
                    if (*global).is_undefined() {
                        if i.has(OR_NULL) {
                            set_plain(r!(i.a), Value::NULL);
                            continue;
                        }
                        throw!(access::undefined_global(&*isolate, i.bc()));
                    }
                    let value = (*global).clone();
                    set!(i.a, value);
                }

                Op::Add => arithmetic!(i, r!(i.c), Arithmetic::Add, i64::checked_add, |a: f64, b: f64| Some(a + b)),
                Op::Sub => arithmetic!(i, r!(i.c), Arithmetic::Sub, i64::checked_sub, |a: f64, b: f64| Some(a - b)),
                Op::Mul => arithmetic!(i, r!(i.c), Arithmetic::Mul, i64::checked_mul, |a: f64, b: f64| Some(a * b)),
                Op::Div => arithmetic!(i, r!(i.c), Arithmetic::Div, arithmetic::exact_quotient, arithmetic::quotient),
                Op::Mod => {
                    arithmetic!(i, r!(i.c), Arithmetic::Mod, arithmetic::remainder, |_: f64, _: f64| None::<f64>);
                }
                Op::AddK => arithmetic!(i, k!(i.c), Arithmetic::Add, i64::checked_add, |a: f64, b: f64| Some(a + b)),
                Op::SubK => arithmetic!(i, k!(i.c), Arithmetic::Sub, i64::checked_sub, |a: f64, b: f64| Some(a - b)),
                Op::MulK => arithmetic!(i, k!(i.c), Arithmetic::Mul, i64::checked_mul, |a: f64, b: f64| Some(a * b)),
                Op::DivK => arithmetic!(i, k!(i.c), Arithmetic::Div, arithmetic::exact_quotient, arithmetic::quotient),
                Op::ModK => {
                    let left = r!(i.b);
                    if (*left).tag() == Tag::Int && (*left).raw_int() >= 0 {
                        let divisor = (*k!(i.c)).raw_int();
                        let remainder = (*(*code).reciprocals.add(i.c as usize)).remainder((*left).raw_int(), divisor);
                        set_plain(r!(i.a), Value::int(remainder));
                    } else {
                        let result = check!(arithmetic::calculate(Arithmetic::Mod, &*left, &*k!(i.c)));
                        set!(i.a, result);
                        dies!(i, DIES_B, i.b);
                    }
                }
                Op::Pow => slow_arithmetic!(i, Arithmetic::Pow),
                Op::BitAnd => {
                    arithmetic!(i, r!(i.c), Arithmetic::BitAnd, |a, b| Some(a & b), |_: f64, _: f64| None::<f64>);
                }
                Op::BitOr => {
                    arithmetic!(i, r!(i.c), Arithmetic::BitOr, |a, b| Some(a | b), |_: f64, _: f64| None::<f64>);
                }
                Op::BitXor => {
                    arithmetic!(i, r!(i.c), Arithmetic::BitXor, |a, b| Some(a ^ b), |_: f64, _: f64| None::<f64>);
                }
                Op::Shl => slow_arithmetic!(i, Arithmetic::Shl),
                Op::Shr => slow_arithmetic!(i, Arithmetic::Shr),
                Op::Neg => {
                    let result = check!(crate::number::negate(&*r!(i.b)));
                    set!(i.a, result);
                    dies!(i, DIES_B, i.b);
                }
                Op::BitNot => {
                    let result = check!(crate::number::complement(&*r!(i.b)));
                    set!(i.a, result);
                    dies!(i, DIES_B, i.b);
                }
                Op::Not => {
                    let truth = is_truthy(&*r!(i.b));
                    dies!(i, DIES_B, i.b);
                    set_plain(r!(i.a), Value::bool(!truth));
                }
                Op::ToBool => {
                    let truth = is_truthy(&*r!(i.b));
                    dies!(i, DIES_B, i.b);
                    set_plain(r!(i.a), Value::bool(truth));
                }
                Op::Eq | Op::Ne => {
                    let truth = equal!(r!(i.b), r!(i.c)) == (i.op == Op::Eq);
                    dies!(i, DIES_B, i.b);
                    dies!(i, DIES_C, i.c);
                    set_plain(r!(i.a), Value::bool(truth));
                }
                Op::Lt => compare_value!(i, <, Less),
                Op::Le => compare_value!(i, <=, Less | Equal),
                Op::Gt => compare_value!(i, >, Greater),
                Op::Ge => compare_value!(i, >=, Greater | Equal),
                Op::Compare => {
                    let order = check!(crate::compare::spaceship(&*r!(i.b), &*r!(i.c)));
                    dies!(i, DIES_B, i.b);
                    dies!(i, DIES_C, i.c);
                    set_plain(r!(i.a), Value::int(order));
                }

                Op::Concat => {
                    let result = check!(text::concat(&*r!(i.b), &*r!(i.c)));
                    set!(i.a, result);
                    dies!(i, DIES_B, i.b);
                    dies!(i, DIES_C, i.c);
                }
                Op::ConcatMany => {
                    let parts = std::slice::from_raw_parts_mut(r!(i.b), i.c as usize);
                    let result = check!(text::concat_many(parts));
                    for part in parts {
                        set_plain(part, Value::NULL);
                    }
                    set!(i.a, result);
                }
                Op::Append => {
                    check!(text::append(&mut *r!(i.a), &*r!(i.b)));
                    dies!(i, DIES_B, i.b);
                }

                Op::Jump => jump!(i.jump32()),
                Op::JumpIf => {
                    let place = r!(i.a);
                    let truth = if (*place).tag() == Tag::Bool { (*place).raw_int() != 0 } else { is_truthy(&*place) };
                    dies!(i, DIES_B, i.a);
                    if truth == i.has(WHEN_TRUE) {
                        jump!(i.jump32());
                    }
                }
                Op::JumpIfNull => {
                    if (*r!(i.a)).is_null() == i.has(WHEN_TRUE) {
                        jump!(i.jump32());
                    }
                }
                Op::JumpIfDefined => {
                    if !(*r!(i.a)).is_undefined() {
                        jump!(i.jump32());
                    }
                }
                Op::JumpEq | Op::JumpEqK => {
                    let right = if i.op == Op::JumpEq { r!(i.b).cast_const() } else { k!(i.b) };
                    let truth = equal!(r!(i.a), right);
                    if i.x & (DIES_B | DIES_C) != 0 {
                        dies!(i, DIES_B, i.a);
                        dies!(i, DIES_C, i.b);
                    }
                    if truth == i.has(WHEN_TRUE) {
                        jump!(i.jump16());
                    }
                }
                Op::JumpLt => compare_jump!(i, r!(i.b), <, Less),
                Op::JumpLe => compare_jump!(i, r!(i.b), <=, Less | Equal),
                Op::JumpGt => compare_jump!(i, r!(i.b), >, Greater),
                Op::JumpGe => compare_jump!(i, r!(i.b), >=, Greater | Equal),
                Op::JumpLtK => compare_jump!(i, k!(i.b), <, Less),
                Op::JumpLeK => compare_jump!(i, k!(i.b), <=, Less | Equal),
                Op::JumpGtK => compare_jump!(i, k!(i.b), >, Greater),
                Op::JumpGeK => compare_jump!(i, k!(i.b), >=, Greater | Equal),
                Op::ForLoop | Op::ForLoopK => {
                    let (counter, limit) = (r!(i.a), if i.op == Op::ForLoop { r!(i.b).cast_const() } else { k!(i.b) });
                    if (*counter).tag() == Tag::Int
                        && (*limit).tag() == Tag::Int
                        && let Some(next) = (*counter).raw_int().checked_add(1)
                    {
                        counter.write(Value::int(next));
                        if next < (*limit).raw_int() {
                            pc = pc.offset(i.jump16() as isize);
                            poll!();
                        }
                    } else {
                        let next = check!(arithmetic::calculate(Arithmetic::Add, &*counter, &Value::int(1)));
                        *counter = next;
                        if check!(crate::compare::order(&*counter, &*limit)) == Some(Less) {
                            jump!(i.jump16());
                        }
                    }
                }
                Op::IterStart => {
                    let subject = r!(i.b);
                    check!(access::check_iterable(&*subject));
                    let value = if i.has(DIES_B) { (*subject).take() } else { (*subject).clone() };
                    set!(i.a, value);
                    set_plain(r!(i.a + 1), Value::int(0));
                }
                Op::IterNext => {
                    let with_key = i.has(WITH_KEY);
                    let at = (*r!(i.a + 1)).raw_int();
                    let key = if with_key { Some(&mut *r!(i.b + 1)) } else { None };
                    if access::next(&*r!(i.a), at as usize, &mut *r!(i.b), key) {
                        r!(i.a + 1).write(Value::int(at + 1));
                        pc = pc.offset(i.jump16() as isize);
                        poll!();
                    }
                }

                Op::NewList => {
                    let mut items = Vec::with_capacity(i.c as usize);
                    for at in 0..i.c as usize {
                        items.push((*r!(i.b as usize + at)).take());
                    }
                    set!(i.a, Value::from(List::from(items)));
                }
                Op::ListExtend => {
                    let items = std::slice::from_raw_parts_mut(r!(i.b), i.c as usize);
                    access::extend(&mut *r!(i.a), items);
                }
                Op::NewMap => {
                    let map = access::new_map(&mut *isolate, &*code, i.c, r!(i.b));
                    set!(i.a, map);
                }
                Op::MapInsert => {
                    check!(access::map_insert(&mut *r!(i.a), &*r!(i.b), &mut *r!(i.c)));
                    dies!(i, DIES_B, i.b);
                }
                Op::NewStruct => {
                    let image = &(*isolate).machine.image;
                    match &image.structs[i.b as usize].template {
                        Ok(template) => set!(i.a, template.clone()),
                        Err(message) => throw!(Thrown::error(message)),
                    }
                }
                Op::GetIndex => {
                    let (container, key) = (r!(i.b), r!(i.c));
                    let value = if let (Some(list), Some(index)) = ((*container).as_list(), (*key).as_int())
                        && let Some(at) = resolve(index, list.len())
                    {
                        list.get_unchecked(at).clone()
                    } else {
                        check!(crate::access::get(&*container, &*key))
                    };
                    set!(i.a, value);
                    dies!(i, DIES_B, i.b);
                    dies!(i, DIES_C, i.c);
                }
                Op::GetField => {
                    let container = r!(i.b);
                    let site: *mut Feedback = all_feedback.add((*code).sites as usize + i.c as usize);
                    let value = if let Some(map) = (*container).as_map()
                        && map.shape().address() == (*site).shape
                    {
                        map.values().get_unchecked((*site).slot as usize).clone()
                    } else {
                        check!(access::get_field(&(*isolate).machine.image, &*code, i.c, &*container, &mut *site))
                    };
                    set!(i.a, value);
                    dies!(i, DIES_B, i.b);
                }
                Op::SetIndex => {
                    let (container, key, value) = (r!(i.a), r!(i.b), r!(i.c));
                    let stored = if i.has(DIES_C) && !i.has(WANTED) { (*value).take() } else { (*value).clone() };
                    let rest = access::set_in_list(&mut *container, &*key, stored);
                    if let Err(stored) = rest {
                        let stored =
                            check!(crate::access::set_at(&mut *container, std::slice::from_ref(&*key), stored));
                        if i.has(WANTED) {
                            *value = stored;
                        }
                    }
                    dies!(i, DIES_B, i.b);
                }
                Op::SetField => {
                    let (container, value) = (r!(i.a), r!(i.b));
                    let stored = if i.has(DIES_B) && !i.has(WANTED) { (*value).take() } else { (*value).clone() };
                    let site: *mut Feedback = all_feedback.add((*code).sites as usize + i.c as usize);
                    let image = &(*isolate).machine.image;
                    let stored = check!(access::set_field(image, &*code, i.c, &mut *container, stored, &mut *site));
                    if i.has(WANTED) {
                        *value = stored;
                    }
                }
                Op::SetPath | Op::AppendPath | Op::PushPath | Op::PopPath => {
                    let root = if i.has(GLOBAL_ROOT) {
                        (*isolate).running.globals.base_mut().add(i.a as usize)
                    } else {
                        r!(i.a)
                    };
                    let path = std::slice::from_raw_parts_mut(r!(i.b), i.c as usize);
                    let value = &mut *r!(i.b as usize + i.c as usize);
                    check!(access::write_path(i.op, &mut *root, path, value, i.has(WANTED)));
                }
                Op::Push => {
                    let place = r!(i.a);
                    let value = if i.has(DIES_B) { (*r!(i.b)).take() } else { (*r!(i.b)).clone() };
                    check!(crate::access::push(&mut *place, value));
                }
                Op::CountOf => {
                    let count = match (*r!(i.b)).as_list() {
                        Some(list) => list.len() as i64,
                        None => check!(access::count(&mut *isolate, &mut *r!(i.b))),
                    };
                    dies!(i, DIES_B, i.b);
                    set_plain(r!(i.a), Value::int(count));
                }

                Op::Closure => {
                    let function = call::closure(&(*isolate).machine.image, i.c, r!(i.b));
                    set!(i.a, function);
                }
                Op::Call => {
                    let running = &mut (*isolate).running;
                    let callee = codes.add(i.c as usize);
                    let new_base = r!(i.b);
                    // The top level's registers are globals, outside the stack; it always takes the other way.
                    let room = running.stack.end.addr().wrapping_sub(new_base.addr());
                    let fits = room >= (*callee).registers as usize * size_of::<Value>();
                    if (*callee).is_plain
                        && u32::from(i.x) == (*callee).params
                        && fits
                        && !(*code).is_top
                        && running.frames.len() < (*isolate).machine.max_depth
                    {
                        let frame = Frame { code, pc, base, dst: u32::from(i.a), kind: FrameKind::Plain };
                        running.frames.push(frame);
                        code = callee;
                        pc = (*callee).body;
                        base = new_base;
                        constants = (*code).constants;
                        poll!();
                    } else {
                        let frame = Frame { code, pc, base, dst: u32::from(i.a), kind: FrameKind::Plain };
                        running.position = Some(Position { code, pc, base });
                        let args = std::slice::from_raw_parts_mut(new_base, i.x as usize);
                        let state = check!(call::enter(&mut *isolate, u32::from(i.c), args, frame, None));
                        enter!(state);
                        poll!();
                    }
                }
                Op::CallValue | Op::CallList => {
                    (*isolate).running.position = Some(Position { code, pc, base });
                    let frame = Frame { code, pc, base, dst: u32::from(i.a), kind: FrameKind::Plain };
                    let called = if i.op == Op::CallValue {
                        let callee = (*r!(i.b)).take();
                        let args = std::slice::from_raw_parts_mut(r!(i.b + 1), i.x as usize);
                        call::call_value(&mut *isolate, callee, args, frame, &*k!(i.c))
                    } else {
                        call::call_list(&mut *isolate, &mut *r!(i.b), &mut *r!(i.c), frame)
                    };
                    match check!(called) {
                        call::Called::Entered(state) => {
                            enter!(state);
                            poll!();
                        }
                        call::Called::Result(value) => set!(i.a, value),
                    }
                }
                Op::CallBuiltin => {
                    (*isolate).running.position = Some(Position { code, pc, base });
                    let args = std::slice::from_raw_parts_mut(r!(i.b), i.x as usize);
                    let registry: *const _ = &*(*isolate).registry;
                    let result = (*registry).invoke(i.c, &mut Cx::new(&mut *isolate), args);
                    for arg in args {
                        set_plain(arg, Value::NULL);
                    }
                    set!(i.a, check!(result));
                }
                Op::Return | Op::ReturnNull => {
                    let value = if i.op == Op::Return { (*r!(i.a)).take() } else { Value::NULL };
                    for at in 0..i.b as usize {
                        let place = r!(at);
                        if (*place).is_heap() {
                            drop_in_place(place);
                            place.write(Value::NULL);
                        }
                    }
                    let running = &mut (*isolate).running;
                    if running.frames.len() == entry {
                        return Ok(value);
                    }
                    let Some(frame) = running.frames.pop() else { return Ok(value) };
                    code = frame.code;
                    pc = frame.pc;
                    base = frame.base;
                    constants = (*code).constants;
                    if frame.kind != FrameKind::Plain {
                        call::leave_segment(&mut *isolate);
                    }
                    if frame.dst != NO_RESULT {
                        set!(frame.dst, value);
                    }
                }
                Op::RunFile => {
                    let frame = Frame { code, pc, base, dst: NO_RESULT, kind: FrameKind::Plain };
                    if let Some(state) = check!(call::enter_file(&mut *isolate, i.a as usize, frame)) {
                        enter!(state);
                    }
                }

                Op::Throw => {
                    let value = (*r!(i.a)).take();
                    match unwind::local_handler(&(*isolate).machine, State { code, pc, base }) {
                        Some((target, register, live)) => {
                            unwind::drop_registers(base, live, (*code).registers);
                            set!(register, value);
                            pc = target;
                        }
                        None => throw!(Thrown::value(value)),
                    }
                }
                Op::ThrowError => throw!(Thrown::value((*k!(i.bc())).clone())),
                Op::EndFinally => {
                    let (kind, value) = ((*r!(i.a)).raw_int() as i32, r!(i.a + 1));
                    let most = if i.has(UNSTOPPABLE) { bytecode::exit::EXIT } else { bytecode::exit::THROWN };
                    if kind <= most {
                        let thrown = match kind {
                            bytecode::exit::THROWN => Thrown::value((*value).take()),
                            bytecode::exit::EXIT => Thrown::from(ThrownKind::Exit((*value).raw_int() as i32)),
                            _ => Thrown::stop(),
                        };
                        throw!(thrown);
                    }
                }
            }
        }
    }
}
