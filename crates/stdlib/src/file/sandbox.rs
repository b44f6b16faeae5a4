//! The folder that file:: is confined to.
//!
//! The folder is open for as long as the program runs, and every path is resolved from there by the system with the
//! promise to stay below it (`openat2` on Linux, step by step elsewhere): there is no moment between check and use.

use super::lent;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The setting that lifts the limit.
const EVERYWHERE: &str = "*";

/// Why a file cannot be used.
#[derive(Debug)]
pub(super) enum Problem {
    /// There is nothing at the path.
    Missing,
    /// The path leads out of the folder.
    Outside,
    /// In words that follow the path.
    Other(String),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A path through a file names nothing, as does a name longer than the system's.
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => Self::Missing,
            // The refusal is not the system's own, which would have a number.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Self::Outside,
            ErrorKind::DirectoryNotEmpty => Self::Other("is a folder that is not empty".to_owned()),
            ErrorKind::IsADirectory => Self::Other("is a folder".to_owned()),
            _ => Self::Other(format!("cannot be used: {error}")),
        }
    }
}

/// An open folder with the paths by which programs reach it.
#[derive(Debug)]
pub(super) struct Sandbox {
    dir: Dir,
    /// Its path without links.
    folder: PathBuf,
    /// The script's folder seen from this one, where it lies in it. Relative paths start there, else at this one.
    start: Option<PathBuf>,
    /// The script's folder as it was given, made absolute.
    script_folder: PathBuf,
}

impl Sandbox {
    /// Opens the folder that `setting` names, else the script's own.
    ///
    /// # Errors
    /// Names the folder and why it cannot be opened.
    pub(super) fn open(script_folder: &Path, setting: Option<&OsStr>) -> Result<Self, String> {
        let failed = |path: &Path, error: io::Error| format!("cannot open the folder {}: {error}", path.display());
        let given = if script_folder.as_os_str().is_empty() { Path::new(".") } else { script_folder };
        let script_folder = std::path::absolute(given).map_err(|error| failed(given, error))?;
        let real_script_folder = script_folder.canonicalize().map_err(|error| failed(&script_folder, error))?;
        let folder = match setting {
            None => real_script_folder.clone(),
            Some(all) if all == EVERYWHERE => {
                real_script_folder.ancestors().last().unwrap_or(&real_script_folder).to_owned()
            }
            Some(setting) => {
                let folder = script_folder.join(setting);
                folder.canonicalize().map_err(|error| failed(&folder, error))?
            }
        };
        let dir = Dir::open_ambient_dir(&folder, ambient_authority()).map_err(|error| failed(&folder, error))?;
        let start = real_script_folder.strip_prefix(&folder).ok().map(Path::to_owned);
        Ok(Self { dir, folder, start, script_folder })
    }

    /// Its path.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a file for reading.
    pub(super) fn read(&self, path: &[u8]) -> Result<File, Problem> {
        if let Some(lent) = lent::find(path) {
            return Ok(File::from_std(std::fs::File::open(&*lent)?));
        }
        self.at(path, |dir, path| {
            refuse_special(&dir.metadata(path)?)?;
            Ok(dir.open(path)?)
        })
    }

    /// Opens a file for writing, from its end or instead of what it holds. Missing folders are made.
    pub(super) fn write(&self, path: &[u8], append: bool) -> Result<File, Problem> {
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(append).truncate(!append);
        self.at(path, |dir, path| {
            match dir.metadata(path) {
                Ok(metadata) => refuse_special(&metadata)?,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                        dir.create_dir_all(parent)?;
                    }
                }
                Err(error) => return Err(error.into()),
            }
            Ok(dir.open_with(path, &options)?)
        })
    }

    /// What is known of a file or folder.
    pub(super) fn metadata(&self, path: &[u8]) -> Result<Metadata, Problem> {
        self.at(path, |dir, path| Ok(dir.metadata(path)?))
    }

    /// Removes a file, a link or an empty folder.
    pub(super) fn remove(&self, path: &[u8]) -> Result<(), Problem> {
        self.at(path, |dir, path| {
            if dir.symlink_metadata(path)?.is_dir() { Ok(dir.remove_dir(path)?) } else { Ok(dir.remove_file(path)?) }
        })
    }

    /// Does `work` with a path seen from the folder. Where an absolute link leads out and back in, which the system
    /// refuses without looking, it is tried once more with the path without links.
    fn at<T>(&self, path: &[u8], work: impl Fn(&Dir, &Path) -> Result<T, Problem>) -> Result<T, Problem> {
        let path = self.relative(path)?;
        match work(&self.dir, &path) {
            Err(Problem::Outside) => work(&self.dir, &self.without_links(&path).ok_or(Problem::Outside)?),
            other => other,
        }
    }

    /// A path of a program, seen from the folder.
    fn relative(&self, path: &[u8]) -> Result<PathBuf, Problem> {
        if path.is_empty() || path.contains(&0) {
            return Err(Problem::Other("is not a path".to_owned()));
        }
        let path = os_path(path).ok_or_else(|| Problem::Other("is not a path on this system".to_owned()))?;
        let found = if path.is_relative() {
            self.start.as_ref().map_or_else(|| path.to_owned(), |start| start.join(path))
        } else if let Ok(rest) = path.strip_prefix(&self.folder) {
            rest.to_owned()
        } else if let (Ok(rest), Some(start)) = (path.strip_prefix(&self.script_folder), &self.start) {
            start.join(rest)
        } else {
            self.without_links(path).ok_or(Problem::Outside)?
        };
        Ok(if found.as_os_str().is_empty() { PathBuf::from(".") } else { found })
    }

    /// The same file, seen from the folder by a path without links; none when it lies elsewhere. The last part need not
    /// exist.
    fn without_links(&self, path: &Path) -> Option<PathBuf> {
        let path = self.folder.join(path);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(_missing) => path.parent()?.canonicalize().ok()?.join(path.file_name()?),
        };
        real.strip_prefix(&self.folder).ok().map(Path::to_owned)
    }
}

/// Pipes and devices would make the program wait or worse.
fn refuse_special(metadata: &Metadata) -> Result<(), Problem> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(Problem::Other("is a folder".to_owned()))
    } else {
        Err(Problem::Other("is a pipe or device, not a file".to_owned()))
    }
}

#[cfg(unix)]
fn os_path(path: &[u8]) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(OsStr::from_bytes(path)))
}

#[cfg(not(unix))]
fn os_path(path: &[u8]) -> Option<&Path> {
    std::str::from_utf8(path).ok().map(Path::new)
}
