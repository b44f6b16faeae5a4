//! Writes the Rust of a module: the module as it stands, and behind its items the table with one entry for each name.
//!
//! An entry is a constant signature and a function that converts arguments; neither allocates.

use crate::parse::{Builtin, Module, Param, ParamKind};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Visibility;

/// The module with its table.
pub(crate) fn render(module: &Module) -> TokenStream {
    let mut item = module.item.clone();
    let (name, doc) = (&module.name, &module.doc);
    let summary = format!("The builtins of `{}`.", if name.is_empty() { "no module" } else { name });
    let entries = module.builtins.iter().flat_map(|builtin| {
        builtin.names.iter().map(|(module, name)| entry(builtin, module, name)).collect::<Vec<_>>()
    });
    // Whoever may name the module may name its table.
    let visibility = match &item.vis {
        Visibility::Inherited => quote!(pub(super)),
        Visibility::Public(public) => quote!(#public),
        Visibility::Restricted(_) => quote!(pub(crate)),
    };
    let table = quote! {
        #[doc = #summary]
        #visibility static MODULE: ::vm::Module = ::vm::Module { name: #name, doc: #doc, builtins: &[#(#entries),*] };
    };
    if let Some((_, items)) = &mut item.content {
        items.push(syn::Item::Verbatim(table));
    }
    quote!(#item)
}

fn entry(builtin: &Builtin, module: &str, name: &str) -> TokenStream {
    let Builtin { function, effect, doc, cfg, returns, may_throw, .. } = builtin;
    let params = builtin.params.iter().map(declare);
    let intrinsic = match &builtin.intrinsic {
        Some(intrinsic) => quote!(::core::option::Option::Some(::bytecode::Intrinsic::#intrinsic)),
        None => quote!(::core::option::Option::None),
    };
    let conversions = builtin.params.iter().enumerate().map(|(index, param)| convert(index, param));
    let cx = builtin.takes_cx.then(|| quote!(cx));
    let arguments = cx.into_iter().chain((0..builtin.params.len()).map(|index| {
        let local = local(index);
        quote!(#local)
    }));
    let cx_name = if builtin.takes_cx { quote!(cx) } else { quote!(_cx) };
    let (args_name, iterator) = if builtin.params.is_empty() {
        (quote!(_args), None)
    } else if matches!(builtin.params.as_slice(), [Param { kind: ParamKind::Rest, .. }]) {
        (quote!(args), Some(quote!(let args = args.iter_mut();)))
    } else {
        (quote!(args), Some(quote!(let mut args = args.iter_mut();)))
    };
    let question = may_throw.then(|| quote!(?));
    quote! {
        #(#cfg)*
        {
            const SIGNATURE: ::bytecode::Signature = ::bytecode::Signature {
                module: #module,
                name: #name,
                params: &[#(#params),*],
                returns: <#returns as ::vm::IntoValue>::TY,
                returns_nullable: <#returns as ::vm::IntoValue>::NULLABLE,
                may_throw: #may_throw,
                effect: ::bytecode::Effect::#effect,
                intrinsic: #intrinsic,
                doc: #doc,
            };
            fn call(
                #cx_name: &mut ::vm::Cx<'_>,
                #args_name: &mut [::vm::Value],
            ) -> ::core::result::Result<::vm::Value, ::vm::Thrown> {
                #iterator
                #(#conversions)*
                ::core::result::Result::Ok(::vm::IntoValue::into_value(self::#function(#(#arguments),*) #question))
            }
            ::vm::Builtin { signature: SIGNATURE, call }
        }
    }
}

fn local(index: usize) -> syn::Ident {
    format_ident!("argument_{index}")
}

/// The parameter in the signature.
fn declare(param: &Param) -> TokenStream {
    let Param { name, ty, kind } = param;
    let (optional, default, rest) = match kind {
        ParamKind::Required => (false, "", false),
        ParamKind::Absent => (true, "", false),
        ParamKind::Default(_, text) => (true, text.as_str(), false),
        ParamKind::Rest => (false, "", true),
    };
    let (ty, nullable) = match kind {
        ParamKind::Rest => (quote!(::bytecode::Ty::Any), quote!(false)),
        ParamKind::Required | ParamKind::Absent | ParamKind::Default(..) => {
            (quote!(<#ty as ::vm::FromValue<'_>>::TY), quote!(<#ty as ::vm::FromValue<'_>>::NULLABLE))
        }
    };
    quote! {
        ::bytecode::Param {
            name: #name,
            ty: #ty,
            nullable: #nullable,
            optional: #optional,
            default: #default,
            rest: #rest,
        }
    }
}

/// The argument as a local variable.
fn convert(index: usize, param: &Param) -> TokenStream {
    let local = local(index);
    let ty = &param.ty;
    let missing = match &param.kind {
        ParamKind::Rest => return quote!(let #local = args.into_slice();),
        ParamKind::Absent => quote!(::core::option::Option::None),
        ParamKind::Default(value, _) => quote!(#value),
        ParamKind::Required => {
            // The number of arguments has been checked; without it the call still ends in an error and not in a panic.
            quote! {
                return ::core::result::Result::Err(::vm::Thrown::error(
                    SIGNATURE.arity_error(#index).unwrap_or_default(),
                ))
            }
        }
    };
    let index = Literal::usize_unsuffixed(index);
    quote! {
        let #local: #ty = match args.next() {
            ::core::option::Option::Some(value) => match <#ty as ::vm::FromValue<'_>>::from_value(value) {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => {
                    return ::core::result::Result::Err(::vm::builtin::argument_error(&SIGNATURE, #index, value));
                }
            },
            ::core::option::Option::None => #missing,
        };
    }
}

#[cfg(test)]
mod tests;
