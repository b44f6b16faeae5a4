//! Reads the marked module into a plain description and takes the attributes off that Rust does not know.
//!
//! All mistakes of an author are found here, with the place they were made at; rendering cannot fail.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, ExprLit, ExprUnary, FnArg, GenericArgument, Ident, Item, ItemFn, ItemMod, Lit, LitStr,
    Meta, Pat, PatType, PathArguments, Result, ReturnType, Token, Type, UnOp,
};

/// A module of builtins.
pub(crate) struct Module {
    /// The module's name in LOOK.
    pub(crate) name: String,
    /// Its documentation.
    pub(crate) doc: String,
    /// The builtins in source order.
    pub(crate) builtins: Vec<Builtin>,
    /// The module without our attributes.
    pub(crate) item: ItemMod,
}

/// One `#[builtin]` function.
pub(crate) struct Builtin {
    /// The Rust function.
    pub(crate) function: Ident,
    /// Module and name of each entry: the main one, then aliases.
    pub(crate) names: Vec<(String, String)>,
    /// Variant of `bytecode::Effect`.
    pub(crate) effect: Ident,
    /// Variant of `bytecode::Intrinsic`.
    pub(crate) intrinsic: Option<Ident>,
    /// Its documentation.
    pub(crate) doc: String,
    /// `#[cfg]` attributes, which go with the entry.
    pub(crate) cfg: Vec<Attribute>,
    /// True when the function takes `cx`.
    pub(crate) takes_cx: bool,
    /// What a script passes.
    pub(crate) params: Vec<Param>,
    /// The result, without `Result`.
    pub(crate) returns: Type,
    /// True when the function returns a `Result`.
    pub(crate) may_throw: bool,
}

/// A parameter.
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) kind: ParamKind,
}

/// What happens when the argument is left out.
pub(crate) enum ParamKind {
    /// It cannot be.
    Required,
    /// An `Option` at the end: `None`.
    Absent,
    /// The default, in Rust and as LOOK shows it.
    Default(Box<Expr>, String),
    /// Takes all further arguments.
    Rest,
}

/// Reads `#[module(name = "…")] mod … { … }`.
pub(crate) fn parse(attribute: TokenStream, item: TokenStream) -> Result<Module> {
    let name = module_name(syn::parse2(attribute)?)?;
    let mut item: ItemMod = syn::parse2(item)?;
    let doc = doc(&item.attrs);
    let Some((_, items)) = &mut item.content else {
        return Err(Error::new(item.ident.span(), "#[module] needs the body of the module in this file"));
    };
    let mut builtins = Vec::new();
    for item in items {
        if let Item::Fn(function) = item
            && let Some(builtin) = take_builtin(&name, function)?
        {
            builtins.push(builtin);
        }
    }
    Ok(Module { name, doc, builtins, item })
}

fn module_name(argument: Argument) -> Result<String> {
    match argument {
        Argument::Text(key, value) if key == "name" => Ok(value.value()),
        other => Err(Error::new(other.key().span(), "expected #[module(name = \"…\")]")),
    }
}

/// One thing inside the parentheses of an attribute.
enum Argument {
    /// `key`
    Word(Ident),
    /// `key = "text"`
    Text(Ident, LitStr),
    /// `key = Word`
    Named(Ident, Ident),
}

impl Argument {
    fn key(&self) -> &Ident {
        match self {
            Self::Word(key) | Self::Text(key, _) | Self::Named(key, _) => key,
        }
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key: Ident = input.parse()?;
        if input.parse::<Option<Token![=]>>()?.is_none() {
            return Ok(Self::Word(key));
        }
        if input.peek(LitStr) { Ok(Self::Text(key, input.parse()?)) } else { Ok(Self::Named(key, input.parse()?)) }
    }
}

const EFFECTS: [(&str, &str); 5] =
    [("pure", "Pure"), ("reads", "Reads"), ("writes", "Writes"), ("calls", "Calls"), ("waits", "Waits")];
const INTRINSICS: [&str; 3] = ["Push", "Pop", "Count"];

/// The description of a function that is marked; none for a helper.
fn take_builtin(module: &str, function: &mut ItemFn) -> Result<Option<Builtin>> {
    let Some(at) = function.attrs.iter().position(|attribute| attribute.path().is_ident("builtin")) else {
        return Ok(None);
    };
    let attribute = function.attrs.remove(at);
    let signature = &function.sig;
    let unsuited = [
        (signature.constness.map(|token| token.span()), "const"),
        (signature.asyncness.map(|token| token.span()), "async"),
        (signature.generics.lt_token.map(|token| token.span()), "generic"),
    ];
    for (span, what) in unsuited {
        if let Some(span) = span {
            return Err(Error::new(span, format!("a builtin cannot be {what}")));
        }
    }
    let ident = signature.ident.clone();
    let doc = doc(&function.attrs);
    if doc.trim().is_empty() {
        return Err(Error::new(ident.span(), "a builtin needs a doc comment: one sentence and an example"));
    }
    let facts = read_facts(module, &ident, &attribute)?;
    let (returns, may_throw) = result_type(&signature.output);
    let cfg = function.attrs.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect();
    let (takes_cx, params) = take_params(function)?;
    Ok(Some(Builtin {
        function: ident,
        names: facts.names,
        effect: facts.effect,
        intrinsic: facts.intrinsic,
        doc,
        cfg,
        takes_cx,
        params,
        returns,
        may_throw,
    }))
}

/// What stands in `#[builtin(…)]`.
struct Facts {
    names: Vec<(String, String)>,
    effect: Ident,
    intrinsic: Option<Ident>,
}

fn read_facts(module: &str, function: &Ident, attribute: &Attribute) -> Result<Facts> {
    let arguments = match &attribute.meta {
        Meta::List(_) => attribute.parse_args_with(|input: ParseStream<'_>| {
            syn::punctuated::Punctuated::<Argument, Token![,]>::parse_terminated(input)
        })?,
        Meta::Path(_) | Meta::NameValue(_) => syn::punctuated::Punctuated::new(),
    };
    let rust_name = function.to_string();
    let mut name = rust_name.strip_prefix("r#").unwrap_or(&rust_name).to_owned();
    let (mut effect, mut intrinsic, mut aliases) = (None, None, Vec::new());
    for argument in &arguments {
        match argument {
            Argument::Word(word) => {
                let Some((_, variant)) = EFFECTS.iter().find(|(effect, _)| word == effect) else {
                    let known = EFFECTS.map(|(effect, _)| effect).join(", ");
                    return Err(Error::new(word.span(), format!("unknown effect; known are {known}")));
                };
                if effect.replace(Ident::new(variant, word.span())).is_some() {
                    return Err(Error::new(word.span(), "a builtin has one effect"));
                }
            }
            Argument::Text(key, value) if key == "name" => name = value.value(),
            Argument::Text(key, value) if key == "alias" => {
                let value = value.value();
                let (module, name) = value.split_once("::").unwrap_or((module, &value));
                aliases.push((module.to_owned(), name.to_owned()));
            }
            Argument::Named(key, value) if key == "intrinsic" => {
                if !INTRINSICS.iter().any(|known| value == known) {
                    let known = INTRINSICS.join(", ");
                    return Err(Error::new(value.span(), format!("unknown intrinsic; known are {known}")));
                }
                intrinsic = Some(value.clone());
            }
            Argument::Text(key, _) | Argument::Named(key, _) => {
                let message = "expected name = \"…\", alias = \"…\" or intrinsic = …";
                return Err(Error::new(key.span(), message));
            }
        }
    }
    let effect = effect.ok_or_else(|| {
        Error::new(attribute.span(), "say what the builtin may do: #[builtin(pure | reads | writes | calls | waits)]")
    })?;
    let mut names = vec![(module.to_owned(), name)];
    names.append(&mut aliases);
    Ok(Facts { names, effect, intrinsic })
}

/// The parameters; takes their `#[default]` away.
fn take_params(function: &mut ItemFn) -> Result<(bool, Vec<Param>)> {
    let mut takes_cx = false;
    let mut params: Vec<Param> = Vec::new();
    let count = function.sig.inputs.len();
    for (at, input) in function.sig.inputs.iter_mut().enumerate() {
        let input = match input {
            FnArg::Typed(input) => input,
            FnArg::Receiver(receiver) => return Err(Error::new(receiver.span(), "a builtin has no self")),
        };
        if at == 0 && is_cx(&input.ty) {
            takes_cx = true;
            continue;
        }
        params.push(take_param(input, at + 1 == count)?);
    }
    // An `Option` may be left out only when all that follows may be, too.
    let mut end = true;
    for param in params.iter_mut().rev() {
        match param.kind {
            ParamKind::Required if end && is_option(&param.ty) => param.kind = ParamKind::Absent,
            ParamKind::Required => end = false,
            ParamKind::Default(..) if !end => {
                return Err(Error::new(param.ty.span(), "a parameter with a default cannot stand before one without"));
            }
            ParamKind::Default(..) | ParamKind::Absent | ParamKind::Rest => {}
        }
    }
    Ok((takes_cx, params))
}

fn take_param(input: &mut PatType, is_last: bool) -> Result<Param> {
    let name = match &*input.pat {
        Pat::Ident(pat) => pat.ident.to_string(),
        _ => return Err(Error::new(input.pat.span(), "a parameter of a builtin is a plain name")),
    };
    let name = name.trim_start_matches("r#").trim_start_matches('_').to_owned();
    let ty = (*input.ty).clone();
    if let Some(at) = input.attrs.iter().position(|attribute| attribute.path().is_ident("default")) {
        let attribute = input.attrs.remove(at);
        let value = &attribute.meta.require_name_value()?.value;
        let text = default_text(value)?;
        if matches!(value, Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) {
            return Err(Error::new(value.span(), "a text default needs bytes: #[default = b\"…\"] with type &[u8]"));
        }
        return Ok(Param { name, ty, kind: ParamKind::Default(Box::new(value.clone()), text) });
    }
    let kind = if is_rest(&ty) {
        if !is_last {
            return Err(Error::new(ty.span(), "only the last parameter can take all further arguments"));
        }
        ParamKind::Rest
    } else {
        ParamKind::Required
    };
    Ok(Param { name, ty, kind })
}

/// A literal as LOOK writes it.
fn default_text(value: &Expr) -> Result<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::ByteStr(bytes) => Ok(format!("{:?}", String::from_utf8_lossy(&bytes.value()))),
            Lit::Str(text) => Ok(format!("{:?}", text.value())),
            Lit::Int(number) => Ok(number.base10_digits().to_owned()),
            Lit::Float(number) => Ok(number.base10_digits().to_owned()),
            Lit::Bool(value) => Ok(value.value.to_string()),
            other => Err(Error::new(other.span(), "a default is a number, a bool or bytes")),
        },
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => Ok(format!("-{}", default_text(expr)?)),
        other => Err(Error::new(other.span(), "a default is a literal; use Option<T> for anything else")),
    }
}

/// The last segment of a path type and its first generic type.
fn named(ty: &Type) -> Option<(String, Option<&Type>)> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last()?;
    let argument = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    Some((segment.ident.to_string(), argument))
}

fn is_cx(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if named(&reference.elem).is_some_and(|(name, _)| name == "Cx"))
}

fn is_option(ty: &Type) -> bool {
    named(ty).is_some_and(|(name, _)| name == "Option")
}

fn is_rest(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() => match &*reference.elem {
            Type::Slice(slice) => named(&slice.elem).is_some_and(|(name, _)| name == "Value"),
            _ => false,
        },
        _ => false,
    }
}

fn result_type(output: &ReturnType) -> (Type, bool) {
    let unit = || syn::parse_quote!(());
    match output {
        ReturnType::Default => (unit(), false),
        ReturnType::Type(_, ty) => match named(ty) {
            Some((name, Some(inner))) if name == "Result" => (inner.clone(), true),
            _ => ((**ty).clone(), false),
        },
    }
}

/// The doc comment as Markdown.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            other => Some(other.to_token_stream().to_string()),
        },
        _ => None,
    });
    let lines: Vec<String> = lines.map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned()).collect();
    lines.join("\n").trim().to_owned()
}
