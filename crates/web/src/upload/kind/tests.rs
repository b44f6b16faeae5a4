//! Files of each family by their first bytes.

use super::*;
use crate::upload::content::Collector;

fn kind_of(bytes: &[u8]) -> (&'static str, &'static str) {
    let folder = std::env::temp_dir();
    let mut collector = Collector::new(&folder);
    collector.add(bytes).expect("there is room");
    let kind = of(&collector.finish()).expect("it is in memory");
    (kind.mime, kind.extension)
}

#[test]
fn files_are_known_by_their_bytes() {
    for (bytes, mime, extension) in [
        (&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], "image/jpeg", "jpg"),
        (b"GIF89a\x01\0", "image/gif", "gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp", "webp"),
        (b"\0\0\0\x20ftypavif", "image/avif", "avif"),
        (b"\0\0\0\x18ftypmp42", "video/mp4", "mp4"),
        (b"ID3\x03\0", "audio/mpeg", "mp3"),
        (b"\xff\xfb\x90\x64", "audio/mpeg", "mp3"),
        (b"\xff\xf1\x50\x80", "audio/aac", "aac"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm", "video/webm", "webm"),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska", "video/x-matroska", "mkv"),
        (b"%PDF-1.4\n", "application/pdf", "pdf"),
        (b"PK\x03\x04 and no directory", "application/zip", "zip"),
        (b"MZ\x90\0\x03\0\0\0", "application/vnd.microsoft.portable-executable", "exe"),
        (b"MZ is how this text begins", "text/plain", "txt"),
        (b"BM is how this text begins too", "text/plain", "txt"),
        (b"\x7fELF\x02", "application/x-executable", "elf"),
        (b"#!/bin/sh\n", "text/x-shellscript", "sh"),
        (b"<?php echo 1;", "application/x-httpd-php", "php"),
        (b"<!DOCTYPE html><p>", "text/html", "html"),
        (b"  <script>", "text/html", "html"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><svg/>", "image/svg+xml", "svg"),
        (b"<?xml version='1.0'?><a/>", "application/xml", "xml"),
        (b"{\"a\": 1}", "application/json", "json"),
        (b"{not json", "text/plain", "txt"),
        (b"a,b\n1,2\n", "text/plain", "txt"),
        (b"", "text/plain", "txt"),
        (b"\0\x01\x02", "application/octet-stream", "bin"),
    ] {
        assert_eq!(kind_of(bytes), (mime, extension), "{}", bytes.escape_ascii());
    }
}

#[test]
fn a_list_means_names_families_and_what_cannot_be_told_apart() {
    let is_meant = |bytes: &[u8], entry: &str| {
        let folder = std::env::temp_dir();
        let mut collector = Collector::new(&folder);
        collector.add(bytes).expect("there is room");
        of(&collector.finish()).expect("it is in memory").is_meant_by(entry)
    };
    for entry in ["image/gif", "IMAGE/GIF", " image/* ", "*/*"] {
        assert!(is_meant(b"GIF89a", entry), "{entry}");
    }
    for entry in ["image/png", "image", "video/*", "", "image/gi"] {
        assert!(!is_meant(b"GIF89a", entry), "{entry}");
    }
    assert!(is_meant(b"a,b", "text/csv") && is_meant(b"a,b", "application/octet-stream"));
    assert!(!is_meant(b"<p>", "application/octet-stream") && !is_meant(b"<p>", "text/plain"));
}
