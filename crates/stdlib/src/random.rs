//! Randomness of the operating system, the only kind that crypto:: and auth:: use.

use vm::Thrown;

/// Fills `bytes`.
///
/// # Errors
/// The system has none to give.
pub(crate) fn fill(function: &str, bytes: &mut [u8]) -> Result<(), Thrown> {
    getrandom::fill(bytes)
        .map_err(|error| Thrown::error(format!("{function}(): the system gives no random bytes: {error}")))
}
