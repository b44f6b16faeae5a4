//! The type of a file as its first bytes show it.
//!
//! Neither the name nor what the client says about the type counts. For text there are no such bytes: markup is found as
//! browsers find it (MIME Sniffing standard, section 7.1), JSON by how it begins and ends, and the rest is plain text if it has
//! no byte that text does not have.

use super::content::Content;
use super::{archive, markup};
use Sign::{Head, Magic};
use std::io;

/// Bytes at the start that are looked at.
const HEAD: usize = 8 * 1024;

/// A type of files.
#[derive(Debug)]
pub(crate) struct Kind {
    /// The media type.
    pub(crate) mime: &'static str,
    /// The usual ending of a name, without a dot.
    pub(crate) extension: &'static str,
    /// Other media types that are written for it, or that nobody could tell from it.
    aliases: &'static [&'static str],
    sign: Sign,
}

/// What shows that a file is of a kind.
#[derive(Debug)]
enum Sign {
    /// One of these alternatives: all its bytes stand at their offsets.
    Magic(&'static [&'static [(usize, &'static [u8])]]),
    /// The first bytes are such.
    Head(fn(&[u8]) -> bool),
    /// It is found in another way.
    Elsewhere,
}

const fn kind(mime: &'static str, extension: &'static str, aliases: &'static [&'static str], sign: Sign) -> Kind {
    Kind { mime, extension, aliases, sign }
}

/// A kind that the modules beside this one find.
pub(super) const fn found(mime: &'static str, extension: &'static str, aliases: &'static [&'static str]) -> Kind {
    kind(mime, extension, aliases, Sign::Elsewhere)
}

/// What begins every file of the Matroska family (RFC 8794).
const EBML: &[u8] = b"\x1a\x45\xdf\xa3";

/// The kinds that the first bytes tell. The first match counts.
static BY_HEAD: &[Kind] = &[
    // Images.
    kind("image/jpeg", "jpg", &["image/jpg", "image/pjpeg"], Magic(&[&[(0, b"\xff\xd8\xff")]])),
    kind("image/png", "png", &["image/x-png"], Magic(&[&[(0, b"\x89PNG\r\n\x1a\n")]])),
    kind("image/gif", "gif", &[], Magic(&[&[(0, b"GIF87a")], &[(0, b"GIF89a")]])),
    kind("image/webp", "webp", &[], Magic(&[&[(0, b"RIFF"), (8, b"WEBP")]])),
    kind("image/avif", "avif", &[], Magic(&[&[(4, b"ftypavif")], &[(4, b"ftypavis")]])),
    kind(
        "image/heic",
        "heic",
        &["image/heif"],
        Magic(&[&[(4, b"ftyphei")], &[(4, b"ftyphev")], &[(4, b"ftypmif1")], &[(4, b"ftypmsf1")]]),
    ),
    // "BM" alone begins many a text: the size of the second header belongs to it.
    kind(
        "image/bmp",
        "bmp",
        &["image/x-bmp", "image/x-ms-bmp"],
        Magic(&[
            &[(0, b"BM"), (14, b"\x0c\0\0\0")],
            &[(0, b"BM"), (14, b"\x28\0\0\0")],
            &[(0, b"BM"), (14, b"\x34\0\0\0")],
            &[(0, b"BM"), (14, b"\x38\0\0\0")],
            &[(0, b"BM"), (14, b"\x6c\0\0\0")],
            &[(0, b"BM"), (14, b"\x7c\0\0\0")],
        ]),
    ),
    kind("image/tiff", "tiff", &["image/tif"], Magic(&[&[(0, b"II*\0")], &[(0, b"MM\0*")]])),
    kind(
        "image/vnd.microsoft.icon",
        "ico",
        &["image/x-icon", "image/ico"],
        Magic(&[&[(0, b"\0\0\x01\0"), (5, b"\0"), (9, b"\0")]]),
    ),
    kind("image/jxl", "jxl", &[], Magic(&[&[(0, b"\xff\x0a")], &[(0, b"\0\0\0\x0cJXL \r\n\x87\n")]])),
    kind("image/vnd.adobe.photoshop", "psd", &["image/x-photoshop"], Magic(&[&[(0, b"8BPS")]])),
    // Documents.
    kind("application/pdf", "pdf", &["application/x-pdf"], Magic(&[&[(0, b"%PDF-")]])),
    kind("application/rtf", "rtf", &["text/rtf"], Magic(&[&[(0, b"{\\rtf")]])),
    kind("application/postscript", "ps", &[], Magic(&[&[(0, b"%!PS")]])),
    kind("application/vnd.sqlite3", "sqlite", &["application/x-sqlite3"], Magic(&[&[(0, b"SQLite format 3\0")]])),
    // Archives and compressed data; zip archives are looked into.
    kind("application/gzip", "gz", &["application/x-gzip"], Magic(&[&[(0, b"\x1f\x8b\x08")]])),
    kind("application/x-bzip2", "bz2", &["application/bzip2"], Magic(&[&[(0, b"BZh"), (4, b"1AY&SY")]])),
    kind("application/x-xz", "xz", &[], Magic(&[&[(0, b"\xfd7zXZ\0")]])),
    kind("application/zstd", "zst", &["application/x-zstd"], Magic(&[&[(0, b"\x28\xb5\x2f\xfd")]])),
    kind("application/x-lz4", "lz4", &[], Magic(&[&[(0, b"\x04\x22\x4d\x18")]])),
    kind("application/x-7z-compressed", "7z", &[], Magic(&[&[(0, b"7z\xbc\xaf\x27\x1c")]])),
    kind(
        "application/vnd.rar",
        "rar",
        &["application/x-rar-compressed", "application/x-rar"],
        Magic(&[&[(0, b"Rar!\x1a\x07")]]),
    ),
    kind("application/x-tar", "tar", &[], Magic(&[&[(257, b"ustar")]])),
    kind("application/vnd.ms-cab-compressed", "cab", &[], Magic(&[&[(0, b"MSCF\0\0\0\0")]])),
    // Sound and moving pictures.
    kind("audio/wav", "wav", &["audio/x-wav", "audio/wave"], Magic(&[&[(0, b"RIFF"), (8, b"WAVE")]])),
    kind("audio/flac", "flac", &["audio/x-flac"], Magic(&[&[(0, b"fLaC")]])),
    kind("audio/mpeg", "mp3", &["audio/mp3", "audio/x-mp3"], Head(is_mpeg_audio)),
    kind("audio/aac", "aac", &["audio/aacp", "audio/x-aac"], Head(is_adts)),
    kind("audio/midi", "mid", &["audio/x-midi"], Magic(&[&[(0, b"MThd")]])),
    kind(
        "audio/aiff",
        "aiff",
        &["audio/x-aiff"],
        Magic(&[&[(0, b"FORM"), (8, b"AIFF")], &[(0, b"FORM"), (8, b"AIFC")]]),
    ),
    kind("audio/mp4", "m4a", &["audio/x-m4a", "audio/m4a"], Magic(&[&[(4, b"ftypM4A ")], &[(4, b"ftypM4B ")]])),
    kind("video/ogg", "ogv", &[], Magic(&[&[(0, b"OggS"), (28, b"\x80theora")], &[(0, b"OggS"), (28, b"fishead\0")]])),
    kind("audio/ogg", "ogg", &["application/ogg", "audio/opus"], Magic(&[&[(0, b"OggS")]])),
    kind("video/quicktime", "mov", &[], Magic(&[&[(4, b"ftypqt  ")], &[(4, b"moov")]])),
    kind("video/3gpp", "3gp", &["video/3gpp2"], Magic(&[&[(4, b"ftyp3g")]])),
    kind(
        "video/mp4",
        "mp4",
        &["video/x-m4v"],
        Magic(&[
            &[(4, b"ftypiso")],
            &[(4, b"ftypmp4")],
            &[(4, b"ftypavc1")],
            &[(4, b"ftypdash")],
            &[(4, b"ftypM4V")],
            &[(4, b"ftypMSNV")],
            &[(4, b"ftypf4v ")],
        ]),
    ),
    kind("video/webm", "webm", &["audio/webm"], Head(is_webm)),
    kind("video/x-matroska", "mkv", &["audio/x-matroska"], Magic(&[&[(0, EBML)]])),
    kind("video/x-msvideo", "avi", &["video/avi"], Magic(&[&[(0, b"RIFF"), (8, b"AVI ")]])),
    kind("video/x-flv", "flv", &[], Magic(&[&[(0, b"FLV\x01")]])),
    kind("video/mpeg", "mpg", &[], Magic(&[&[(0, b"\0\0\x01\xba")], &[(0, b"\0\0\x01\xb3")]])),
    kind(
        "video/x-ms-asf",
        "wmv",
        &["video/x-ms-wmv", "audio/x-ms-wma"],
        Magic(&[&[(0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11")]]),
    ),
    // Fonts.
    kind("font/woff", "woff", &["application/font-woff"], Magic(&[&[(0, b"wOFF")]])),
    kind("font/woff2", "woff2", &[], Magic(&[&[(0, b"wOF2")]])),
    kind("font/otf", "otf", &["application/x-font-otf"], Magic(&[&[(0, b"OTTO")]])),
    kind(
        "font/ttf",
        "ttf",
        &["application/x-font-ttf"],
        Magic(&[&[(0, b"\0\x01\0\0"), (4, b"\0")], &[(0, b"true\0")]]),
    ),
    kind("font/collection", "ttc", &[], Magic(&[&[(0, b"ttcf\0")]])),
    // Programs.
    kind("application/wasm", "wasm", &[], Magic(&[&[(0, b"\0asm")]])),
    kind(
        "application/vnd.microsoft.portable-executable",
        "exe",
        &["application/x-msdownload", "application/x-dosexec"],
        Head(is_dos_program),
    ),
    kind(
        "application/x-executable",
        "elf",
        &["application/x-elf", "application/x-sharedlib"],
        Magic(&[&[(0, b"\x7fELF")]]),
    ),
    kind(
        "application/x-mach-binary",
        "macho",
        &[],
        Magic(&[
            &[(0, b"\xcf\xfa\xed\xfe")],
            &[(0, b"\xce\xfa\xed\xfe")],
            &[(0, b"\xfe\xed\xfa\xcf")],
            &[(0, b"\xfe\xed\xfa\xce")],
        ]),
    ),
    // Also begins the fat form of the one above.
    kind("application/java-vm", "class", &["application/x-java-applet"], Magic(&[&[(0, b"\xca\xfe\xba\xbe")]])),
    kind("text/x-shellscript", "sh", &["application/x-sh"], Magic(&[&[(0, b"#!")]])),
    kind(
        "application/x-httpd-php",
        "php",
        &["text/x-php", "application/x-php"],
        Magic(&[&[(0, b"<?php")], &[(0, b"<?=")]]),
    ),
];

/// What has no other kind.
static BINARY: Kind = found("application/octet-stream", "bin", &[]);

impl Kind {
    /// Is this the media type of pictures that can hold scripts?
    pub(crate) fn is_svg(&self) -> bool {
        self.mime == markup::SVG_MIME
    }

    /// Does an entry of a list of media types mean this kind? An entry may be `image/*` or `*/*` and is compared without case.
    /// As text has no sign of its own, `application/octet-stream` means plain text as well.
    pub(crate) fn is_meant_by(&self, entry: &str) -> bool {
        let entry = entry.trim();
        let is = |mime: &str| mime.eq_ignore_ascii_case(entry);
        let is_family = |mime: &str| match (entry.split_once('/'), mime.split_once('/')) {
            (Some((wanted, "*")), Some((family, _))) => wanted == "*" || wanted.eq_ignore_ascii_case(family),
            _ => false,
        };
        is(self.mime)
            || is_family(self.mime)
            || self.aliases.iter().any(|alias| is(alias))
            || (is(BINARY.mime) && self.mime == markup::TEXT_MIME)
    }

    fn has_sign(&self, head: &[u8]) -> bool {
        let stands = |(offset, bytes): &(usize, &[u8])| head.get(*offset..).is_some_and(|rest| rest.starts_with(bytes));
        match self.sign {
            Sign::Magic(alternatives) => alternatives.iter().any(|bytes| bytes.iter().all(stands)),
            Sign::Head(is_such) => is_such(head),
            Sign::Elsewhere => false,
        }
    }
}

/// The kind of a file. May wait for the disk if its content is in a temporary file.
///
/// # Errors
/// The temporary file cannot be read.
pub(crate) fn of(content: &Content) -> io::Result<&'static Kind> {
    let head = content.read(0, HEAD)?;
    if let Some(kind) = archive::kind_of(content, &head)? {
        return Ok(kind);
    }
    if let Some(kind) = BY_HEAD.iter().find(|kind| kind.has_sign(&head)) {
        return Ok(kind);
    }
    let last = content.read(content.size().saturating_sub(64), 64)?;
    Ok(markup::kind_of(&head, &last).unwrap_or(&BINARY))
}

/// A frame header of MPEG layer 3 (ISO 11172-3, section 2.4.1.3), or the tags that stand before the first one.
fn is_mpeg_audio(head: &[u8]) -> bool {
    match head {
        [b'I', b'D', b'3', ..] => true,
        // Version 1 is reserved, as are bit rates 0 and 15 here and sample rate 3.
        [0xff, version, rates, ..] => {
            version & 0xe6 == 0xe2 && version >> 3 & 3 != 1 && !matches!(rates >> 4, 0 | 15) && rates >> 2 & 3 != 3
        }
        _ => false,
    }
}

/// A frame header of AAC (ISO 13818-7, section 6.2): layer 0, one of 13 sample rates.
fn is_adts(head: &[u8]) -> bool {
    matches!(head, [0xff, version, rates, ..] if version & 0xf6 == 0xf0 && rates >> 2 & 15 < 13)
}

/// Matroska that names its subset; the name stands among the first elements.
fn is_webm(head: &[u8]) -> bool {
    head.starts_with(EBML) && head.get(..64).unwrap_or(head).windows(4).any(|window| window == b"webm")
}

/// Two letters are few: a text may begin so.
fn is_dos_program(head: &[u8]) -> bool {
    head.starts_with(b"MZ") && !markup::is_text(head)
}

#[cfg(test)]
mod tests;
