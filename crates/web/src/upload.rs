//! An uploaded file and what it must be to be taken.
//!
//! What the client says about a file, its name and its type, is never relied on: the type is what its bytes show.

mod archive;
pub(crate) mod content;
pub(crate) mod kind;
mod markup;
mod svg;

use content::Content;
use http::Status;
use kind::Kind;
use std::fmt;
use std::io;

/// Bytes that a file may have if nothing else is said.
pub(crate) const DEFAULT_MAX_SIZE: u64 = 1 << 20;

/// An uploaded file.
#[derive(Debug)]
pub(crate) struct Upload {
    /// Name of the form field.
    pub(crate) name: Vec<u8>,
    /// What the file was called, without folders and control characters; may be empty. Not to be used as a path.
    pub(crate) filename: String,
    /// What is in it.
    pub(crate) content: Content,
}

/// What a file must be to be taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a> {
    /// Bytes it may have.
    pub(crate) max_size: u64,
    /// Media types it may have, also `image/*`; without a list, any. `application/octet-stream` means what has no known type,
    /// plain text included.
    pub(crate) allow_mime: Option<&'a [String]>,
    /// May it be an SVG picture, if that is without scripts and references to elsewhere?
    pub(crate) allow_svg: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { max_size: DEFAULT_MAX_SIZE, allow_mime: None, allow_svg: false }
    }
}

/// Why a file was not taken.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// How many bytes it has, how many it may have.
    TooLarge(u64, u64),
    /// Its type, and those that are allowed.
    Type(&'static str, Vec<String>),
    /// It is an SVG picture and those were not asked for.
    Svg,
    /// It is an SVG picture with something that may run or load something.
    UnsafeSvg(svg::Problem),
    /// Its temporary file cannot be read.
    Read(io::Error),
    /// It cannot be written to where the program could read it.
    Write(io::Error),
}

impl Refusal {
    /// What to answer.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::TooLarge(..) => Status::CONTENT_TOO_LARGE,
            Self::Type(..) | Self::Svg | Self::UnsafeSvg(_) => Status::UNSUPPORTED_MEDIA_TYPE,
            Self::Read(_) | Self::Write(_) => Status::INTERNAL_SERVER_ERROR,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(size, limit) => {
                write!(f, "the file has {size} bytes, allowed are {limit} (option max_size)")
            }
            Self::Type(found, allowed) if allowed.is_empty() => {
                write!(f, "the file is {found}, and the option allow_mime allows no type at all")
            }
            Self::Type(found, allowed) => {
                write!(f, "the file is {found}, allowed are {} (option allow_mime)", allowed.join(", "))
            }
            Self::Svg => f.write_str("the file is an SVG picture, which can hold scripts (option allow_svg allows it)"),
            Self::UnsafeSvg(problem) => write!(f, "the SVG picture is not safe: {problem}"),
            Self::Read(error) => write!(f, "the temporary file of the upload cannot be read: {error}"),
            Self::Write(error) => write!(f, "the upload cannot be written to a temporary file: {error}"),
        }
    }
}

impl std::error::Error for Refusal {}

/// Whether a file may be taken, and its type. May wait for the disk if its content is in a temporary file.
///
/// # Errors
/// It may not; see [`Refusal`].
pub(crate) fn check(content: &Content, options: &Options<'_>) -> Result<&'static Kind, Refusal> {
    if content.size() > options.max_size {
        return Err(Refusal::TooLarge(content.size(), options.max_size));
    }
    let kind = kind::of(content).map_err(Refusal::Read)?;
    if kind.is_svg() && !options.allow_svg {
        return Err(Refusal::Svg);
    }
    if let Some(allowed) = options.allow_mime
        && !allowed.iter().any(|entry| kind.is_meant_by(entry))
    {
        return Err(Refusal::Type(kind.mime, allowed.to_vec()));
    }
    if kind.is_svg() {
        let bytes = usize::try_from(content.size()).unwrap_or(usize::MAX);
        if bytes > svg::MAX_BYTES {
            return Err(Refusal::UnsafeSvg(svg::Problem::TooLarge(bytes)));
        }
        let picture = content.read(0, bytes).map_err(Refusal::Read)?;
        svg::check(&picture).map_err(Refusal::UnsafeSvg)?;
    }
    Ok(kind)
}

#[cfg(test)]
mod tests;
