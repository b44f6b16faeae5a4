//! All builtins: the one place where the lists of the crates meet.

use std::sync::Arc;
use vm::Registry;

/// The builtins that programs can call.
pub fn registry() -> Arc<Registry> {
    Registry::new(stdlib::ALL.iter().chain(web::ALL).copied())
}
