//! Files of a folder, served where no route answers.
//!
//! Nothing outside of the folder is reachable, through no path and no link; names that begin with a dot are hidden (except
//! `.well-known`), and so are programs. All that touches the disk runs on a helper thread; a large file is read while the
//! client takes it.

mod condition;
mod range;

use crate::context::Context;
use crate::encoding::{Coding, SMALLEST, acceptable, is_compressible};
use crate::form::decode_component;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use condition::{Tags, Verdict};
use http::{FilePart, Payload, Status};
use range::Wanted;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use vm::Thrown;

/// Smaller files are read at once.
const SMALL: u64 = 32 * 1024;

/// What a folder shows when it is asked for itself.
const INDEX: &str = "index.html";

/// A folder to be served.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    root: Arc<Dir>,
    /// How long clients may keep a file without asking again.
    max_age: Duration,
}

/// A file, opened.
struct Found {
    content: Payload,
    length: u64,
    modified: SystemTime,
    content_type: String,
    /// It was compressed beforehand.
    coding: Option<Coding>,
    /// There may be other forms of it.
    varies: bool,
}

/// What there is at a path.
enum Place {
    Nothing,
    File(Box<Found>),
    /// A folder with an index, asked for without the slash at its end.
    Folder,
}

impl Folder {
    /// Opens it.
    ///
    /// # Errors
    /// It is none, or cannot be read.
    pub(crate) fn open(path: &Path, max_age: Duration) -> io::Result<Self> {
        Ok(Self { root: Arc::new(Dir::open_ambient_dir(path, ambient_authority())?), max_age })
    }

    /// Answers the request of a context with a file. False if there is none.
    ///
    /// # Errors
    /// The request ends meanwhile.
    pub(crate) fn answer(&self, context: &mut Context) -> Result<bool, Thrown> {
        if !matches!(context.method(), "GET" | "HEAD") {
            return Ok(false);
        }
        let Some((path, is_folder)) = relative(context.path()) else { return Ok(false) };
        let codings = acceptable(context.header("accept-encoding"), SMALLEST);
        let root = self.root.clone();
        match stdlib::helper::run(move || find(&root, &path, is_folder, &codings))? {
            Place::Nothing => Ok(false),
            Place::Folder => {
                let mut target = format!("{}/", context.path());
                if !context.query().is_empty() {
                    target.push('?');
                    target.push_str(&String::from_utf8_lossy(context.query()));
                }
                context.reply.status = Status::MOVED_PERMANENTLY;
                context.reply.set_header("static", b"Location", target.as_bytes())?;
                context.reply.set_body(crate::reply::Kind::Text, "");
                Ok(true)
            }
            Place::File(found) => self.send(context, *found).map(|()| true),
        }
    }

    fn send(&self, context: &mut Context, found: Found) -> Result<(), Thrown> {
        let tags = Tags::new(found.modified, found.length, found.coding.map_or("", Coding::name));
        let verdict = condition::check(|name| context.header(name), &tags);
        let wanted = match verdict {
            Verdict::Send => range::wanted(|name| context.header(name), found.length, &tags),
            Verdict::NotModified | Verdict::Failed => Wanted::All,
        };
        let reply = &mut context.reply;
        let mut set = |name: &str, value: &str| reply.set_header("static", name.as_bytes(), value.as_bytes());
        set("Content-Type", &found.content_type)?;
        set("X-Content-Type-Options", "nosniff")?;
        set("ETag", tags.entity())?;
        set("Last-Modified", tags.date())?;
        set("Accept-Ranges", "bytes")?;
        set("Cache-Control", &format!("public, max-age={}", self.max_age.as_secs()))?;
        if found.varies {
            set("Vary", "Accept-Encoding")?;
        }
        if let Some(coding) = found.coding {
            set("Content-Encoding", coding.name())?;
        }
        let (status, body) = match (verdict, wanted) {
            (Verdict::NotModified, _) => (Status::NOT_MODIFIED, Payload::from("")),
            (Verdict::Failed, _) => (Status::PRECONDITION_FAILED, Payload::from("")),
            (Verdict::Send, Wanted::All) => (Status::OK, found.content),
            (Verdict::Send, Wanted::Part(part)) => {
                let (first, last) = (part.start, part.end.saturating_sub(1));
                set("Content-Range", &format!("bytes {first}-{last}/{}", found.length))?;
                (Status::PARTIAL_CONTENT, cut(found.content, part))
            }
            (Verdict::Send, Wanted::Nothing) => {
                set("Content-Range", &format!("bytes */{}", found.length))?;
                (Status::RANGE_NOT_SATISFIABLE, Payload::from(""))
            }
        };
        reply.status = status;
        reply.set_plain_body(body);
        Ok(())
    }
}

/// A part of a body.
fn cut(content: Payload, part: std::ops::Range<u64>) -> Payload {
    match content {
        Payload::File(FilePart { file, offset, .. }) => {
            Payload::File(FilePart { file, offset: offset + part.start, bytes: part.end - part.start })
        }
        memory => {
            let at = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
            Payload::Owned(memory.bytes().get(at(part.start)..at(part.end)).unwrap_or_default().to_vec())
        }
    }
}

/// The place in the folder that the path of a request means, and whether it ends with a slash. None if it may not be served.
fn relative(path: &str) -> Option<(PathBuf, bool)> {
    let mut place = PathBuf::new();
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        let segment = decode_component(segment.as_bytes(), false);
        let segment = str::from_utf8(&segment).ok()?;
        let is_hidden = segment.starts_with('.') && segment != ".well-known";
        if is_hidden || segment.contains(['/', '\\', '\0']) {
            return None;
        }
        place.push(segment);
    }
    let is_program = place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("lk"));
    (!is_program).then_some((place, path.ends_with('/')))
}

/// Looks for a file. May wait for the disk.
fn find(root: &Dir, path: &Path, is_folder: bool, codings: &[Coding]) -> Place {
    if path.as_os_str().is_empty() || is_folder {
        return file(root, &path.join(INDEX), codings).map_or(Place::Nothing, Place::File);
    }
    match root.metadata(path) {
        Ok(metadata) if metadata.is_dir() => match root.metadata(path.join(INDEX)) {
            Ok(index) if index.is_file() => Place::Folder,
            _ => Place::Nothing,
        },
        Ok(metadata) if metadata.is_file() => file(root, path, codings).map_or(Place::Nothing, Place::File),
        _ => Place::Nothing,
    }
}

fn file(root: &Dir, path: &Path, codings: &[Coding]) -> Option<Box<Found>> {
    let (plain, metadata) = open(root, path)?;
    let guess = mime_guess::from_path(path).first_raw().unwrap_or("application/octet-stream");
    let is_text = guess.starts_with("text/") || matches!(guess, "application/javascript" | "application/json");
    let content_type = if is_text { format!("{guess}; charset=utf-8") } else { guess.to_owned() };
    let varies = is_compressible(content_type.as_bytes());
    let modified = modified(&metadata);
    // One that is older than the file itself was made from an earlier edition.
    let compressed = codings.iter().filter(|_| varies).find_map(|coding| {
        let mut name = path.as_os_str().to_owned();
        name.push(".");
        name.push(coding.extension());
        let (file, metadata) = open(root, Path::new(&name))?;
        (self::modified(&metadata) >= modified).then_some((*coding, file, metadata))
    });
    let (coding, file, metadata) = match compressed {
        Some((coding, file, metadata)) => (Some(coding), file, metadata),
        None => (None, plain, metadata),
    };
    let length = metadata.len();
    let content = content(file, length).ok()?;
    Some(Box::new(Found { content, length, modified: self::modified(&metadata), content_type, coding, varies }))
}

fn open(root: &Dir, path: &Path) -> Option<(File, Metadata)> {
    let file = root.open(path).ok()?;
    let metadata = file.metadata().ok()?;
    metadata.is_file().then(|| (file.into_std(), metadata))
}

fn content(mut file: File, length: u64) -> io::Result<Payload> {
    if length > SMALL {
        return Ok(Payload::File(FilePart { file: Arc::new(file), offset: 0, bytes: length }));
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact(&mut bytes)?;
    Ok(Payload::Owned(bytes))
}

/// Whole seconds, as far as a date in a header can tell.
fn modified(metadata: &Metadata) -> SystemTime {
    metadata.modified().map_or(UNIX_EPOCH, cap_std::time::SystemTime::into_std)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder_and_away_from_what_is_hidden() {
        for path in [
            "/../etc/passwd",
            "/a/../../b",
            "/%2e%2e/x",
            "/..%2fx",
            "/.env",
            "/a/.git/config",
            "/a%00.txt",
            "/a%5c..%5cb",
            "/app.lk",
            "/APP.LK",
            "/%ff",
        ] {
            assert_eq!(relative(path), None, "{path}");
        }
        assert_eq!(relative("/"), Some((PathBuf::new(), true)));
        assert_eq!(relative("/a%20b/c.css"), Some((PathBuf::from("a b/c.css"), false)));
        assert_eq!(relative("//a//"), Some((PathBuf::from("a"), true)));
        assert_eq!(relative("/.well-known/x"), Some((PathBuf::from(".well-known/x"), false)));
    }
}
