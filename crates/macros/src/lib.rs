//! `#[module]`: reads a Rust module and writes the table of builtins that it declares.
//!
//! What a script author sees of a builtin (name, parameters, defaults, result, documentation) and the conversion of
//! arguments come from one Rust function; there is no second list to forget.

#![forbid(unsafe_code)]

mod parse;
mod render;

use proc_macro::TokenStream;

/// Makes a Rust module offer builtins: adds `MODULE`, a `vm::Module` with one entry for each `#[builtin]` function.
///
/// ```ignore
/// #[module(name = "string")]
/// pub mod string {
///     //! Text.
///
///     /// The text `times` times in a row.
///     #[builtin(pure, alias = "again", alias = "text::again")]
///     fn repeat(text: &Str, #[default = 2] times: i64) -> Result<Str, Thrown> { … }
/// }
/// ```
///
/// `#[builtin(EFFECT, …)]` takes one of `pure`, `reads`, `writes`, `calls`, `waits`, then:
/// - `name = "of"` where the name in LOOK differs from the Rust name;
/// - `alias = "other"`, `alias = "module::other"` or `alias = "::other"` (no module) for further names, repeatable;
/// - `intrinsic = Push`, `Pop` or `Count` for an operation of its own.
///
/// Parameters: `cx: &mut Cx<'_>` first if wanted; then types that implement `vm::FromValue`. `#[default = LITERAL]` makes
/// one optional, as does the type `Option<T>` at the end (left out or `null` is `None`). A last parameter of type
/// `&mut [Value]` takes all further arguments. The result is a type that implements `vm::IntoValue`, or a `Result` of it
/// with `Thrown`, which marks the builtin as one that may throw.
#[proc_macro_attribute]
pub fn module(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match parse::parse(attribute.into(), item.into()) {
        Ok(module) => render::render(&module).into(),
        Err(error) => error.into_compile_error().into(),
    }
}
