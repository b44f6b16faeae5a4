//! The patterns of an isolate, most recently used first.

use super::pattern::Pattern;
use vm::{Str, Thrown};

/// Patterns kept.
const MAX_ENTRIES: usize = 256;
/// Memory kept, in bytes.
const MAX_SIZE: usize = 16 << 20;

/// Compiled patterns. A pattern that is the very string of the last call is found by its address.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    #[expect(clippy::vec_box, reason = "moving to the front moves pointers")]
    entries: Vec<Box<(Str, Pattern)>>,
}

impl Patterns {
    /// The compiled form of a pattern.
    ///
    /// # Errors
    /// A pattern that cannot be compiled.
    #[inline]
    pub(super) fn get(&mut self, function: &str, text: &Str) -> Result<&mut Pattern, Thrown> {
        if !self.entries.first().is_some_and(|entry| entry.0.is_same(text)) {
            self.move_to_front(function, text)?;
        }
        match self.entries.first_mut() {
            Some(entry) => Ok(&mut entry.1),
            None => Err(Thrown::error(format!("{function}(): no memory for patterns"))),
        }
    }

    fn move_to_front(&mut self, function: &str, text: &Str) -> Result<(), Thrown> {
        if let Some(at) = self.entries.iter().position(|entry| entry.0 == *text) {
            if let Some(front) = self.entries.get_mut(..=at) {
                front.rotate_right(1);
            }
            if let Some(entry) = self.entries.first_mut() {
                entry.0 = text.clone();
            }
            return Ok(());
        }
        let pattern = Pattern::compile(function, text)?;
        self.entries.insert(0, Box::new((text.clone(), pattern)));
        let size = |entries: &[Box<(Str, Pattern)>]| entries.iter().map(|entry| entry.1.size()).sum::<usize>();
        while self.entries.len() > MAX_ENTRIES || (self.entries.len() > 1 && size(&self.entries) > MAX_SIZE) {
            self.entries.pop();
        }
        Ok(())
    }
}
