//! Files that hold other files, as office documents do: what is in them tells what they are.
//!
//! Two containers: zip archives (PKWARE APPNOTE, section 4.3) and the compound files of older office programs ([MS-CFB]). Sizes and
//! offsets in them are somebody else's word: a place that does not exist makes the file an archive of no known kind.

use super::content::Content;
use super::kind::{Kind, found};
use std::io;

/// A zip archive whose entries say nothing.
static ZIP: Kind = found("application/zip", "zip", &["application/x-zip-compressed", "application/x-zip"]);

/// Kinds of zip archives, by an entry each has. Those with macros stand first: they have the other entry as well.
static BY_ENTRY: &[(&[u8], Kind)] = &[
    (b"word/vbaProject.bin", found("application/vnd.ms-word.document.macroenabled.12", "docm", &[])),
    (b"xl/vbaProject.bin", found("application/vnd.ms-excel.sheet.macroenabled.12", "xlsm", &[])),
    (b"ppt/vbaProject.bin", found("application/vnd.ms-powerpoint.presentation.macroenabled.12", "pptm", &[])),
    (
        b"word/document.xml",
        found("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx", &[]),
    ),
    (b"xl/workbook.xml", found("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", &[])),
    (
        b"ppt/presentation.xml",
        found("application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx", &[]),
    ),
    (b"AndroidManifest.xml", found("application/vnd.android.package-archive", "apk", &[])),
    (b"META-INF/MANIFEST.MF", found("application/java-archive", "jar", &["application/x-java-archive"])),
];

/// Kinds of zip archives whose first entry, `mimetype`, says what they are.
static BY_FIRST_ENTRY: &[Kind] = &[
    found("application/epub+zip", "epub", &[]),
    found("application/vnd.oasis.opendocument.text", "odt", &[]),
    found("application/vnd.oasis.opendocument.spreadsheet", "ods", &[]),
    found("application/vnd.oasis.opendocument.presentation", "odp", &[]),
    found("application/vnd.oasis.opendocument.graphics", "odg", &[]),
];

/// A compound file whose streams say nothing.
static COMPOUND: Kind = found("application/x-ole-storage", "ole", &["application/x-cfb"]);

/// Kinds of compound files, by a stream each has.
static BY_STREAM: &[(&str, Kind)] = &[
    ("WordDocument", found("application/msword", "doc", &[])),
    ("Workbook", found("application/vnd.ms-excel", "xls", &[])),
    ("PowerPoint Document", found("application/vnd.ms-powerpoint", "ppt", &[])),
];

/// Bytes of a directory that are read.
const MAX_DIRECTORY: usize = 256 * 1024;

/// The kind, if it is one of these containers.
pub(super) fn kind_of(content: &Content, head: &[u8]) -> io::Result<Option<&'static Kind>> {
    if [b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"].iter().any(|sign| head.starts_with(*sign)) {
        return Ok(Some(zip_kind(content, head)?));
    }
    if head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        return Ok(Some(compound_kind(content, head)?));
    }
    Ok(None)
}

fn zip_kind(content: &Content, head: &[u8]) -> io::Result<&'static Kind> {
    // A local header of 30 bytes, then the name, then its content without compression.
    if let Some(rest) = head.get(30..).and_then(|rest| rest.strip_prefix(b"mimetype")) {
        // What follows is the header of the next entry: a longer type is another one.
        let is_meant =
            |kind: &&Kind| rest.strip_prefix(kind.mime.as_bytes()).is_some_and(|next| next.starts_with(b"PK"));
        if let Some(kind) = BY_FIRST_ENTRY.iter().find(is_meant) {
            return Ok(kind);
        }
    }
    let Some(directory) = zip_directory(content)? else { return Ok(&ZIP) };
    let has = |wanted: &[u8]| zip_names(&directory).any(|name| name == wanted);
    Ok(BY_ENTRY.iter().find(|(entry, _)| has(entry)).map_or(&ZIP, |(_, kind)| kind))
}

/// The list of entries, which the record at the end of the archive names.
fn zip_directory(content: &Content) -> io::Result<Option<Vec<u8>>> {
    /// The record without its comment.
    const RECORD: usize = 22;
    let longest = RECORD + usize::from(u16::MAX);
    let end = content.read(content.size().saturating_sub(longest as u64), longest)?;
    let record = end.windows(4).rposition(|window| window == b"PK\x05\x06").and_then(|at| end.get(at..));
    let place = record.and_then(|record| Some((le32(record, 12)?, le32(record, 16)?)));
    let Some((bytes, offset)) = place else { return Ok(None) };
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(MAX_DIRECTORY);
    Ok(Some(content.read(u64::from(offset), bytes)?.into_owned()))
}

fn zip_names(mut directory: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        if !directory.starts_with(b"PK\x01\x02") {
            return None;
        }
        let lengths = [le16(directory, 28)?, le16(directory, 30)?, le16(directory, 32)?].map(usize::from);
        let [name_bytes, _, _] = lengths;
        let name = directory.get(46..)?.get(..name_bytes)?;
        directory = directory.get(46 + lengths.iter().sum::<usize>()..).unwrap_or_default();
        Some(name)
    })
}

fn compound_kind(content: &Content, head: &[u8]) -> io::Result<&'static Kind> {
    // Sectors have 512 or 4096 bytes and are counted from the one behind the header.
    let place = match (le16(head, 30), le32(head, 48)) {
        (Some(shift @ (9 | 12)), Some(sector)) => Some((u64::from(sector) + 1) << shift),
        _ => None,
    };
    let Some(offset) = place else { return Ok(&COMPOUND) };
    let directory = content.read(offset, 4096)?;
    // Entries have 128 bytes and begin with a name in UTF-16, with a zero at its end.
    let has = |wanted: &str| {
        let name: Vec<u8> = wanted.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        directory.chunks(128).any(|entry| entry.starts_with(&name))
    };
    Ok(BY_STREAM.iter().find(|(stream, _)| has(stream)).map_or(&COMPOUND, |(_, kind)| kind))
}

fn le16(bytes: &[u8], offset: usize) -> Option<u16> {
    bytes.get(offset..)?.first_chunk().copied().map(u16::from_le_bytes)
}

fn le32(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().copied().map(u32::from_le_bytes)
}
