//! Files outside of the folder that a program may read all the same, as long as somebody lends them: uploads.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tempfile::TempPath;

static LENT: LazyLock<Mutex<HashMap<Vec<u8>, Arc<TempPath>>>> = LazyLock::new(Mutex::default);

/// A temporary file that programs may read by its path. It is removed when this is dropped; the removal may wait for the disk.
#[derive(Debug)]
pub struct Lent {
    path: PathBuf,
}

impl Lent {
    /// Lends it.
    #[must_use]
    pub fn new(file: TempPath) -> Self {
        let path = file.to_path_buf();
        let key = path.as_os_str().as_encoded_bytes().to_vec();
        LENT.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::new(file));
        Self { path }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let key = self.path.as_os_str().as_encoded_bytes();
        let file = LENT.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        // Outside of the lock, since the file goes with it.
        drop(file);
    }
}

/// The file that is lent under this path; kept as long as this is held.
pub(super) fn find(path: &[u8]) -> Option<Arc<TempPath>> {
    LENT.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
}
