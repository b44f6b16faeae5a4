//! Every pure builtin with every mix of awkward arguments ends in a value or an error.

use crate::testing::isolate;
use bytecode::Effect;
use vm::{Cx, List, Map, Str, Value};

/// More arguments than this are filled with the first awkward value.
const MIXED: u32 = 3;

fn awkward() -> Vec<Value> {
    let map: Map = [(Str::from("k"), Value::int(1)), (Str::from(""), Value::NULL)].into_iter().collect();
    vec![
        Value::NULL,
        Value::TRUE,
        Value::int(-1),
        Value::int(7),
        Value::int(i64::MIN),
        Value::int(i64::MAX),
        Value::float(f64::NAN),
        Value::float(-1e300),
        Value::str(""),
        Value::str(b"a\xff\xc3b"),
        Value::str("%5.2f $1 (ç)*[<"),
        Value::from(List::new()),
        Value::from(List::from(vec![Value::int(2), Value::str("x"), Value::from(List::from(vec![Value::NULL]))])),
        Value::from(map),
    ]
}

#[test]
fn no_pure_builtin_panics() {
    let mut isolate = isolate();
    let values = awkward();
    let registry = isolate.registry().clone();
    for builtin in registry.builtins().iter().filter(|builtin| builtin.signature.effect == Effect::Pure) {
        // Slow by design.
        if builtin.signature.module == "auth" {
            continue;
        }
        let most = builtin.signature.max_args().unwrap_or(MIXED as usize).min(MIXED as usize);
        for count in builtin.signature.min_args()..=most.max(builtin.signature.min_args()) {
            for mix in 0..values.len().pow((count as u32).min(MIXED)) {
                let mut rest = mix;
                let args = (0..count).filter_map(|_| {
                    let value = values.get(rest % values.len());
                    rest /= values.len();
                    value.cloned()
                });
                let mut args: Vec<Value> = args.collect();
                let _value_or_error = builtin.invoke(&mut Cx::new(&mut isolate), &mut args);
            }
        }
    }
}
