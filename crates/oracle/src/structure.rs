//! Structs: what a field takes and what it holds at first.

use std::sync::Arc;
use syntax::tree::StructDecl;
use vm::text::type_name;
use vm::{FieldDef, FieldType, List, Map, StructDef, Thrown, Value, View};

/// The declaration as values refer to it. `is_struct` knows the structs of the program.
pub(crate) fn definition(decl: &StructDecl, is_struct: &dyn Fn(&str) -> bool) -> Arc<StructDef> {
    let fields = decl.fields.iter().map(|field| FieldDef {
        name: Box::from(&*field.name.name),
        ty: match &*field.ty.name {
            "int" => FieldType::Int,
            "float" => FieldType::Float,
            "string" => FieldType::Str,
            "bool" => FieldType::Bool,
            "array" => FieldType::Array,
            "map" => FieldType::Map,
            "fn" => FieldType::Function,
            "any" => FieldType::Any,
            name if is_struct(name) => FieldType::Struct(Box::from(name)),
            name => FieldType::Unknown(Box::from(name)),
        },
        nullable: field.nullable,
    });
    Arc::new(StructDef { name: Box::from(&*decl.name.name), fields: fields.collect() })
}

/// Refuses a struct that has a field of a type that does not exist.
///
/// # Errors
/// The first such field.
pub(crate) fn check_types(def: &StructDef) -> Result<(), Thrown> {
    for field in &def.fields {
        if let FieldType::Unknown(ty) = &field.ty {
            let (owner, name) = (&def.name, &field.name);
            return Err(Thrown::error(format!(
                "struct '{owner}': field '{name}' has unknown type '{ty}' (expected int, float, string, bool, array, \
                 map, fn, any or the name of a struct)"
            )));
        }
    }
    Ok(())
}

/// What a field without a default holds at first.
pub(crate) fn zero(field: &FieldDef) -> Value {
    match field.ty {
        _ if field.nullable => Value::NULL,
        FieldType::Int => Value::int(0),
        FieldType::Float => Value::float(0.0),
        FieldType::Str => Value::str(""),
        FieldType::Bool => Value::FALSE,
        FieldType::Array => Value::from(List::new()),
        FieldType::Map => Value::from(Map::new()),
        FieldType::Function | FieldType::Any | FieldType::Struct(_) | FieldType::Unknown(_) => Value::NULL,
    }
}

/// The value as the field stores it: a float field makes an int a float, a map field makes the empty list a map.
///
/// # Errors
/// A value of another type.
pub(crate) fn stored(owner: &str, field: &FieldDef, value: Value) -> Result<Value, Thrown> {
    let takes = match (&field.ty, value.view()) {
        (FieldType::Float, View::Int(int)) => return Ok(Value::float(int as f64)),
        (FieldType::Map, View::List(list)) if list.is_empty() => return Ok(Value::from(Map::new())),
        (FieldType::Any | FieldType::Function | FieldType::Struct(_), View::Null) => true,
        (_, View::Null) => field.nullable,
        (FieldType::Any, _) => true,
        (FieldType::Int, View::Int(_)) => true,
        (FieldType::Float, View::Float(_)) => true,
        (FieldType::Str, View::Str(_)) => true,
        (FieldType::Bool, View::Bool(_)) => true,
        (FieldType::Array, View::List(_)) => true,
        (FieldType::Map, View::Map(_)) => true,
        (FieldType::Function, View::Function(_)) => true,
        (FieldType::Struct(name), View::Struct(instance)) => instance.name() == &**name,
        _ => false,
    };
    if takes {
        return Ok(value);
    }
    let got = match value.view() {
        View::Struct(instance) => instance.name(),
        View::Function(_) => "fn",
        _ => type_name(&value),
    };
    let (name, ty) = (&field.name, field.ty.name());
    let mark = if field.nullable { "?" } else { "" };
    let hint = if value.is_null() { format!(" (declare it as ?{ty} to allow null)") } else { String::new() };
    Err(Thrown::error(format!("struct '{owner}': field '{name}' expects {mark}{ty}, got {got}{hint}")))
}
