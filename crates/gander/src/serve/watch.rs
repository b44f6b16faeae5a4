//! Looks whether the files of a program have changed, by looking at them from time to time: that works on every file system,
//! also on those that a container or a virtual machine shares with its host.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two looks.
pub(crate) const LOOK: Duration = Duration::from_millis(250);

/// What tells one content of a file from another without reading it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mark {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Mark {
    fn of(path: &Path) -> Option<Self> {
        let of =
            |meta: Metadata| Self { inode: meta.ino(), size: meta.size(), modified: (meta.mtime(), meta.mtime_nsec()) };
        std::fs::metadata(path).ok().map(of)
    }
}

/// Files and how they were last seen.
#[derive(Default, Debug)]
pub(crate) struct Watch {
    /// None for a file that is not there.
    files: HashMap<PathBuf, Option<Mark>>,
}

impl Watch {
    /// Watches a file from now on. One that is watched already stays as it was first seen.
    pub(crate) fn see(&mut self, path: &Path) {
        self.files.entry(path.to_path_buf()).or_insert_with(|| Mark::of(path));
    }

    /// One of the files that have changed since they were last seen.
    pub(crate) fn changed(&mut self) -> Option<&Path> {
        let mut found = None;
        for (path, seen) in &mut self.files {
            let now = Mark::of(path);
            if now != *seen {
                *seen = now;
                found = Some(path.as_path());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_made_or_removed_has_changed() {
        let folder = std::env::temp_dir().join(format!("gander-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let (there, missing) = (folder.join("a.lk"), folder.join("b.lk"));
        std::fs::write(&there, "1").expect("the file can be written");
        let mut watch = Watch::default();
        watch.see(&there);
        watch.see(&missing);
        assert_eq!(watch.changed(), None);
        std::fs::write(&there, "12").expect("the file can be written");
        assert_eq!(watch.changed(), Some(there.as_path()));
        assert_eq!(watch.changed(), None);
        std::fs::write(&missing, "").expect("the file can be written");
        assert_eq!(watch.changed(), Some(missing.as_path()));
        std::fs::remove_file(&there).expect("the file can be removed");
        assert_eq!(watch.changed(), Some(there.as_path()));
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
