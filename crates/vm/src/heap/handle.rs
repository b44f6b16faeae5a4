//! Handles: channels, connections and other objects of the runtime, shared by reference on purpose.

use super::{Header, HeapKind};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

/// A handle on the heap.
#[repr(C)]
pub struct HandleObject {
    pub(crate) header: Header,
    kind: &'static str,
    data: Arc<dyn Any + Send + Sync>,
}

super::counted! {
    /// A counted handle.
    Handle => HandleObject
}

impl Handle {
    /// A handle of this kind (`channel`, `websocket`, …), which is how it prints. What it holds may be shared by threads, since
    /// a handle that the setup made is.
    pub fn new(kind: &'static str, data: Arc<dyn Any + Send + Sync>) -> Self {
        let object = Box::new(HandleObject { header: Header::new(HeapKind::Handle), kind, data });
        Self(NonNull::from(Box::leak(object)))
    }

    /// What it is.
    pub fn kind(&self) -> &'static str {
        self.object().kind
    }

    /// What it holds, if that is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.object().data.downcast_ref()
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.kind())
    }
}
