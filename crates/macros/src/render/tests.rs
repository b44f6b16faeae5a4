//! What the attribute writes, on the level of tokens.

use crate::parse::parse;
use proc_macro2::TokenStream;
use quote::quote;

fn expand(body: TokenStream) -> Result<String, String> {
    let item = quote!(
        /// Text.
        pub mod text { #body }
    );
    match parse(quote!(name = "string"), item) {
        Ok(module) => Ok(super::render(&module).to_string()),
        Err(error) => Err(error.to_string()),
    }
}

#[track_caller]
fn assert_has(output: &str, part: TokenStream) {
    let part = part.to_string();
    assert!(output.contains(&part), "expected {part}\nin {output}");
}

#[test]
fn a_function_becomes_an_entry() {
    let output = expand(quote! {
        fn helper() {}

        /// Repeats.
        ///
        /// More.
        #[builtin(pure)]
        fn repeat(cx: &mut Cx<'_>, text: &Str, #[default = -2] times: i64) -> Result<Str, Thrown> { body() }
    })
    .expect("well written");
    assert_has(
        &output,
        quote!(
            fn helper() {}
        ),
    );
    assert_has(
        &output,
        quote!(
            fn repeat(cx: &mut Cx<'_>, text: &Str, times: i64) -> Result<Str, Thrown> {
                body()
            }
        ),
    );
    assert_has(&output, quote!(pub static MODULE: ::vm::Module = ::vm::Module));
    assert_has(&output, quote!(name: "string", doc: "Text.", builtins: &));
    assert_has(
        &output,
        quote!(
            name: "text",
            ty: <&Str as ::vm::FromValue<'_>>::TY,
            nullable: <&Str as ::vm::FromValue<'_>>::NULLABLE,
            optional: false,
            default: "",
            rest: false,
        ),
    );
    assert_has(&output, quote!(optional: true, default: "-2", rest: false,));
    assert_has(
        &output,
        quote!(
            returns: <Str as ::vm::IntoValue>::TY,
            returns_nullable: <Str as ::vm::IntoValue>::NULLABLE,
            may_throw: true,
            effect: ::bytecode::Effect::Pure,
            intrinsic: ::core::option::Option::None,
            doc: "Repeats.\n\nMore.",
        ),
    );
    assert_has(&output, quote!(::core::option::Option::None => -2,));
    assert_has(
        &output,
        quote!(::core::result::Result::Ok(::vm::IntoValue::into_value(self::repeat(cx, argument_0, argument_1)?))),
    );
    assert_eq!(output.matches("const SIGNATURE").count(), 1);
}

#[test]
fn aliases_are_entries_of_their_own() {
    let output = expand(quote! {
        /// Converts.
        #[builtin(pure, name = "int", alias = "intval", alias = "type::to_int", alias = "::toint", intrinsic = Count)]
        fn to_int(value: &Value) -> i64 { 0 }
    })
    .expect("well written");
    for (module, name) in [("string", "int"), ("string", "intval"), ("type", "to_int"), ("", "toint")] {
        assert_has(&output, quote!(module: #module, name: #name,));
    }
    assert_has(&output, quote!(intrinsic: ::core::option::Option::Some(::bytecode::Intrinsic::Count),));
    assert_has(&output, quote!(may_throw: false,));
    assert_has(&output, quote!(_cx: &mut ::vm::Cx<'_>,));
}

#[test]
fn options_at_the_end_and_rest_may_be_left_out() {
    let output = expand(quote! {
        /// All kinds.
        #[builtin(writes)]
        fn all(middle: Option<i64>, first: bool, last: Option<&Str>, #[default = b"\n"] end: &[u8], rest: &mut [Value]) {}
    })
    .expect("well written");
    assert_has(&output, quote!(nullable: <Option<i64> as ::vm::FromValue<'_>>::NULLABLE, optional: false,));
    assert_has(&output, quote!(nullable: <Option<&Str> as ::vm::FromValue<'_>>::NULLABLE, optional: true,));
    assert_has(&output, quote!(optional: true, default: "\"\\n\"", rest: false,));
    assert_has(&output, quote!(ty: ::bytecode::Ty::Any, nullable: false, optional: false, default: "", rest: true,));
    assert_has(&output, quote!(let argument_4 = args.into_slice();));
    assert_has(&output, quote!(returns: <() as ::vm::IntoValue>::TY,));
}

#[test]
fn mistakes_are_named() {
    for (body, message) in [
        (
            quote!(
                /// Doc.
                #[builtin]
                fn f() {}
            ),
            "say what the builtin may do",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(fast)]
                fn f() {}
            ),
            "unknown effect",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure, reads)]
                fn f() {}
            ),
            "one effect",
        ),
        (
            quote!(
                #[builtin(pure)]
                fn f() {}
            ),
            "needs a doc comment",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                async fn f() {}
            ),
            "cannot be async",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                fn f<T>() {}
            ),
            "cannot be generic",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure, intrinsic = Sort)]
                fn f() {}
            ),
            "unknown intrinsic",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure, title = "x")]
                fn f() {}
            ),
            "expected name",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                fn f(#[default = 1] a: i64, b: i64) {}
            ),
            "cannot stand before",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                fn f(#[default = "x"] a: &[u8]) {}
            ),
            "needs bytes",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                fn f(#[default = f()] a: i64) {}
            ),
            "a default is a literal",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                fn f(rest: &mut [Value], a: i64) {}
            ),
            "only the last parameter",
        ),
        (
            quote!(
                /// Doc.
                #[builtin(pure)]
                fn f((a, b): (i64, i64)) {}
            ),
            "a plain name",
        ),
    ] {
        let error = expand(body).expect_err(message);
        assert!(error.contains(message), "{error}");
    }
    assert!(
        parse(
            quote!(title = "x"),
            quote!(
                mod m {}
            )
        )
        .is_err()
    );
    assert!(
        parse(
            quote!(name = "x"),
            quote!(
                mod m;
            )
        )
        .is_err()
    );
}
