//! Where a program's output goes, through a buffer.

use std::io::Write;

/// Output of running code.
#[derive(Default)]
pub struct Output {
    buffer: Vec<u8>,
    /// None: the output stays in the buffer until it is taken.
    sink: Option<Box<dyn Write>>,
}

/// Bytes gathered before they are handed on.
const OUTPUT_BUFFER: usize = 8 * 1024;

impl Output {
    /// Output that goes to `sink`.
    pub fn to(sink: Box<dyn Write>) -> Self {
        Self { buffer: Vec::new(), sink: Some(sink) }
    }

    /// Output that is kept for [`Self::take`].
    pub fn kept() -> Self {
        Self::default()
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= OUTPUT_BUFFER {
            self.flush();
        }
    }

    /// Hands everything on. A sink that takes no more (a closed pipe) loses it: output is not worth an error in the
    /// script, and whoever owns the sink knows.
    pub fn flush(&mut self) {
        if let Some(sink) = &mut self.sink {
            let _lost_when_closed = sink.write_all(&self.buffer).and_then(|()| sink.flush());
            self.buffer.clear();
        }
    }

    /// Forgets what has been kept, and most of the room for it.
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.buffer.shrink_to(OUTPUT_BUFFER);
    }

    /// Is nothing waiting?
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Takes what has been kept.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }
}

impl std::fmt::Debug for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "output with {} bytes waiting", self.buffer.len())
    }
}
