//! Names → variables: which occurrence of a `$name` is a local, a captured value or a global.
//!
//! One walk in evaluation order decides everything, because the language decides by order: a variable belongs to the
//! block where it is first assigned, a closure captures what it reads before assigning it, and inside a function a name
//! that is not assigned yet is the file's global. The result is a table by position; lowering looks things up and
//! decides nothing about names.

mod expression;
mod scope;
mod statement;

pub(crate) use scope::{Access, FunctionNames, Resolved, Target, VarId};
pub(crate) use statement::written_argument;

use scope::{FunctionScope, Variable};
use source::{Diagnostic, SourceId, Span};
use std::rc::Rc;
use syntax::tree::Program;

/// Resolves one file.
pub(crate) struct Resolver<'a> {
    source: SourceId,
    /// Enclosing functions, the file's top level first.
    functions: Vec<FunctionScope>,
    resolved: Resolved,
    /// Constants of the program: a bare name that is one is not a variable.
    is_constant: &'a dyn Fn(&str) -> bool,
    diagnostics: Vec<Diagnostic>,
    /// The variable that a closure is being assigned to, while its body is walked.
    assigning: Option<Rc<str>>,
    is_builtin: &'a dyn Fn(&str) -> bool,
    /// Above zero while walking what runs again in every round of a loop, outside the loop's own block.
    repeated: usize,
    /// Above zero while walking what may not run before what follows it: right sides of `&&`, arms of `?:`.
    conditional: usize,
}

/// Resolves a file; the diagnostics are errors and warnings.
pub(crate) fn resolve(
    source: SourceId,
    program: &Program,
    is_constant: &dyn Fn(&str) -> bool,
    is_builtin: &dyn Fn(&str) -> bool,
) -> (Resolved, Vec<Diagnostic>) {
    let mut resolver = Resolver {
        source,
        functions: Vec::new(),
        resolved: Resolved::default(),
        is_constant,
        is_builtin,
        repeated: 0,
        diagnostics: Vec::new(),
        assigning: None,
        conditional: 0,
    };
    let globals = statement::top_level_names(&program.statements);
    for (slot, name) in globals.iter().enumerate() {
        resolver.resolved.globals.insert(name.clone(), slot as u32);
    }
    resolver.functions.push(FunctionScope::new(true, 0));
    resolver.open_block(u32::MAX);
    // Globals are the first variables of the top level, so that a slot is a variable of the same number.
    resolver.current().slots = globals.len();
    for name in globals {
        resolver.current().variables.push(Variable { name, maybe: true, ..Variable::default() });
    }
    resolver.statements(&program.statements);
    resolver.close_block();
    let top = resolver.functions.pop().map(FunctionScope::into_names).unwrap_or_default();
    resolver.resolved.functions.insert(u32::MAX, top);
    (resolver.resolved, resolver.diagnostics)
}

impl Resolver<'_> {
    fn current(&mut self) -> &mut FunctionScope {
        self.functions.last_mut().expect("a function is open during the whole walk")
    }

    fn error(&mut self, span: Span, message: String, hint: &str) {
        self.diagnostics.push(Diagnostic::parse_error(self.source, span, message).with_hint(hint));
    }

    fn warn(&mut self, code: &'static str, span: Span, message: String, hint: &str) {
        let mut diagnostic = Diagnostic::warning(code, self.source, span, message);
        diagnostic.hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
        self.diagnostics.push(diagnostic);
    }

    fn record(&mut self, at: Span, access: Access) {
        self.resolved.accesses.insert(at.start, access);
    }

    fn open_block(&mut self, key: u32) {
        self.current().blocks.push(scope::Block::new(key));
    }

    fn close_block(&mut self) {
        if let Some(block) = self.current().blocks.pop() {
            self.resolved.blocks.insert(block.key, block.declared);
        }
    }

    /// Finds a name that is readable here, capturing it from an enclosing function where needed.
    fn find(&mut self, name: &str) -> Access {
        self.find_from(self.functions.len() - 1, name)
    }

    /// Finds a name that is readable in the function at `level`.
    fn find_from(&mut self, level: usize, name: &str) -> Access {
        match self.find_at(level, name) {
            Some(access) => access,
            None => match self.resolved.globals.get(name) {
                Some(slot) => Access { target: Target::Global(*slot), ..Access::default() },
                None => Access::default(),
            },
        }
    }

    /// Finds a local or captured variable of the function at `level`. Globals are not found here, except from the top
    /// level itself, whose variables they are.
    fn find_at(&mut self, level: usize, name: &str) -> Option<Access> {
        let function = self.functions.get(level)?;
        if let Some(id) = function.visible(name) {
            let maybe = function.variables.get(id.index()).is_some_and(|variable| variable.maybe);
            return Some(Access { target: Target::Local(id), maybe, ..Access::default() });
        }
        if function.is_top {
            // A global that is assigned further down: there, but unassigned so far.
            let slot = *self.resolved.globals.get(name)?;
            let access = Access { target: Target::Local(VarId(slot)), maybe: true, ..Access::default() };
            return (level == self.functions.len() - 1).then_some(access);
        }
        let outer = self.find_at(level - 1, name)?;
        let Target::Local(outer_id) = outer.target else { return None };
        if self.functions.get(level - 1).is_some_and(|outer| outer.is_global(outer_id)) {
            return None;
        }
        Some(self.capture(level, name, outer))
    }

    /// Makes `name` a captured variable of the function at `level`; `outer` is what it is in the function around.
    fn capture(&mut self, level: usize, name: &str, outer: Access) -> Access {
        if let (Some(function), Target::Local(id)) = (self.functions.get_mut(level - 1), outer.target)
            && let Some(variable) = function.variables.get_mut(id.index())
        {
            variable.captured = true;
        }
        let maybe = outer.maybe || outer.target == Target::Unknown;
        let Some(function) = self.functions.get_mut(level) else { return Access::default() };
        let id = function.declare_captured(Rc::from(name), maybe);
        function.captures.push((outer, id));
        Access { target: Target::Local(id), maybe, ..Access::default() }
    }

    /// Declares a variable in the innermost block.
    fn declare(&mut self, name: &Rc<str>) -> VarId {
        let maybe = self.conditional > 0;
        self.current().declare(name.clone(), maybe)
    }
}
