//! What is taken and what is not.

use super::*;
use content::Collector;

fn content(bytes: &[u8]) -> Content {
    let folder = std::env::temp_dir();
    let mut collector = Collector::new(&folder);
    collector.add(bytes).expect("there is room");
    collector.finish()
}

fn checked(bytes: &[u8], options: &Options<'_>) -> Result<&'static str, String> {
    check(&content(bytes), options).map(|kind| kind.mime).map_err(|refusal| refusal.to_string())
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n...";
const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/></svg>";

#[test]
fn a_file_has_its_limit() {
    let options = Options { max_size: 11, ..Options::default() };
    assert_eq!(checked(PNG, &options), Ok("image/png"));
    let options = Options { max_size: 10, ..Options::default() };
    assert_eq!(checked(PNG, &options), Err("the file has 11 bytes, allowed are 10 (option max_size)".to_owned()));
    let large = vec![0; usize::try_from(DEFAULT_MAX_SIZE).expect("it fits") + 1];
    assert!(checked(&large, &Options::default()).is_err());
}

#[test]
fn the_type_is_what_the_bytes_show() {
    let allowed = ["image/*".to_owned(), "application/pdf".to_owned()];
    let options = Options { allow_mime: Some(&allowed), ..Options::default() };
    assert_eq!(checked(PNG, &options), Ok("image/png"));
    assert_eq!(checked(b"%PDF-1.7 ...", &options), Ok("application/pdf"));
    let message = "the file is text/html, allowed are image/*, application/pdf (option allow_mime)";
    assert_eq!(checked(b"<script>alert(1)</script>", &options), Err(message.to_owned()));
    assert!(checked(b"<?php system('id');", &options).is_err());
}

#[test]
fn pictures_that_can_hold_scripts_must_be_asked_for_and_hold_none() {
    let message = "the file is an SVG picture, which can hold scripts (option allow_svg allows it)";
    assert_eq!(checked(SVG, &Options::default()), Err(message.to_owned()));
    let options = Options { allow_svg: true, ..Options::default() };
    assert_eq!(checked(SVG, &options), Ok("image/svg+xml"));
    let bad = b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>";
    assert_eq!(checked(bad, &options), Err("the SVG picture is not safe: it has an element <script>".to_owned()));
}
