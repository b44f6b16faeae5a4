//! Struct literals, and the functions that make structs whose defaults are not constants.

use super::{Kind, Lowerer, Lowering};
use crate::builder::Reg;
use bytecode::op::DIES_B;
use bytecode::{Op, Site};
use source::{Span, did_you_mean};
use std::sync::Arc;
use syntax::tree::{Expr, Ident};

impl<'a> Lowering<'a> {
    /// Reserves makers for all structs that need one and lowers them.
    pub(super) fn lower_makers(&mut self) {
        let mut all: Vec<_> = self.declarations.structs.values().collect();
        all.sort_by_key(|named| named.id);
        for named in all {
            let dynamic: Vec<(&Ident, &'a Expr)> = named
                .tree
                .fields
                .iter()
                .filter_map(|field| Some((&field.name, field.default.as_ref()?)))
                .filter(|(_, default)| crate::fold::fold(default, &self.declarations.known, None).is_none())
                .collect();
            if dynamic.is_empty() {
                continue;
            }
            let place = self.reserve(named.file);
            let mut lowerer = Lowerer::new(self, named.file, Kind::Bare, None, false);
            let instance = lowerer.b.alloc(1);
            lowerer.b.emit(Op::NewStruct, 0, [instance, named.id, 0]);
            for (name, default) in dynamic {
                lowerer.set_field(instance, name, default);
            }
            lowerer.b.emit(Op::Return, 0, [instance, 1, 0]);
            let function = lowerer.finish(&named.tree.name.name, named.tree.span);
            if let (Ok(function), Some(slot)) = (function, self.functions.get_mut(place as usize)) {
                *slot = Some(function);
            }
            if let Some(maker) = self.makers.get_mut(named.id as usize) {
                *maker = Some(place);
            }
        }
    }
}

impl<'a> Lowerer<'_, 'a> {
    pub(crate) fn struct_literal(&mut self, name: &'a Ident, fields: &'a [(Ident, Expr)], dst: Reg) {
        let span = self.b.span;
        let Some(named) = self.program.declarations.structs.get(&name.name) else {
            return self.unknown_struct(name);
        };
        let instance = self.b.alloc(1);
        match self.program.makers.get(named.id as usize).copied().flatten() {
            Some(maker) => self.b.emit(Op::Call, 0, [instance, self.b.top(), maker]),
            None => self.b.emit(Op::NewStruct, 0, [instance, named.id, 0]),
        }
        for (field, value) in fields {
            if !named.tree.fields.iter().any(|known| known.name.name == field.name) {
                self.unknown_field(&name.name, field, named.tree.fields.iter().map(|field| &*field.name.name));
                continue;
            }
            self.set_field(instance, field, value);
        }
        self.b.span = span;
        self.b.emit(Op::Move, 0, [dst, instance, 0]);
    }

    fn set_field(&mut self, instance: Reg, field: &Ident, value: &'a Expr) {
        let top = self.b.top();
        let value = self.value(value);
        let site = self.b.site(Site::Key { key: Arc::from(field.name.as_bytes()), dotted: true });
        self.b.span = Span { end: field.span.end, ..field.span };
        self.b.emit(Op::SetField, if value.temp { DIES_B } else { 0 }, [instance, value.reg, site]);
        self.b.release_to(top);
    }

    fn unknown_struct(&mut self, name: &Ident) {
        let message = format!("Unknown struct '{}'", name.name);
        let known = self.program.declarations.structs.keys().map(|name| &**name);
        let hint = did_you_mean(&name.name, known).map(|near| format!("did you mean {near}?"));
        self.warn("unknown-struct", name.span, message.clone(), hint);
        self.throw_message(&message);
    }

    fn unknown_field<'f>(&mut self, owner: &str, field: &Ident, known: impl Iterator<Item = &'f str>) {
        let message = format!("Unknown field '{}' in struct '{owner}'", field.name);
        let hint = did_you_mean(&field.name, known).map(|near| format!("did you mean {near}?"));
        self.warn("unknown-field", field.span, message.clone(), hint);
        self.throw_message(&message);
    }
}
