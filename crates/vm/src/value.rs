//! The value: sixteen bytes, a tag and a payload.
//!
//! `Value` owns its heap object: clone counts up, drop counts down. Null, bools and numbers are plain bits. Tags from
//! [`Tag::Str`] on are heap objects; engines rely on that order and on the layout (tag at 0, payload at 8).

use crate::heap::function::Function;
use crate::heap::handle::Handle;
use crate::heap::list::List;
use crate::heap::map::Map;
use crate::heap::string::Str;
use crate::heap::structs::Struct;
use crate::heap::{Header, release};
use std::mem::ManuallyDrop;
use std::ptr::{NonNull, without_provenance_mut};

/// What kind of value it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u64)]
pub enum Tag {
    /// An unassigned variable. Never seen by a script: reading it is an error.
    Undef = 0,
    /// `null`
    Null = 1,
    /// `true` and `false`
    Bool = 2,
    /// 64-bit integer.
    Int = 3,
    /// 64-bit float.
    Float = 4,
    /// Bytes, normally UTF-8. The first heap tag.
    Str = 5,
    /// List.
    List = 6,
    /// Map in insertion order.
    Map = 7,
    /// Struct instance.
    Struct = 8,
    /// Function.
    Function = 9,
    /// Object of the runtime.
    Handle = 10,
}

/// A value of the language.
#[repr(C)]
pub struct Value {
    tag: Tag,
    /// Bits of a number, or the address of a heap object.
    payload: *mut Header,
}

const _: () = assert!(size_of::<Value>() == 16 && size_of::<Option<Value>>() == 16);

/// A value taken apart for reading.
#[derive(Debug)]
pub enum View<'a> {
    /// `null` (and an unassigned variable).
    Null,
    /// A bool.
    Bool(bool),
    /// An int.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string.
    Str(&'a Str),
    /// A list.
    List(&'a List),
    /// A map.
    Map(&'a Map),
    /// A struct.
    Struct(&'a Struct),
    /// A function.
    Function(&'a Function),
    /// A handle.
    Handle(&'a Handle),
}

/// A value taken apart for writing in place.
#[derive(Debug)]
pub enum ViewMut<'a> {
    /// A list.
    List(&'a mut List),
    /// A map.
    Map(&'a mut Map),
    /// A struct.
    Struct(&'a mut Struct),
    /// A string.
    Str(&'a mut Str),
    /// Anything else.
    Other(&'a mut Value),
}

impl Value {
    /// `null`
    pub const NULL: Self = Self::bits(Tag::Null, 0);
    /// An unassigned variable.
    pub const UNDEF: Self = Self::bits(Tag::Undef, 0);
    /// `true`
    pub const TRUE: Self = Self::bits(Tag::Bool, 1);
    /// `false`
    pub const FALSE: Self = Self::bits(Tag::Bool, 0);

    const fn bits(tag: Tag, bits: u64) -> Self {
        Self { tag, payload: without_provenance_mut(bits as usize) }
    }

    /// A bool.
    #[inline(always)]
    pub const fn bool(value: bool) -> Self {
        Self::bits(Tag::Bool, value as u64)
    }

    /// An int.
    #[inline(always)]
    pub const fn int(value: i64) -> Self {
        Self::bits(Tag::Int, value as u64)
    }

    /// A float.
    #[inline(always)]
    pub const fn float(value: f64) -> Self {
        Self::bits(Tag::Float, value.to_bits())
    }

    /// A string holding a copy of `bytes`.
    pub fn str(bytes: impl AsRef<[u8]>) -> Self {
        Self::from(Str::new(bytes.as_ref()))
    }

    /// Its tag.
    #[inline(always)]
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// True for heap objects.
    #[inline(always)]
    pub fn is_heap(&self) -> bool {
        self.tag >= Tag::Str
    }

    /// True for `null`, and for what was never assigned.
    #[inline(always)]
    pub fn is_null(&self) -> bool {
        self.tag <= Tag::Null
    }

    /// The int, if it is one.
    #[inline(always)]
    pub fn as_int(&self) -> Option<i64> {
        (self.tag == Tag::Int).then(|| self.raw_int())
    }

    /// The payload as an int, whatever the tag.
    #[inline(always)]
    pub(crate) fn raw_int(&self) -> i64 {
        self.payload.addr() as i64
    }

    /// The payload as a float, whatever the tag.
    #[inline(always)]
    pub(crate) fn raw_float(&self) -> f64 {
        f64::from_bits(self.payload.addr() as u64)
    }

    /// True for a variable that was never assigned.
    #[inline(always)]
    pub(crate) fn is_undefined(&self) -> bool {
        self.tag == Tag::Undef
    }

    /// The string, if it is one.
    #[inline(always)]
    pub fn as_str(&self) -> Option<&Str> {
        match self.view() {
            View::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[inline(always)]
    pub fn as_list(&self) -> Option<&List> {
        match self.view() {
            View::List(list) => Some(list),
            _ => None,
        }
    }

    /// The map, if it is one.
    #[inline(always)]
    pub fn as_map(&self) -> Option<&Map> {
        match self.view() {
            View::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The function, if it is one.
    #[inline(always)]
    pub fn as_function(&self) -> Option<&Function> {
        match self.view() {
            View::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The payload seen as a counted pointer.
    ///
    /// # Safety
    /// `T` is the counted type of the value's tag.
    #[inline(always)]
    unsafe fn counted<T>(&self) -> &T {
        // SAFETY: counted types are transparent over a non-null pointer, and the payload of a heap value is that pointer.
        unsafe { &*(&raw const self.payload).cast::<T>() }
    }

    /// # Safety
    /// As [`Self::counted`].
    #[inline(always)]
    unsafe fn counted_mut<T>(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *(&raw mut self.payload).cast::<T>() }
    }

    /// The value taken apart for reading.
    #[inline(always)]
    pub fn view(&self) -> View<'_> {
        // SAFETY: each tag is read as the type it was made from.
        unsafe {
            match self.tag {
                Tag::Undef | Tag::Null => View::Null,
                Tag::Bool => View::Bool(self.payload.addr() != 0),
                Tag::Int => View::Int(self.raw_int()),
                Tag::Float => View::Float(self.raw_float()),
                Tag::Str => View::Str(self.counted()),
                Tag::List => View::List(self.counted()),
                Tag::Map => View::Map(self.counted()),
                Tag::Struct => View::Struct(self.counted()),
                Tag::Function => View::Function(self.counted()),
                Tag::Handle => View::Handle(self.counted()),
            }
        }
    }

    /// The value taken apart for writing in place.
    #[inline(always)]
    pub fn view_mut(&mut self) -> ViewMut<'_> {
        // SAFETY: each tag is read as the type it was made from.
        unsafe {
            match self.tag {
                Tag::Str => ViewMut::Str(self.counted_mut()),
                Tag::List => ViewMut::List(self.counted_mut()),
                Tag::Map => ViewMut::Map(self.counted_mut()),
                Tag::Struct => ViewMut::Struct(self.counted_mut()),
                Tag::Undef | Tag::Null | Tag::Bool | Tag::Int | Tag::Float | Tag::Function | Tag::Handle => {
                    ViewMut::Other(self)
                }
            }
        }
    }

    /// Takes the value away and leaves null.
    #[inline(always)]
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::NULL)
    }

    /// The heap object, if it is one.
    #[inline(always)]
    pub(crate) fn object(&self) -> Option<NonNull<Header>> {
        if self.is_heap() { NonNull::new(self.payload) } else { None }
    }

    /// True when both are the same bits: the same number, or the same object.
    #[inline(always)]
    pub fn is_identical(&self, other: &Self) -> bool {
        self.tag == other.tag && self.payload == other.payload
    }
}

impl Clone for Value {
    #[inline(always)]
    fn clone(&self) -> Self {
        if self.is_heap() {
            // SAFETY: a heap value's payload is a live object.
            unsafe { (*self.payload).retain() };
        }
        Self { tag: self.tag, payload: self.payload }
    }
}

impl Drop for Value {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(object) = self.object() {
            // SAFETY: this value owns one count of its object.
            unsafe { release(object) }
        }
    }
}

macro_rules! from_counted {
    ($($counted:ty => $tag:expr),+ $(,)?) => {$(
        impl From<$counted> for Value {
            #[inline(always)]
            fn from(object: $counted) -> Self {
                // The count moves from the pointer to the value.
                let object = ManuallyDrop::new(object);
                Self { tag: $tag, payload: object.0.as_ptr().cast() }
            }
        }
    )+};
}

from_counted! {
    Str => Tag::Str,
    List => Tag::List,
    Map => Tag::Map,
    Struct => Tag::Struct,
    Function => Tag::Function,
    Handle => Tag::Handle,
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::float(value)
    }
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::NULL
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::NULL, Into::into)
    }
}

impl Default for Value {
    fn default() -> Self {
        Self::NULL
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.view().fmt(f)
    }
}
