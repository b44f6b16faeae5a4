//! `gander doc`: what the builtins promise, from their declarations.

use crate::{registry, settings};
use bytecode::{Effect, Param, Signature};
use source::did_you_mean;
use std::process::ExitCode;
use vm::Registry;

/// Shows the documentation of builtins.
///
/// `gander doc` lists the modules, `gander doc string` the functions of one, `gander doc string::upper` one function.
#[derive(Debug, clap::Args)]
pub(crate) struct Doc {
    /// A module or a function.
    name: Option<String>,
    /// The whole reference as Markdown.
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
    /// The settings of the server as Markdown.
    #[arg(long, conflicts_with_all = ["name", "markdown"])]
    settings: bool,
}

impl Doc {
    pub(crate) fn execute(self) -> ExitCode {
        let registry = registry();
        if self.markdown {
            print!("{}", reference(&registry));
            return ExitCode::SUCCESS;
        }
        if self.settings {
            print!("{}", settings::reference());
            return ExitCode::SUCCESS;
        }
        match self.name.as_deref() {
            None => {
                print!("{}", module_list(&registry));
                ExitCode::SUCCESS
            }
            Some(name) => match lookup(&registry, name) {
                Some(text) => {
                    print!("{text}");
                    ExitCode::SUCCESS
                }
                None => {
                    let signatures = registry.signatures();
                    let names: Vec<String> = signatures.iter().map(Signature::full_name).collect();
                    let known = names.iter().map(String::as_str).chain(signatures.modules());
                    let hint = did_you_mean(name, known).map(|near| format!(" (did you mean {near}?)"));
                    eprintln!("error: there is no builtin or module '{name}'{}", hint.unwrap_or_default());
                    ExitCode::FAILURE
                }
            },
        }
    }
}

/// The first sentence of a documentation text.
fn first_line(doc: &str) -> &str {
    doc.trim().lines().next().unwrap_or("").trim()
}

fn module_title(name: &str) -> String {
    if name.is_empty() { "Always there".to_owned() } else { format!("{name}::") }
}

fn module_doc(registry: &Registry, name: &str) -> String {
    let module = registry.modules().iter().find(|module| module.name == name);
    module.map_or_else(String::new, |module| module.doc.trim().to_owned())
}

fn module_list(registry: &Registry) -> String {
    let mut out = String::from("Modules (gander doc NAME shows one):\n\n");
    for name in registry.signatures().modules() {
        out.push_str(&format!("  {:<14} {}\n", module_title(name), first_line(&module_doc(registry, name))));
    }
    out
}

fn lookup(registry: &Registry, name: &str) -> Option<String> {
    let signatures = registry.signatures();
    let (module, function) = name.split_once("::").unwrap_or(("", name));
    if let Some((_, signature)) = signatures.find(module, function) {
        return Some(page(signature));
    }
    let module = name.trim_end_matches("::");
    if module.is_empty() || !signatures.has_module(module) {
        return None;
    }
    let mut out = format!("{}\n\n{}\n\n", module_title(module), module_doc(registry, module));
    for signature in signatures.iter().filter(|signature| signature.module == module) {
        out.push_str(&format!("  {}\n      {}\n", prototype(signature), first_line(signature.doc)));
    }
    Some(out)
}

/// `string::pad_left(text: string, width: int, with: string = " ") → string`
fn prototype(signature: &Signature) -> String {
    let params: Vec<String> = signature.params.iter().map(parameter).collect();
    let nullable = if signature.returns_nullable { " or null" } else { "" };
    format!("{}({}) → {}{nullable}", signature.full_name(), params.join(", "), signature.returns.name())
}

fn parameter(param: &Param) -> String {
    let ty = param.ty.name();
    let null = if param.nullable { "?" } else { "" };
    if param.rest {
        format!("...{}: {ty}", param.name)
    } else if param.optional && param.default.is_empty() {
        format!("[{}: {null}{ty}]", param.name)
    } else if param.optional {
        format!("{}: {null}{ty} = {}", param.name, param.default)
    } else {
        format!("{}: {null}{ty}", param.name)
    }
}

fn effect(signature: &Signature) -> &'static str {
    match signature.effect {
        Effect::Pure => "The result depends on the arguments alone.",
        Effect::Reads => "The result depends on more than the arguments.",
        Effect::Writes => "Changes something outside its result.",
        Effect::Calls => "Calls the function it is given.",
        Effect::Waits => "May wait for something outside the process.",
    }
}

fn page(signature: &Signature) -> String {
    format!("{}\n\n{}\n\n{}\n", prototype(signature), signature.doc.trim(), effect(signature))
}

/// The reference of all builtins as Markdown.
pub(crate) fn reference(registry: &Registry) -> String {
    let mut out = String::from("# Builtins\n\nMade by `gander doc --markdown` from the declarations; do not edit.\n");
    for name in registry.signatures().modules() {
        out.push_str(&format!("\n## {}\n\n{}\n", module_title(name), module_doc(registry, name)));
        for signature in registry.signatures().iter().filter(|signature| signature.module == name) {
            out.push_str(&format!("\n### `{}`\n\n{}\n", prototype(signature), signature.doc.trim()));
        }
    }
    out
}
