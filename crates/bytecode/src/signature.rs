//! What a builtin promises: name, parameters, result, effect and documentation.
//!
//! Written once, by the attribute on the Rust function that does the work. The compiler, the checker, the documentation
//! and the engines all read this table; none of them keeps a second one.

/// The type of a parameter or result, as a script author knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ty {
    /// Every value.
    Any,
    /// `null` only; the result of builtins that give nothing back.
    Null,
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `int` or `float`.
    Number,
    /// `float`; an int is taken and converted.
    Float,
    /// `string`.
    Str,
    /// A list or a map.
    Array,
    /// A list.
    List,
    /// A map.
    Map,
    /// A function.
    Function,
    /// A connection, channel or other object of the runtime.
    Handle,
}

impl Ty {
    /// The name used in error messages and documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Number => "number",
            Self::Float => "float",
            Self::Str => "string",
            Self::Array => "array",
            Self::List => "list",
            Self::Map => "map",
            Self::Function => "function",
            Self::Handle => "handle",
        }
    }
}

/// A parameter of a builtin.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The name without `$`.
    pub name: &'static str,
    /// The type.
    pub ty: Ty,
    /// True when `null` is taken too.
    pub nullable: bool,
    /// True when the argument may be left out.
    pub optional: bool,
    /// The default as written in LOOK, for documentation; empty where there is none to show.
    pub default: &'static str,
    /// True for the last parameter that takes all further arguments.
    pub rest: bool,
}

/// What a builtin may do besides giving a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Same arguments, same result, nothing else: may be folded and moved.
    Pure,
    /// Depends on more than its arguments (time, environment, files, randomness).
    Reads,
    /// Changes something outside its result.
    Writes,
    /// Calls a function it was given, which may do anything.
    Calls,
    /// May wait for something outside the process.
    Waits,
}

/// Builtins that the compiler lowers to an operation of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    /// `push(&path, value)`.
    Push,
    /// `pop(&path)`.
    Pop,
    /// `count(value)` and `len(value)`.
    Count,
}

/// All that is known of a builtin without its code.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The module; empty for names that need no `module::`.
    pub module: &'static str,
    /// The name in the module.
    pub name: &'static str,
    /// Parameters in order.
    pub params: &'static [Param],
    /// The result.
    pub returns: Ty,
    /// True when the result may be `null` instead.
    pub returns_nullable: bool,
    /// True when the builtin may throw, apart from wrong arguments.
    pub may_throw: bool,
    /// What else it does.
    pub effect: Effect,
    /// The operation it is lowered to, if it has one.
    pub intrinsic: Option<Intrinsic>,
    /// Markdown; the first line is one sentence. Examples are fenced code blocks marked `look`.
    pub doc: &'static str,
}

impl Signature {
    /// `module::name`, or the name alone.
    pub fn full_name(&self) -> String {
        if self.module.is_empty() { self.name.to_owned() } else { format!("{}::{}", self.module, self.name) }
    }

    /// The fewest arguments it takes.
    pub fn min_args(&self) -> usize {
        self.params.iter().filter(|param| !param.optional && !param.rest).count()
    }

    /// The most arguments it takes; none where there is no limit.
    pub fn max_args(&self) -> Option<usize> {
        if self.params.last().is_some_and(|param| param.rest) { None } else { Some(self.params.len()) }
    }

    /// The error for a call with `given` arguments; none when the number fits.
    pub fn arity_error(&self, given: usize) -> Option<String> {
        let (min, max) = (self.min_args(), self.max_args());
        let fits = given >= min && max.is_none_or(|max| given <= max);
        (!fits).then(|| arity_message(&self.full_name(), min, max.unwrap_or(usize::MAX), self.params.len(), given))
    }
}

/// The one wording for a wrong number of arguments, of script functions and builtins alike.
///
/// `declared` counts all declared parameters; `max` is `usize::MAX` for a function with a rest parameter.
pub fn arity_message(name: &str, min: usize, max: usize, declared: usize, given: usize) -> String {
    let expects = if max == usize::MAX {
        format!("at least {min}")
    } else if given > max {
        format!("at most {max}")
    } else {
        format!("{declared}")
    };
    format!("Function '{name}' expects {expects} args, got {given}")
}
