//! `bytecode::Program` → [`Image`]: constants become frozen values, functions get the tables the interpreter reads.

use crate::access::{coerce_field, zero_value};
use crate::builtin::Registry;
use crate::freeze::Frozen;
use crate::heap::function::{Function, FunctionKind};
use crate::heap::list::List;
use crate::heap::map::Map;
use crate::heap::shape::Shape;
use crate::heap::string::Str;
use crate::heap::structs::{FieldDef, FieldType, Struct, StructDef};
use crate::throw::ThrownKind;
use crate::value::Value;
use bytecode::{Constant, Instr, Op, Program, Site, StructType};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A function as the interpreter reads it. Everything the fast path needs stands side by side.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) instructions: *const Instr,
    pub(crate) constants: *const Value,
    /// By constant; only those that `ModK` uses are filled in.
    pub(crate) reciprocals: *const Reciprocal,
    /// Where the function begins when exactly its parameters are given.
    pub(crate) body: *const Instr,
    pub(crate) registers: u32,
    pub(crate) params: u32,
    /// First of the function's sites among all sites of the program.
    pub(crate) sites: u32,
    /// True when a call with exactly `params` arguments needs no further work.
    pub(crate) is_plain: bool,
    /// True for top levels, whose registers are globals.
    pub(crate) is_top: bool,
    /// Its place in the program.
    pub(crate) id: u32,
}

/// What a function's code points into.
#[derive(Debug)]
struct Tables {
    _constants: Box<[Value]>,
    _reciprocals: Box<[Reciprocal]>,
}

/// A struct as the interpreter reads it.
#[derive(Debug)]
pub(crate) struct StructImage {
    /// An instance with all constant defaults, frozen; or why there can be none.
    pub(crate) template: Result<Value, String>,
}

/// A site with its key as a value.
#[derive(Debug)]
pub(crate) enum SiteImage {
    Key { key: Str, dotted: bool },
    Keys(Vec<Str>),
}

/// A linked program.
#[derive(Debug)]
pub struct Image {
    pub(crate) program: Program,
    pub(crate) codes: Vec<Code>,
    pub(crate) structs: Vec<StructImage>,
    pub(crate) sites: Vec<SiteImage>,
    /// Keeps the arrays that `codes` points into.
    _tables: Vec<Tables>,
    /// Owns the objects behind all constants. Declared last: it goes after everything that refers to them.
    _frozen: Frozen,
}

// SAFETY: nothing in an image is written after `link`. Its values are frozen: counting skips them and what they cache has
// been computed. The pointers in `codes` lead to its own tables.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// An image without code.
    pub fn empty() -> Arc<Self> {
        Arc::new(Self {
            program: Program::default(),
            codes: Vec::new(),
            structs: Vec::new(),
            sites: Vec::new(),
            _tables: Vec::new(),
            _frozen: Frozen::default(),
        })
    }

    /// Links a program that has been compiled against this registry.
    ///
    /// # Errors
    /// A program that does not hold together; that is a fault of the compiler.
    pub fn link(program: Program, registry: &Registry) -> Result<Arc<Self>, String> {
        bytecode::verify(&program, registry.builtins().len())?;
        let mut linker = Linker { registry, functions: HashMap::new(), frozen: Frozen::default() };
        let structs = linker.structs(&program.structs);
        let tops: HashSet<u32> = program.files.iter().chain(&program.prelude).map(|file| file.top).collect();
        let (mut codes, mut sites, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        for (id, function) in program.functions.iter().enumerate() {
            let constants: Box<[Value]> = function.constants.iter().map(|value| linker.constant(value)).collect();
            let reciprocals = reciprocals(function);
            let is_top = tops.contains(&(id as u32));
            codes.push(Code {
                instructions: function.code.as_ptr(),
                constants: constants.as_ptr(),
                reciprocals: reciprocals.as_ptr(),
                body: function
                    .entries
                    .last()
                    .map_or(function.code.as_ptr(), |at| &raw const function.code[*at as usize]),
                registers: u32::from(function.registers),
                params: u32::from(function.params),
                sites: sites.len() as u32,
                is_plain: !function.has_rest && function.captures.is_empty() && function.own.is_none(),
                is_top,
                id: id as u32,
            });
            sites.extend(function.sites.iter().map(|site| linker.site(site)));
            tables.push(Tables { _constants: constants, _reciprocals: reciprocals });
        }
        let frozen = linker.frozen;
        Ok(Arc::new(Self { program, codes, structs, sites, _tables: tables, _frozen: frozen }))
    }
}

struct Linker<'a> {
    registry: &'a Registry,
    functions: HashMap<u32, Value>,
    frozen: Frozen,
}

impl Linker<'_> {
    fn frozen(&mut self, value: Value) -> Value {
        self.frozen.freeze(&value);
        value
    }

    fn constant(&mut self, constant: &Constant) -> Value {
        let value = match constant {
            Constant::Null => Value::NULL,
            Constant::Bool(value) => Value::bool(*value),
            Constant::Int(value) => Value::int(*value),
            Constant::Float(value) => Value::float(*value),
            Constant::Str(bytes) => Value::str(bytes),
            Constant::Field(bytes) => Value::from(Str::field_name(bytes)),
            Constant::List(items) => {
                let items: List = items.iter().map(|item| self.constant(item)).collect();
                Value::from(items)
            }
            Constant::Map(entries) => {
                let keys: Vec<Str> = entries.iter().map(|(key, _)| Str::new(key)).collect();
                let values = entries.iter().map(|(_, value)| self.constant(value)).collect();
                Value::from(Map::from_parts(Shape::of(&keys), values))
            }
            Constant::Function(id) => {
                // One value for each function, so that it equals itself wherever it is named.
                let known = self.functions.entry(*id);
                let make = || Value::from(Function::new(FunctionKind::Script { function: *id, captures: Vec::new() }));
                known.or_insert_with(make).clone()
            }
            Constant::Builtin(id) => match self.registry.get(*id) {
                Some(builtin) => Value::from(Function::new(FunctionKind::Builtin(builtin))),
                None => Value::NULL,
            },
        };
        self.frozen(value)
    }

    fn site(&mut self, site: &Site) -> SiteImage {
        let mut text = |bytes: &[u8]| {
            let text = Str::new(bytes);
            self.frozen(Value::from(text.clone()));
            text
        };
        match site {
            Site::Key { key, dotted } => SiteImage::Key { key: text(key), dotted: *dotted },
            Site::Keys(keys) => SiteImage::Keys(keys.iter().map(|key| text(key)).collect()),
        }
    }

    fn structs(&mut self, types: &[StructType]) -> Vec<StructImage> {
        let names: HashSet<&str> = types.iter().map(|ty| &*ty.name).collect();
        types.iter().map(|ty| StructImage { template: self.template(ty, &names) }).collect()
    }

    fn template(&mut self, ty: &StructType, names: &HashSet<&str>) -> Result<Value, String> {
        let field = |field: &bytecode::StructField| FieldDef {
            name: Box::from(&*field.name),
            ty: field_type(&field.ty, names),
            nullable: field.nullable,
        };
        let def = StructDef { name: Box::from(&*ty.name), fields: ty.fields.iter().map(field).collect() };
        let mut values = Vec::new();
        for (field, declared) in def.fields.iter().zip(&ty.fields) {
            let value = match &declared.default {
                Some(default) => self.constant(default),
                None => zero_value(field),
            };
            // A zero value always fits, except that a field of an unknown type fits nothing; null struct fields are fine.
            let checked = match (&declared.default, &field.ty) {
                (None, FieldType::Int | FieldType::Float | FieldType::Str | FieldType::Bool) => Ok(value),
                _ => coerce_field(&def.name, field, value),
            };
            values.push(checked.map_err(|thrown| match thrown.into_kind() {
                ThrownKind::Value { value, .. } => crate::text::to_text(&value).to_str_lossy().into_owned(),
                ThrownKind::Exit(_) | ThrownKind::Stop => String::new(),
            })?);
        }
        Ok(self.frozen(Value::from(Struct::new(Arc::new(def), values))))
    }
}

fn field_type(name: &str, structs: &HashSet<&str>) -> FieldType {
    match name {
        "int" => FieldType::Int,
        "float" => FieldType::Float,
        "string" => FieldType::Str,
        "bool" => FieldType::Bool,
        "array" => FieldType::Array,
        "map" => FieldType::Map,
        "fn" => FieldType::Function,
        "any" => FieldType::Any,
        other if structs.contains(other) => FieldType::Struct(Box::from(other)),
        other => FieldType::Unknown(Box::from(other)),
    }
}

/// What turns a remainder by a constant into multiplications: for `0 <= n < 2^63` and `d > 1` the quotient is
/// `(n * magic) >> 64 >> shift`, with `magic = ceil(2^(64 + shift) / d)` and `2^shift < d <= 2^(shift + 1)`
/// (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994).
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Reciprocal {
    pub(crate) magic: u64,
    pub(crate) shift: u32,
}

impl Reciprocal {
    /// The reciprocal of a divisor above 1.
    pub(crate) fn of(divisor: i64) -> Self {
        let divisor = divisor as u64;
        let shift = 63 - (divisor - 1).leading_zeros();
        let magic = (1u128 << (64 + shift)).div_ceil(u128::from(divisor));
        Self { magic: magic as u64, shift }
    }

    /// `n % divisor` for `n >= 0`.
    #[inline(always)]
    pub(crate) fn remainder(self, n: i64, divisor: i64) -> i64 {
        let high = ((n as u128 * u128::from(self.magic)) >> 64) as u64;
        n - ((high >> self.shift) as i64).wrapping_mul(divisor)
    }
}

fn reciprocals(function: &bytecode::Function) -> Box<[Reciprocal]> {
    if !function.code.iter().any(|instr| instr.op == Op::ModK) {
        return Box::default();
    }
    let reciprocal = |constant: &Constant| match constant {
        Constant::Int(divisor) if *divisor > 1 => Reciprocal::of(*divisor),
        _ => Reciprocal::default(),
    };
    function.constants.iter().map(reciprocal).collect()
}

#[cfg(test)]
mod tests {
    use super::Reciprocal;

    #[test]
    fn reciprocals_give_exact_remainders() {
        let divisors = [2, 3, 4, 5, 7, 10, 100, 641, 1 << 31, (1 << 31) + 1, 1_000_000_007, i64::MAX - 1, i64::MAX];
        for divisor in divisors {
            let reciprocal = Reciprocal::of(divisor);
            let mut n: i64 = 0;
            for step in 0..2000_i64 {
                for candidate in
                    [n, n.wrapping_mul(divisor) & i64::MAX, i64::MAX - n, divisor.wrapping_mul(step) & i64::MAX]
                {
                    for n in [candidate, candidate.saturating_sub(1).max(0), candidate.saturating_add(1)] {
                        assert_eq!(reciprocal.remainder(n, divisor), n % divisor, "{n} % {divisor}");
                    }
                }
                n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407) & i64::MAX;
            }
        }
    }
}
