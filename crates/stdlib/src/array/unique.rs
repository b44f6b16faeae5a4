//! Distinct values by `==`, each kind found by what suits it.

use std::collections::HashSet;
use vm::compare::equals;
use vm::{Str, Thrown, Value, View};

/// Values seen so far.
#[derive(Default)]
struct Seen<'a> {
    /// Null, false, true.
    fixed: [bool; 3],
    texts: HashSet<&'a [u8]>,
    ints: HashSet<i64>,
    /// Bits of floats that no int equals.
    floats: HashSet<u64>,
    /// Everything else is compared one by one.
    others: Vec<&'a Value>,
}

/// The int that equals a float, if one does.
fn as_int(value: f64) -> Option<i64> {
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    (value.trunc() == value && (-TWO_63..TWO_63).contains(&value)).then_some(value as i64)
}

impl<'a> Seen<'a> {
    /// True when no equal value came before.
    fn is_new(&mut self, value: &'a Value) -> Result<bool, Thrown> {
        let fixed = match value.view() {
            View::Null => 0,
            View::Bool(value) => 1 + usize::from(value),
            View::Int(value) => return Ok(self.ints.insert(value)),
            View::Float(value) => {
                return Ok(value.is_nan()
                    || match as_int(value) {
                        Some(int) => self.ints.insert(int),
                        None => self.floats.insert(value.to_bits()),
                    });
            }
            View::Str(text) => return Ok(self.texts.insert(Str::as_bytes(text))),
            View::List(_) | View::Map(_) | View::Struct(_) | View::Function(_) | View::Handle(_) => {
                for other in &self.others {
                    if equals(other, value)? {
                        return Ok(false);
                    }
                }
                self.others.push(value);
                return Ok(true);
            }
        };
        Ok(self.fixed.get_mut(fixed).is_some_and(|seen| !std::mem::replace(seen, true)))
    }
}

/// The first of each group of equal values.
///
/// # Errors
/// Values nested too deep to be compared.
pub(super) fn unique(values: &[Value]) -> Result<Vec<Value>, Thrown> {
    let mut seen = Seen::default();
    let mut unique = Vec::new();
    for value in values {
        if seen.is_new(value)? {
            unique.push(value.clone());
        }
    }
    Ok(unique)
}
