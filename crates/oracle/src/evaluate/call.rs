//! Calls, and functions as values.

use super::statement::{Flow, inner_name};
use super::{Evaluator, State, stack_position};
use crate::environment::Scope;
use crate::written::pushed_place;
use bytecode::arity_message;
use std::rc::{Rc, Weak};
use syntax::tree::{Expr, ExprKind, Function as Tree, FunctionBody, Ident};
use vm::{Cx, ForeignFunction, Function, FunctionKind, Thrown, Value, View};

/// A function of the program with the values it has captured.
pub(super) struct ScriptFunction {
    state: Rc<State>,
    file: usize,
    tree: Rc<Tree>,
    captured: Rc<Scope>,
    this: Weak<Self>,
    /// The name under which a function that is declared in a block sees itself.
    own_name: Option<Rc<str>>,
}

impl ScriptFunction {
    pub(super) fn value(
        state: &Rc<State>,
        file: usize,
        tree: &Rc<Tree>,
        captured: Rc<Scope>,
        own_name: Option<Rc<str>>,
    ) -> Value {
        let function = Rc::new_cyclic(|this| Self {
            state: Rc::clone(state),
            file,
            tree: Rc::clone(tree),
            captured,
            this: Weak::clone(this),
            own_name,
        });
        Value::from(Function::new(FunctionKind::Foreign(function)))
    }

    /// Refuses a wrong number of arguments.
    fn check_count(&self, given: usize) -> Result<(), Thrown> {
        let params = &self.tree.params;
        let required = params.iter().rposition(|param| param.default.is_none() && !param.is_rest);
        let required = required.map_or(0, |last| last + 1);
        let max = if params.iter().any(|param| param.is_rest) { usize::MAX } else { params.len() };
        if (required..=max).contains(&given) {
            return Ok(());
        }
        Err(Thrown::error(arity_message(self.name(), required, max, params.len(), given)))
    }

    fn check_depth(&self) -> Result<(), Thrown> {
        let limits = self.state.limits;
        let used = self.state.stack_start.abs_diff(stack_position());
        if self.state.depth.get() < limits.call_depth && used < limits.stack_bytes {
            return Ok(());
        }
        let (max, name) = (limits.call_depth, self.name());
        Err(Thrown::error(format!("Stack overflow: max call depth ({max}) exceeded in '{name}'")))
    }

    fn evaluate(&self, cx: &mut Cx<'_>, args: Vec<Value>) -> Result<Value, Thrown> {
        let mut evaluator = Evaluator::new(&self.state, cx, self.file);
        evaluator.environment.captured = Rc::clone(&self.captured);
        evaluator.bind(&self.tree, args)?;
        if let (Some(name), Some(this)) = (&self.own_name, self.this.upgrade()) {
            evaluator.environment.make(name, 0, Some(Value::from(Function::new(FunctionKind::Foreign(this)))));
        }
        let flow = match &self.tree.body {
            FunctionBody::Block(block) => evaluator.statements(&block.statements)?,
            FunctionBody::Expr(expr) => Flow::Return(evaluator.expr(expr)?),
        };
        Ok(match flow {
            Flow::Return(value) => value,
            Flow::Next | Flow::Break | Flow::Continue => Value::NULL,
        })
    }
}

impl ForeignFunction for ScriptFunction {
    fn name(&self) -> &str {
        self.tree.name.as_ref().map_or("__anonymous__", |name| &name.name)
    }

    fn call(&self, cx: &mut Cx<'_>, args: Vec<Value>) -> Result<Value, Thrown> {
        self.check_count(args.len())?;
        self.check_depth()?;
        let depth = &self.state.depth;
        depth.set(depth.get() + 1);
        let result = self.evaluate(cx, args);
        depth.set(depth.get() - 1);
        result
    }
}

impl Evaluator<'_, '_> {
    /// Gives the parameters their values, in order: an argument, the rest of them, or the default.
    fn bind(&mut self, tree: &Tree, args: Vec<Value>) -> Result<(), Thrown> {
        let mut args = args.into_iter();
        for param in &tree.params {
            let value = if param.is_rest {
                Value::from(args.by_ref().collect::<vm::List>())
            } else {
                match (args.next(), &param.default) {
                    (Some(value), default) => {
                        default.iter().for_each(|default| self.pass_over(default));
                        value
                    }
                    (None, Some(default)) => self.expr(default)?,
                    (None, None) => Value::NULL,
                }
            };
            self.environment.make(&param.name.name, 0, Some(value));
        }
        Ok(())
    }

    /// A closure: the function with the values of what is there now, and of the names it lists, globals too.
    pub(super) fn closure(&mut self, tree: &Rc<Tree>) -> Result<Value, Thrown> {
        let mut captured = self.environment.snapshot(tree.span.start);
        for name in tree.uses.iter().flatten() {
            let value = self.read(&name.name, name.span.start)?;
            let variable = crate::environment::Variable { from: 0, value: Some(value) };
            captured.insert(Rc::clone(&name.name), variable);
        }
        Ok(ScriptFunction::value(self.state, self.file, tree, Rc::new(captured), None))
    }

    /// `callee(args)`: what is called is found before the arguments are evaluated.
    pub(super) fn call(&mut self, call: &Expr, callee: &Expr, args: &[Expr]) -> Result<Value, Thrown> {
        match (pushed_place(call), args) {
            (Some(place), [_, value]) => return self.push(call.span, place, value),
            (Some(place), _) => return self.pop(call.span, place),
            (None, _) => {}
        }
        if let (ExprKind::Path { module, name }, []) = (&callee.kind, args)
            && &*self.state.program.declarations.module(self.file, &module.name) == "app"
            && self.builtin("app", &name.name).is_none()
            && let Some(get) = self.builtin("app", "get")
        {
            return self.call_value(&get, vec![Value::str(name.name.as_bytes())], callee);
        }
        let function = self.expr(callee)?;
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
        self.call_value(&function, args, callee)
    }

    fn call_value(&mut self, function: &Value, mut args: Vec<Value>, callee: &Expr) -> Result<Value, Thrown> {
        let View::Function(function) = function.view() else {
            return Err(Thrown::error(format!("'{}' is not callable (function expected)", self.written(callee))));
        };
        match function.kind() {
            FunctionKind::Builtin(builtin) => builtin.invoke(self.cx, &mut args),
            FunctionKind::Foreign(function) => Rc::clone(function).call(self.cx, args),
            FunctionKind::Script { .. } => self.cx.call(function, args),
        }
    }

    /// The text of an expression, as messages show it.
    fn written(&self, expr: &Expr) -> String {
        const SHOWN_CHARS: usize = 60;
        let file = self.state.program.files.get(self.file);
        let text = file.map_or("", |file| self.state.program.sources.get(file.source).slice(expr.span));
        text.chars().take(SHOWN_CHARS).collect()
    }

    /// A bare name: a constant, a function of the block or function around, one of the program, or a builtin.
    pub(super) fn bare_name(&mut self, name: &Rc<str>, at: u32) -> Result<Value, Thrown> {
        let undefined = || Thrown::error(format!("Undefined variable: {name}"));
        if self.state.program.declarations.constant_names.contains(name) {
            return self.state.constants.borrow().get(name).cloned().ok_or_else(undefined);
        }
        let inner = self.environment.find(&inner_name(name), at).and_then(|variable| variable.value.clone());
        inner.or_else(|| self.state.function(name)).or_else(|| self.builtin("", name)).ok_or_else(undefined)
    }

    /// `module::name`.
    pub(super) fn path(&mut self, module: &Ident, name: &Ident) -> Result<Value, Thrown> {
        let module = self.state.program.declarations.module(self.file, &module.name);
        let missing = || Thrown::error(format!("'{module}' has no function '{}'", name.name));
        self.builtin(&module, &name.name).ok_or_else(missing)
    }

    /// A builtin as a value.
    fn builtin(&self, module: &str, name: &str) -> Option<Value> {
        let builtin = self.state.registry.find(module, name)?;
        let key = Rc::from(builtin.signature.full_name());
        let make = || Value::from(Function::new(FunctionKind::Builtin(builtin)));
        // Names of the program's functions and of builtins differ: those of modules have `::` in them.
        Some(self.state.functions.borrow_mut().entry(key).or_insert_with(make).clone())
    }
}
