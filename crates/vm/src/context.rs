//! What a builtin may reach while it runs: output, the program's surroundings, calls back into the script.

use crate::heap::function::{Function, FunctionKind};
use crate::isolate::Isolate;
use crate::throw::Thrown;
use crate::value::Value;

/// Builtins that call back into the script nest on the native stack; deeper than this is an error.
pub(crate) const MAX_NATIVE_DEPTH: usize = 100;

/// The surroundings of a builtin call.
#[derive(Debug)]
pub struct Cx<'a> {
    isolate: &'a mut Isolate,
}

impl<'a> Cx<'a> {
    /// The surroundings that an isolate offers.
    pub fn new(isolate: &'a mut Isolate) -> Self {
        Self { isolate }
    }

    /// The isolate.
    pub fn isolate(&mut self) -> &mut Isolate {
        self.isolate
    }

    /// Writes to the program's output.
    pub fn write(&mut self, bytes: &[u8]) {
        self.isolate.running.output.write(bytes);
    }

    /// The program's surroundings: arguments, environment, folder.
    pub fn host(&self) -> &crate::isolate::Host {
        &self.isolate.host
    }

    /// A module's own state in this isolate, made when first asked for: compiled patterns, settings.
    pub fn state<T: Default + 'static>(&mut self) -> &mut T {
        self.isolate.state()
    }

    /// Calls a function value. It gets exactly these arguments; their number must suit it.
    ///
    /// # Errors
    /// What the function throws, a wrong number of arguments, calls nested too deep.
    pub fn call(&mut self, function: &Function, args: Vec<Value>) -> Result<Value, Thrown> {
        if self.isolate.running.native_depth >= MAX_NATIVE_DEPTH {
            return Err(Thrown::error("Stack overflow: builtins that call functions are nested too deep"));
        }
        self.isolate.running.native_depth += 1;
        let result = self.call_nested(function, args);
        self.isolate.running.native_depth -= 1;
        result
    }

    fn call_nested(&mut self, function: &Function, mut args: Vec<Value>) -> Result<Value, Thrown> {
        match function.kind() {
            FunctionKind::Script { .. } => self.isolate.run_function(function, args),
            FunctionKind::Builtin(builtin) => builtin.invoke(self, &mut args),
            FunctionKind::Foreign(foreign) => {
                let foreign = foreign.clone();
                foreign.call(self, args)
            }
        }
    }
}
