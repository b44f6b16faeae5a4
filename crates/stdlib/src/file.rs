//! Files, below the folder that the program may use.

mod lent;
mod sandbox;

pub use lent::Lent;

use crate::env;
use crate::helper;
use crate::text::Text;
use macros::module;
use sandbox::{Problem, Sandbox};
use std::io::{Read, Write};
use std::sync::Arc;
use vm::{Cx, MAX_STRING, Str, Thrown, Value};

/// The folder that programs may use, opened when first needed.
#[derive(Default)]
struct Opened(Option<Arc<Sandbox>>);

fn sandbox(cx: &mut Cx<'_>, function: &str) -> Result<Arc<Sandbox>, Thrown> {
    if let Some(sandbox) = &cx.state::<Opened>().0 {
        return Ok(sandbox.clone());
    }
    let opened = Sandbox::open(&cx.host().root, std::env::var_os("LOOK_FILE_ROOT").as_deref());
    let sandbox = Arc::new(opened.map_err(|problem| Thrown::error(format!("file::{function}(): {problem}")))?);
    cx.state::<Opened>().0 = Some(sandbox.clone());
    Ok(sandbox)
}

/// Runs `work` with the sandbox and the path, where it may wait for the disk; its problems become errors that name the function
/// and the path as written.
fn with_sandbox<T: Send + 'static>(
    cx: &mut Cx<'_>,
    function: &str,
    path: &[u8],
    work: impl FnOnce(&Sandbox, &[u8]) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Thrown> {
    let sandbox = sandbox(cx, function)?;
    let (shared, own) = (sandbox.clone(), path.to_vec());
    helper::run(move || work(&shared, &own))?.map_err(|problem| {
        let shown = String::from_utf8_lossy(path);
        let shown = shown.escape_debug();
        Thrown::error(match problem {
            Problem::Missing => format!("file::{function}(): \"{shown}\" does not exist"),
            Problem::Outside => format!(
                "file::{function}(): \"{shown}\" is outside {}, where this program may use files; \
                 the environment variable LOOK_FILE_ROOT names another folder",
                sandbox.folder().display()
            ),
            Problem::Other(cause) => format!("file::{function}(): \"{shown}\" {cause}"),
        })
    })
}

#[module(name = "file")]
pub mod builtins {
    //! Files.
    //!
    //! A relative path starts at the folder of the main script. Programs may use files in that folder and below it;
    //! neither `..` nor a symbolic link leads out. The environment variable `LOOK_FILE_ROOT` names another folder, or
    //! `*` for no limit. Contents are bytes.

    use super::*;

    /// The contents of a file.
    ///
    /// ```look
    /// file::put("example.txt", "some text")
    /// print(file::read("example.txt"))   // some text
    /// file::remove("example.txt")
    /// ```
    #[builtin(waits)]
    fn read(cx: &mut Cx<'_>, path: &[u8]) -> Result<Str, Thrown> {
        with_sandbox(cx, "read", path, |sandbox, path| {
            let mut contents = Vec::new();
            let file = sandbox.read(path)?;
            file.take(MAX_STRING as u64 + 1).read_to_end(&mut contents)?;
            if contents.len() > MAX_STRING {
                return Err(Problem::Other(format!("is larger than {MAX_STRING} bytes")));
            }
            Ok(contents)
        })
        .map(Str::from)
    }

    /// Writes a file, replacing what it held. Folders that are missing on the way are made.
    ///
    /// ```look
    /// print(file::put("example.txt", "text"), file::size("example.txt"))   // true 4
    /// file::remove("example.txt")
    /// ```
    #[builtin(waits)]
    fn put(cx: &mut Cx<'_>, path: &[u8], contents: Text<'_>) -> Result<bool, Thrown> {
        let contents = contents.as_bytes().to_vec();
        with_sandbox(cx, "put", path, move |sandbox, path| {
            sandbox.write(path, false)?.write_all(&contents)?;
            Ok(true)
        })
    }

    /// Adds to the end of a file, which is made when missing.
    ///
    /// ```look
    /// file::append("example.txt", "a")
    /// file::append("example.txt", "b")
    /// print(file::read("example.txt"))   // ab
    /// file::remove("example.txt")
    /// ```
    #[builtin(waits)]
    fn append(cx: &mut Cx<'_>, path: &[u8], contents: Text<'_>) -> Result<bool, Thrown> {
        let contents = contents.as_bytes().to_vec();
        with_sandbox(cx, "append", path, move |sandbox, path| {
            sandbox.write(path, true)?.write_all(&contents)?;
            Ok(true)
        })
    }

    /// True when there is a file or folder at the path.
    ///
    /// ```look
    /// print(file::exists("no-such-file"), file::exists("."))   // false true
    /// ```
    #[builtin(waits)]
    fn exists(cx: &mut Cx<'_>, path: &[u8]) -> Result<bool, Thrown> {
        with_sandbox(cx, "exists", path, |sandbox, path| match sandbox.metadata(path) {
            Ok(_) => Ok(true),
            Err(Problem::Missing) => Ok(false),
            Err(problem) => Err(problem),
        })
    }

    /// Removes a file, or an empty folder. False when there was nothing.
    ///
    /// ```look
    /// file::put("example.txt", "text")
    /// print(file::remove("example.txt"), file::remove("example.txt"))   // true false
    /// ```
    #[builtin(waits)]
    fn remove(cx: &mut Cx<'_>, path: &[u8]) -> Result<bool, Thrown> {
        with_sandbox(cx, "remove", path, |sandbox, path| match sandbox.remove(path) {
            Ok(()) => Ok(true),
            Err(Problem::Missing) => Ok(false),
            Err(problem) => Err(problem),
        })
    }

    /// The size of a file in bytes.
    ///
    /// ```look
    /// file::put("example.txt", "çay")
    /// print(file::size("example.txt"))   // 4
    /// file::remove("example.txt")
    /// ```
    #[builtin(waits)]
    fn size(cx: &mut Cx<'_>, path: &[u8]) -> Result<i64, Thrown> {
        with_sandbox(cx, "size", path, |sandbox, path| {
            let metadata = sandbox.metadata(path)?;
            if metadata.is_dir() {
                return Err(Problem::Other("is a folder".to_owned()));
            }
            Ok(i64::try_from(metadata.len()).unwrap_or(i64::MAX))
        })
    }

    /// The folder for uploaded files: the setting `UPLOAD_DIR`, else `storage/uploads` beside the main script.
    ///
    /// ```look
    /// print(string::ends_with(file::upload_dir(), "uploads"))   // true
    /// ```
    #[builtin(reads)]
    fn upload_dir(cx: &mut Cx<'_>) -> Result<Value, Thrown> {
        if let Some(folder) = env::lookup(cx, b"UPLOAD_DIR")?.filter(|folder| !folder.is_empty()) {
            return Ok(Value::str(folder));
        }
        let folder = cx.host().root.join("storage").join("uploads");
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        Ok(Value::str(folder.as_os_str().as_encoded_bytes()))
    }
}

#[cfg(all(test, unix))]
mod tests;
