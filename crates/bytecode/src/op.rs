//! The instruction set: one table, from which come the enum, the operand kinds, names and the disassembler.
//!
//! An instruction is eight bytes: operation, a small field `x`, and three operands `a`, `b`, `c` of 16 bits each; some
//! operations join `b` and `c` to 32 bits. In the meanings below `R[n]` is a register of the running function, `K[n]` a
//! constant, `G[n]` a global of the program, `S[n]` a site (see [`crate::Site`]).
//!
//! Registers hold owned values. `take R[n]` moves the value out and leaves null. Operands marked as dying in `x`
//! ([`DIES_B`], [`DIES_C`]) are temporaries read for the last time: the engine drops them after use, so that no forgotten
//! copy makes a later write in place impossible.

/// `R[b]` (in jumps on one value: `R[a]`) is read for the last time.
pub const DIES_B: u8 = 1;
/// `R[c]` (in comparing jumps: `R[b]`) is read for the last time.
pub const DIES_C: u8 = 2;
/// The stored value is wanted: a write puts it back where the value came from.
pub const WANTED: u8 = 4;
/// The root of a path is `G[a]`, not `R[a]`.
pub const GLOBAL_ROOT: u8 = 8;
/// `foreach` with a key: it goes to `R[b + 1]`.
pub const WITH_KEY: u8 = 16;
/// An unassigned global counts as null.
pub const OR_NULL: u8 = 128;
/// Only `exit` and the end of a request.
pub const UNSTOPPABLE: u8 = 64;
/// A jump is taken when its condition is true, else when it is false.
pub const WHEN_TRUE: u8 = 32;

/// What an operand is, for the disassembler and the verifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// Unused.
    None,
    /// Register that is written.
    Write,
    /// Register that is read.
    Read,
    /// Register that is read and written.
    Update,
    /// First of several registers; how many, the meaning says.
    First,
    /// Constant.
    Const,
    /// Constant in 32 bits (`b` and `c`).
    Const32,
    /// Integer in 32 bits (`b` and `c`).
    Int32,
    /// Global in 32 bits (`b` and `c`).
    Global32,
    /// Jump distance in 16 bits, from the next instruction.
    Jump16,
    /// Jump distance in 32 bits (`b` and `c`), from the next instruction.
    Jump32,
    /// A number.
    Count,
    /// Site.
    Site,
    /// Function of the program.
    Function,
    /// Builtin of the registry.
    Builtin,
    /// Struct of the program.
    Struct,
    /// Root of a path: register, or global when [`GLOBAL_ROOT`] is set.
    Root,
}

macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident($a:ident, $b:ident, $c:ident);)+) => {
        /// An operation.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Op {
            $($(#[$doc])* $name,)+
        }

        impl Op {
            /// All operations.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What the operands are.
            pub const fn operands(self) -> [Operand; 3] {
                match self {
                    $(Self::$name => [Operand::$a, Operand::$b, Operand::$c],)+
                }
            }

            /// The name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }
        }
    };
}

ops! {
    /// R[a] := R[b]
    Copy(Write, Read, None);
    /// R[a] := take R[b]
    Move(Write, Update, None);
    /// R[a] := K[bc]
    LoadConst(Write, Const32, None);
    /// R[a] := bc
    LoadInt(Write, Int32, None);
    /// R[a] := null
    LoadNull(Write, None, None);
    /// R[a] := (b ≠ 0)
    LoadBool(Write, Count, None);
    /// R[a] := unassigned
    LoadUndef(Write, None, None);
    /// R[a], …, R[a + b - 1] := null
    Drop(First, Count, None);
    /// throw `Undefined variable: K[bc]` if R[a] is unassigned
    CheckDefined(Read, Const32, None);
    /// R[a] := G[bc]; an unassigned one throws, or counts as null with `OR_NULL`
    GetGlobal(Write, Global32, None);

    /// R[a] := R[b] + R[c]
    Add(Write, Read, Read);
    /// R[a] := R[b] - R[c]
    Sub(Write, Read, Read);
    /// R[a] := R[b] * R[c]
    Mul(Write, Read, Read);
    /// R[a] := R[b] / R[c]
    Div(Write, Read, Read);
    /// R[a] := R[b] % R[c]
    Mod(Write, Read, Read);
    /// R[a] := R[b] + K[c]
    AddK(Write, Read, Const);
    /// R[a] := R[b] - K[c]
    SubK(Write, Read, Const);
    /// R[a] := R[b] * K[c]
    MulK(Write, Read, Const);
    /// R[a] := R[b] / K[c]
    DivK(Write, Read, Const);
    /// R[a] := R[b] % K[c], where K[c] is an int above 1
    ModK(Write, Read, Const);
    /// R[a] := R[b] ** R[c]
    Pow(Write, Read, Read);
    /// R[a] := R[b] & R[c]
    BitAnd(Write, Read, Read);
    /// R[a] := R[b] | R[c]
    BitOr(Write, Read, Read);
    /// R[a] := R[b] ^ R[c]
    BitXor(Write, Read, Read);
    /// R[a] := R[b] << R[c]
    Shl(Write, Read, Read);
    /// R[a] := R[b] >> R[c]
    Shr(Write, Read, Read);
    /// R[a] := -R[b]
    Neg(Write, Read, None);
    /// R[a] := ~R[b]
    BitNot(Write, Read, None);
    /// R[a] := not R[b]
    Not(Write, Read, None);
    /// R[a] := truth of R[b]
    ToBool(Write, Read, None);
    /// R[a] := R[b] == R[c]
    Eq(Write, Read, Read);
    /// R[a] := R[b] != R[c]
    Ne(Write, Read, Read);
    /// R[a] := R[b] < R[c]
    Lt(Write, Read, Read);
    /// R[a] := R[b] <= R[c]
    Le(Write, Read, Read);
    /// R[a] := R[b] > R[c]
    Gt(Write, Read, Read);
    /// R[a] := R[b] >= R[c]
    Ge(Write, Read, Read);
    /// R[a] := R[b] <=> R[c]
    Compare(Write, Read, Read);

    /// R[a] := text of R[b] followed by text of R[c]
    Concat(Write, Read, Read);
    /// R[a] := texts of take R[b], …, take R[b + c - 1] joined
    ConcatMany(Write, First, Count);
    /// R[a] := text of R[a] followed by text of R[b], in place when nobody else holds R[a]
    Append(Update, Read, None);

    /// jump bc
    Jump(Jump32, None, None);
    /// jump bc if the truth of R[a] is as `x` says
    JumpIf(Read, Jump32, None);
    /// jump bc if R[a] is null (or is not, as `x` says)
    JumpIfNull(Read, Jump32, None);
    /// jump bc if R[a] is assigned
    JumpIfDefined(Read, Jump32, None);
    /// jump c if (R[a] == R[b]) is as `x` says
    JumpEq(Read, Read, Jump16);
    /// jump c if (R[a] < R[b]) is as `x` says
    JumpLt(Read, Read, Jump16);
    /// jump c if (R[a] <= R[b]) is as `x` says
    JumpLe(Read, Read, Jump16);
    /// jump c if (R[a] > R[b]) is as `x` says
    JumpGt(Read, Read, Jump16);
    /// jump c if (R[a] >= R[b]) is as `x` says
    JumpGe(Read, Read, Jump16);
    /// jump c if (R[a] == K[b]) is as `x` says
    JumpEqK(Read, Const, Jump16);
    /// jump c if (R[a] < K[b]) is as `x` says
    JumpLtK(Read, Const, Jump16);
    /// jump c if (R[a] <= K[b]) is as `x` says
    JumpLeK(Read, Const, Jump16);
    /// jump c if (R[a] > K[b]) is as `x` says
    JumpGtK(Read, Const, Jump16);
    /// jump c if (R[a] >= K[b]) is as `x` says
    JumpGeK(Read, Const, Jump16);
    /// R[a] := R[a] + 1; jump c if R[a] < R[b]
    ForLoop(Update, Read, Jump16);
    /// R[a] := R[a] + 1; jump c if R[a] < K[b]
    ForLoopK(Update, Const, Jump16);
    /// R[a], R[a + 1] := iterator over R[b]; throws when that is no array or struct
    IterStart(Write, Read, None);
    /// R[b] := next value of the iterator R[a], R[a + 1], and its key to R[b + 1] with `WITH_KEY`; jump c if there was one
    IterNext(Update, Write, Jump16);

    /// R[a] := list of take R[b], …, take R[b + c - 1]
    NewList(Write, First, Count);
    /// append take R[b], …, take R[b + c - 1] to the list R[a]
    ListExtend(Update, First, Count);
    /// R[a] := map with the keys of S[c] and the values take R[b], …
    NewMap(Write, First, Site);
    /// R[a][R[b]] := take R[c], where R[a] is a map under construction
    MapInsert(Update, Read, Update);
    /// R[a] := struct b with its defaults
    NewStruct(Write, Struct, None);
    /// R[a] := R[b][R[c]]
    GetIndex(Write, Read, Read);
    /// R[a] := R[b][key of S[c]]
    GetField(Write, Read, Site);
    /// R[a][R[b]] := R[c]
    SetIndex(Update, Read, Read);
    /// R[a][key of S[c]] := R[b]
    SetField(Update, Read, Site);
    /// root[R[b]]…[R[b + c - 1]] := R[b + c]; the keys are taken
    SetPath(Root, First, Count);
    /// root[R[b]]…[R[b + c - 1]] .= R[b + c], in place where possible; the keys are taken
    AppendPath(Root, First, Count);
    /// push(root[R[b]]…, take R[b + c]); the new length goes to R[b + c]
    PushPath(Root, First, Count);
    /// R[b + c] := pop(root[R[b]]…)
    PopPath(Root, First, Count);
    /// push(R[a], R[b])
    Push(Update, Read, None);
    /// R[a] := number of elements of R[b]
    CountOf(Write, Read, None);

    /// R[a] := function c with the values take R[b], … captured
    Closure(Write, First, Function);
    /// R[a] := call function c with x arguments take R[b], …
    Call(Write, First, Function);
    /// R[a] := call take R[b] with x arguments take R[b + 1], …; K[c] is its name in messages
    CallValue(Write, First, Const);
    /// R[a] := call builtin c with x arguments take R[b], …
    CallBuiltin(Write, First, Builtin);
    /// R[a] := call R[b] with the elements of the list R[c] as arguments
    CallList(Write, Read, Read);
    /// return take R[a]; the registers below b are dropped
    Return(Update, Count, None);
    /// return null; the registers below b are dropped
    ReturnNull(None, Count, None);
    /// run the top level of file a, unless it has run
    RunFile(Count, None, None);

    /// throw take R[a]
    Throw(Update, None, None);
    /// throw the message K[bc]
    ThrowError(None, Const32, None);
    /// go on throwing what the `finally` with exit registers R[a], R[a + 1] interrupted, if it did; with `UNSTOPPABLE` only
    /// what nothing may stop
    EndFinally(Update, None, None);
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(8))]
pub struct Instr {
    /// What to do.
    pub op: Op,
    /// Flags, or a small number.
    pub x: u8,
    /// First operand.
    pub a: u16,
    /// Second operand.
    pub b: u16,
    /// Third operand.
    pub c: u16,
}

const _: () = assert!(size_of::<Instr>() == 8);

impl Instr {
    /// An instruction with three operands.
    pub const fn new(op: Op, x: u8, a: u16, b: u16, c: u16) -> Self {
        Self { op, x, a, b, c }
    }

    /// An instruction with one operand and one of 32 bits.
    pub const fn wide(op: Op, x: u8, a: u16, bc: u32) -> Self {
        Self { op, x, a, b: bc as u16, c: (bc >> 16) as u16 }
    }

    /// The operand of 32 bits.
    #[inline(always)]
    pub const fn bc(self) -> u32 {
        self.b as u32 | (self.c as u32) << 16
    }

    /// The distance of a jump in 32 bits.
    #[inline(always)]
    pub const fn jump32(self) -> i32 {
        self.bc() as i32
    }

    /// The distance of a jump in 16 bits.
    #[inline(always)]
    pub const fn jump16(self) -> i16 {
        self.c as i16
    }

    /// True when one of the flags is set.
    #[inline(always)]
    pub const fn has(self, flag: u8) -> bool {
        self.x & flag != 0
    }
}
