//! Builtins: how they are declared, found and called, and how arguments become Rust values.
//!
//! A builtin is a Rust function in a module marked `#[module]`; the attribute writes the tables here. Every call goes
//! through [`Builtin::invoke`], so arity and type errors have one wording.

use crate::heap::function::Function;
use crate::heap::handle::Handle;
use crate::heap::list::List;
use crate::heap::map::Map;
use crate::heap::string::Str;
use crate::number::Number;
use crate::text::describe;
use crate::throw::Thrown;
use crate::value::{Value, View};
use bytecode::{BuiltinId, Signature, Signatures, Ty};
use std::sync::Arc;

pub use crate::context::Cx;

/// The generated entry: converts arguments, calls the Rust function, converts the result.
pub type BuiltinCall = fn(&mut Cx<'_>, &mut [Value]) -> Result<Value, Thrown>;

/// One builtin.
#[derive(Debug)]
pub struct Builtin {
    /// What it promises.
    pub signature: Signature,
    /// What it does. The number of arguments has been checked by the caller ([`Builtin::invoke`]).
    pub call: BuiltinCall,
}

impl Builtin {
    /// Calls it with these arguments, which it may take away.
    ///
    /// # Errors
    /// A wrong number or type of arguments, or what the builtin throws.
    #[inline]
    pub fn invoke(&'static self, cx: &mut Cx<'_>, args: &mut [Value]) -> Result<Value, Thrown> {
        if let Some(message) = self.signature.arity_error(args.len()) {
            return Err(Thrown::error(message));
        }
        (self.call)(cx, args)
    }
}

/// The builtins of one module, in source order.
#[derive(Debug)]
pub struct Module {
    /// The module's name in LOOK; empty for names that need none.
    pub name: &'static str,
    /// Markdown; the first line is one sentence.
    pub doc: &'static str,
    /// The builtins.
    pub builtins: &'static [Builtin],
}

/// All builtins of a program.
#[derive(Debug)]
pub struct Registry {
    modules: Vec<&'static Module>,
    builtins: Vec<&'static Builtin>,
    /// Fewest and most arguments of each builtin.
    arities: Vec<(u16, u16)>,
    signatures: Signatures,
}

impl Registry {
    /// Gathers modules. Several Rust modules may add to one LOOK module.
    pub fn new(modules: impl IntoIterator<Item = &'static Module>) -> Arc<Self> {
        let modules: Vec<&'static Module> = modules.into_iter().collect();
        let builtins: Vec<&'static Builtin> = modules.iter().flat_map(|module| module.builtins).collect();
        let signatures = Signatures::new(builtins.iter().map(|builtin| &builtin.signature).collect());
        let arity = |builtin: &&Builtin| {
            let signature = &builtin.signature;
            (signature.min_args() as u16, signature.max_args().map_or(u16::MAX, |max| max as u16))
        };
        let arities = builtins.iter().map(arity).collect();
        Arc::new(Self { modules, builtins, arities, signatures })
    }

    /// The signatures, for compiler and checker.
    pub fn signatures(&self) -> &Signatures {
        &self.signatures
    }

    /// The modules in the order they were given.
    pub fn modules(&self) -> &[&'static Module] {
        &self.modules
    }

    /// The builtin with this id.
    pub fn get(&self, id: BuiltinId) -> Option<&'static Builtin> {
        self.builtins.get(id.0 as usize).copied()
    }

    /// Calls the builtin at a position that the linker has checked.
    ///
    /// # Errors
    /// As [`Builtin::invoke`].
    #[inline(always)]
    pub(crate) fn invoke(&self, at: u16, cx: &mut Cx<'_>, args: &mut [Value]) -> Result<Value, Thrown> {
        let (builtin, (min, max)) = (self.builtins[at as usize], self.arities[at as usize]);
        if args.len() < min as usize || args.len() > max as usize {
            return builtin.invoke(cx, args);
        }
        (builtin.call)(cx, args)
    }

    /// All builtins; the position is the id.
    pub fn builtins(&self) -> &[&'static Builtin] {
        &self.builtins
    }

    /// Finds `module::name`.
    pub fn find(&self, module: &str, name: &str) -> Option<&'static Builtin> {
        self.signatures.find(module, name).and_then(|(id, _)| self.get(id))
    }
}

/// The one wording for an argument of the wrong type. `index` counts from 0.
#[cold]
pub fn argument_error(signature: &Signature, index: usize, given: &Value) -> Thrown {
    let param = signature.params.get(index).or(signature.params.last());
    let (name, ty) = param.map_or(("", Ty::Any), |param| (param.name, param.ty));
    let nullable = if param.is_some_and(|param| param.nullable) { " or null" } else { "" };
    Thrown::error(format!(
        "{}(): argument {} (${name}) must be {}{nullable}, got {}",
        signature.full_name(),
        index + 1,
        ty.name(),
        describe(given)
    ))
}

/// A Rust type that an argument can become.
///
/// Borrowed types read the argument in place; owned ones take it, so that a builtin may change it without a copy when the
/// caller has given up its own.
pub trait FromValue<'a>: Sized {
    /// The type in signatures.
    const TY: Ty;
    /// True when `null` is taken too.
    const NULLABLE: bool = false;

    /// The argument, or none when it has another type.
    fn from_value(value: &'a mut Value) -> Option<Self>;
}

/// A Rust type that can become a result.
pub trait IntoValue {
    /// The type in signatures.
    const TY: Ty;
    /// True when the result may be `null` instead.
    const NULLABLE: bool = false;

    /// The result.
    fn into_value(self) -> Value;
}

macro_rules! from_view {
    ($($type:ty, $ty:expr, $pattern:pat => $result:expr;)+) => {$(
        impl<'a> FromValue<'a> for $type {
            const TY: Ty = $ty;

            #[inline(always)]
            fn from_value(value: &'a mut Value) -> Option<Self> {
                match value.view() {
                    $pattern => $result,
                    _ => None,
                }
            }
        }
    )+};
}

from_view! {
    bool, Ty::Bool, View::Bool(value) => Some(value);
    i64, Ty::Int, View::Int(value) => Some(value);
    &'a Str, Ty::Str, View::Str(text) => Some(text);
    &'a [u8], Ty::Str, View::Str(text) => Some(text.as_bytes());
    &'a List, Ty::List, View::List(list) => Some(list);
    &'a Map, Ty::Map, View::Map(map) => Some(map);
    &'a Function, Ty::Function, View::Function(function) => Some(function);
    &'a Handle, Ty::Handle, View::Handle(handle) => Some(handle);
}

impl<'a> FromValue<'a> for f64 {
    const TY: Ty = Ty::Float;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        Number::from_value(value).map(Number::to_float)
    }
}

impl<'a> FromValue<'a> for Number {
    const TY: Ty = Ty::Number;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        match value.view() {
            View::Int(value) => Some(Self::Int(value)),
            View::Float(value) => Some(Self::Float(value)),
            _ => None,
        }
    }
}

impl<'a> FromValue<'a> for &'a Value {
    const TY: Ty = Ty::Any;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        Some(value)
    }
}

/// A list or a map.
#[derive(Clone, Copy, Debug)]
pub enum Array<'a> {
    /// A list.
    List(&'a List),
    /// A map.
    Map(&'a Map),
}

impl<'a> Array<'a> {
    /// The values in order.
    pub fn values(self) -> &'a [Value] {
        match self {
            Self::List(list) => list,
            Self::Map(map) => map.values(),
        }
    }
}

impl<'a> FromValue<'a> for Array<'a> {
    const TY: Ty = Ty::Array;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        match value.view() {
            View::List(list) => Some(Self::List(list)),
            View::Map(map) => Some(Self::Map(map)),
            _ => None,
        }
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    const TY: Ty = T::TY;
    const NULLABLE: bool = true;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value(value).map(Some) }
    }
}

macro_rules! from_owned {
    ($($type:ty, $ty:expr, $borrow:ident;)+) => {$(
        impl<'a> FromValue<'a> for $type {
            const TY: Ty = $ty;

            fn from_value(value: &'a mut Value) -> Option<Self> {
                // The clone and the drop of the taken value cancel: the count ends where it was, owned here alone.
                let owned = value.$borrow().cloned()?;
                drop(value.take());
                Some(owned)
            }
        }
    )+};
}

from_owned! {
    Str, Ty::Str, as_str;
    List, Ty::List, as_list;
    Map, Ty::Map, as_map;
    Function, Ty::Function, as_function;
}

impl<'a> FromValue<'a> for Value {
    const TY: Ty = Ty::Any;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        Some(value.take())
    }
}

macro_rules! into_value {
    ($($type:ty, $ty:expr;)+) => {$(
        impl IntoValue for $type {
            const TY: Ty = $ty;

            #[inline(always)]
            fn into_value(self) -> Value {
                Value::from(self)
            }
        }
    )+};
}

into_value! {
    Value, Ty::Any;
    (), Ty::Null;
    bool, Ty::Bool;
    i64, Ty::Int;
    f64, Ty::Float;
    Str, Ty::Str;
    List, Ty::List;
    Map, Ty::Map;
    Function, Ty::Function;
    Handle, Ty::Handle;
}

impl IntoValue for Number {
    const TY: Ty = Ty::Number;

    fn into_value(self) -> Value {
        Value::from(self)
    }
}

impl IntoValue for String {
    const TY: Ty = Ty::Str;

    fn into_value(self) -> Value {
        Value::from(Str::from(self))
    }
}

impl IntoValue for &str {
    const TY: Ty = Ty::Str;

    fn into_value(self) -> Value {
        Value::from(Str::from(self))
    }
}

impl IntoValue for Vec<u8> {
    const TY: Ty = Ty::Str;

    fn into_value(self) -> Value {
        Value::from(Str::from(self))
    }
}

impl IntoValue for Vec<Value> {
    const TY: Ty = Ty::List;

    fn into_value(self) -> Value {
        Value::from(List::from(self))
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    const TY: Ty = T::TY;
    const NULLABLE: bool = true;

    fn into_value(self) -> Value {
        self.map_or(Value::NULL, IntoValue::into_value)
    }
}
