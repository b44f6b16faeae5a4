//! Structs: values in declared order beside the declaration.

use super::shape::Shape;
use super::string::Str;
use super::{Header, HeapKind};
use crate::value::Value;
use std::ptr::NonNull;
use std::sync::Arc;

/// The type of a struct field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FieldType {
    /// `int`.
    Int,
    /// `float`; an int is converted.
    Float,
    /// `string`.
    Str,
    /// `bool`.
    Bool,
    /// `array`: a list.
    Array,
    /// `map`; the empty list is accepted.
    Map,
    /// `fn`.
    Function,
    /// `any`.
    Any,
    /// A struct by name.
    Struct(Box<str>),
    /// A name that is neither a type nor a struct; using the struct is an error.
    Unknown(Box<str>),
}

impl FieldType {
    /// The type as written.
    pub fn name(&self) -> &str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Str => "string",
            Self::Bool => "bool",
            Self::Array => "array",
            Self::Map => "map",
            Self::Function => "fn",
            Self::Any => "any",
            Self::Struct(name) | Self::Unknown(name) => name,
        }
    }
}

/// One declared field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldDef {
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub ty: FieldType,
    /// True when declared with `?`.
    pub nullable: bool,
}

/// A struct declaration, shared by all threads.
#[derive(PartialEq, Eq, Debug)]
pub struct StructDef {
    /// The name.
    pub name: Box<str>,
    /// The fields in order.
    pub fields: Vec<FieldDef>,
}

impl StructDef {
    /// Position of a field.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        self.fields.iter().position(|field| field.name.as_bytes() == name)
    }

    /// The field names as a shape of this thread, for a conversion to a map.
    pub fn shape(&self) -> Shape {
        let keys: Vec<Str> = self.fields.iter().map(|field| Str::from(&*field.name)).collect();
        Shape::of(&keys)
    }
}

/// A struct on the heap. `fields[i]` belongs to `def.fields[i]`.
#[derive(Debug)]
#[repr(C)]
pub struct StructObject {
    pub(crate) header: Header,
    pub(crate) def: Arc<StructDef>,
    pub(crate) fields: Vec<Value>,
}

super::counted! {
    /// A counted struct instance.
    Struct => StructObject
}

impl Struct {
    /// An instance. Field types are the caller's to check (`access::coerce_field`).
    ///
    /// # Panics
    /// When there is not one value for each field.
    pub fn new(def: Arc<StructDef>, fields: Vec<Value>) -> Self {
        assert_eq!(def.fields.len(), fields.len(), "a struct has one value for each field");
        let object = Box::new(StructObject { header: Header::new(HeapKind::Struct), def, fields });
        Self(NonNull::from(Box::leak(object)))
    }

    /// The declaration.
    #[inline]
    pub fn def(&self) -> &Arc<StructDef> {
        &self.object().def
    }

    /// The name of the struct.
    pub fn name(&self) -> &str {
        &self.object().def.name
    }

    /// Values in declared order.
    #[inline]
    pub fn fields(&self) -> &[Value] {
        &self.object().fields
    }

    /// Names and values in declared order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.object().def.fields.iter().map(|field| &*field.name).zip(&self.object().fields)
    }

    /// The value of a field.
    pub fn get(&self, name: &[u8]) -> Option<&Value> {
        self.fields().get(self.def().find(name)?)
    }

    /// The values for writing. A shared instance is copied first. Types are the caller's to check.
    #[inline]
    pub fn fields_mut(&mut self) -> &mut [Value] {
        if !self.is_unique() {
            *self = Self::new(self.def().clone(), self.fields().to_vec());
        }
        // SAFETY: unique now.
        unsafe { &mut self.0.as_mut().fields }
    }
}

impl std::fmt::Debug for Struct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "struct {}", self.name())
    }
}
