//! An argument that may be `null` but must be given.

use bytecode::Ty;
use vm::{FromValue, Value};

/// `null`, or a `T`. `Option<T>` as a parameter may be left out; this may not.
pub(crate) struct Nullable<T>(pub(crate) Option<T>);

impl<'a, T: FromValue<'a>> FromValue<'a> for Nullable<T> {
    const TY: Ty = T::TY;
    const NULLABLE: bool = true;

    fn from_value(value: &'a mut Value) -> Option<Self> {
        Option::from_value(value).map(Self)
    }
}
