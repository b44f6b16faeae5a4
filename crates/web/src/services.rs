//! `app::`: services that handlers share, such as a connection, under names.

use crate::context::Context;
use crate::setup::Setup;
use vm::{Cx, Map, Str, Thrown, Value};

/// What a name stands for: as the request has set it, else as the setup has.
fn find(cx: &mut Cx<'_>, name: &Str) -> Option<Value> {
    if let Some(context) = cx.isolate().purpose::<Context>() {
        let own = context.services.as_ref().and_then(|own| own.get_str(name));
        return own.or_else(|| context.application.services()?.get_str(name)).cloned();
    }
    cx.isolate().purpose::<Setup>()?.services.get_str(name).cloned()
}

/// Values that the whole program shares by name. `app::NAME()` is short for `app::get("NAME")`.
#[macros::module(name = "app")]
pub(crate) mod builtins {
    use super::*;

    /// Gives a value a name. At the top level for all requests, in a handler for the current one.
    ///
    /// ```look
    /// app::set("title", "Shop")
    /// ```
    #[builtin(writes)]
    fn set(cx: &mut Cx<'_>, name: &Str, value: Value) -> Result<(), Thrown> {
        if let Some(context) = cx.isolate().purpose::<Context>() {
            context.services.get_or_insert_with(Map::new).insert(name.clone(), value);
            return Ok(());
        }
        match cx.isolate().purpose::<Setup>() {
            Some(setup) => setup.set_service(name, value),
            None => {
                return Err(Thrown::error("app::set(): there is no server here; start the program with gander serve"));
            }
        }
        Ok(())
    }

    /// The value that has this name; `null` if there is none.
    ///
    /// ```look
    /// print(app::get("none"))   // null
    /// ```
    #[builtin(reads)]
    fn get(cx: &mut Cx<'_>, name: &Str) -> Option<Value> {
        find(cx, name)
    }

    /// Whether a value has this name.
    ///
    /// ```look
    /// print(app::has("none"))   // false
    /// ```
    #[builtin(reads)]
    fn has(cx: &mut Cx<'_>, name: &Str) -> bool {
        find(cx, name).is_some()
    }

    /// The database connection: the value with the name `db`.
    ///
    /// ```look
    /// print(app::db())   // null
    /// ```
    #[builtin(reads)]
    fn db(cx: &mut Cx<'_>) -> Option<Value> {
        find(cx, &Str::from("db"))
    }
}
