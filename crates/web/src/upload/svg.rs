//! SVG pictures that nothing can hide in: only elements that draw, no scripts, no references out of the picture.
//!
//! What is not known to be harmless is refused. Nothing is repaired: a picture that was changed is not the one that was sent.

use roxmltree::{Document, Node, NodeType, ParsingOptions};
use std::fmt;

/// Bytes that a picture may have.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Nodes that a picture may have: attributes and text included, they take more memory than bytes.
const MAX_NODES: u32 = 100_000;

const SVG: &str = "http://www.w3.org/2000/svg";
const XLINK: &str = "http://www.w3.org/1999/xlink";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// What drawing programs write about their documents; no browser does anything with it.
const NOTES: [&str; 7] = [
    "http://www.inkscape.org/namespaces/inkscape",
    "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://creativecommons.org/ns#",
    "http://web.resource.org/cc/",
    "http://purl.org/dc/elements/1.1/",
    "http://www.bohemiancoding.com/sketch/ns",
];

/// Elements that draw, or say how (SVG 2, appendix F). Without those that run, load or animate: an animation can change a
/// reference after it was looked at.
const ELEMENTS: [&str; 58] = [
    "svg",
    "g",
    "defs",
    "symbol",
    "use",
    "title",
    "desc",
    "metadata",
    "style",
    "switch",
    "view",
    "a",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "textPath",
    "linearGradient",
    "radialGradient",
    "stop",
    "pattern",
    "clipPath",
    "mask",
    "marker",
    "filter",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "hatch",
    "hatchpath",
    "mesh",
    "solidcolor",
];

/// Why a picture is not safe.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It has this many bytes.
    TooLarge(usize),
    /// It is no XML, or XML with a document type.
    Malformed(String),
    /// An element that is not known to be harmless.
    Element(String),
    /// An attribute that runs something.
    Attribute(String),
    /// Something refers out of the picture.
    Reference(String),
    /// A style sheet loads or runs something.
    Style,
    /// An instruction for whoever reads it.
    Instruction(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(bytes) => write!(f, "it has {bytes} bytes, at most {MAX_BYTES} are looked at"),
            Self::Malformed(why) => write!(f, "it is malformed: {why}"),
            Self::Element(name) => write!(f, "it has an element <{name}>"),
            Self::Attribute(name) => write!(f, "it has an attribute {name}"),
            Self::Reference(name) => write!(f, "its attribute {name} refers out of the picture"),
            Self::Style => f.write_str("its style loads or runs something"),
            Self::Instruction(name) => write!(f, "it has an instruction <?{name}?>"),
        }
    }
}

/// Looks at a whole picture.
///
/// # Errors
/// The first thing that is not known to be harmless.
pub(crate) fn check(picture: &[u8]) -> Result<(), Problem> {
    if picture.len() > MAX_BYTES {
        return Err(Problem::TooLarge(picture.len()));
    }
    let malformed = |why: &dyn fmt::Display| Problem::Malformed(why.to_string());
    let text = str::from_utf8(picture).map_err(|error| malformed(&error))?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| malformed(&error))?;
    document.descendants().try_for_each(node)
}

fn node(node: Node<'_, '_>) -> Result<(), Problem> {
    match node.node_type() {
        NodeType::Root | NodeType::Comment => Ok(()),
        NodeType::PI => {
            Err(Problem::Instruction(shown(node.pi().map(|instruction| instruction.target).unwrap_or_default())))
        }
        NodeType::Text => {
            let parent = node.parent_element().map(|parent| parent.tag_name().name()).unwrap_or_default();
            if parent == "style" { style(node.text().unwrap_or_default()) } else { Ok(()) }
        }
        NodeType::Element => {
            let name = node.tag_name();
            let is_known = match name.namespace() {
                Some(SVG) => ELEMENTS.contains(&name.name()),
                Some(namespace) => NOTES.contains(&namespace),
                None => false,
            };
            if !is_known {
                return Err(Problem::Element(shown(name.name())));
            }
            node.attributes()
                .try_for_each(|attribute| self::attribute(attribute.namespace(), attribute.name(), attribute.value()))
        }
    }
}

fn attribute(namespace: Option<&str>, name: &str, value: &str) -> Result<(), Problem> {
    let is_reference = matches!((namespace, name), (None | Some(XLINK), "href" | "src" | "base") | (Some(XML), "base"));
    match namespace {
        // No attribute that draws begins so.
        None if name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("on")) => {
            Err(Problem::Attribute(shown(name)))
        }
        _ if is_reference && !value.trim().starts_with('#') => Err(Problem::Reference(shown(name))),
        None if name == "style" => style(value),
        None if refers_out(value) => Err(Problem::Reference(shown(name))),
        _ => Ok(()),
    }
}

/// An escape could spell anything that is looked for, and no style needs one.
fn style(text: &str) -> Result<(), Problem> {
    let lower = text.to_ascii_lowercase();
    let runs = ["@import", "\\", "expression", "javascript:", "behavior", "-moz-binding", "image-set", "src("];
    if runs.iter().any(|word| lower.contains(word)) || refers_out(text) { Err(Problem::Style) } else { Ok(()) }
}

/// Has it a `url(…)` that is no `url(#…)`?
fn refers_out(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower
        .split("url(")
        .skip(1)
        .any(|target| !target.trim_start_matches([' ', '\t', '\r', '\n', '"', '\'']).starts_with('#'))
}

/// What somebody wrote, short and without surprises.
fn shown(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(inside: &str) -> Result<(), Problem> {
        let head = "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
                    xmlns:h=\"http://www.w3.org/1999/xhtml\" \
                    xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\">";
        check(format!("<?xml version=\"1.0\"?><!-- a --> {head}{inside}</svg>").as_bytes())
    }

    #[test]
    fn pictures_that_only_draw_are_safe() {
        for inside in [
            "<title>a &lt; b</title><path d='M0 0L1 1' fill='url(#g)' style='stroke: red; filter: url( \"#f\")'/>",
            "<defs><linearGradient id='g'><stop offset='0'/></linearGradient></defs><use xlink:href='#g'/><use href=' #g'/>",
            "<style>path { fill: url(#g) }</style><metadata><inkscape:x inkscape:y='https://a'/></metadata>",
            "<text font-family='serif' xml:space='preserve'>onclick=1 javascript: url(x)</text>",
        ] {
            assert_eq!(checked(inside), Ok(()), "{inside}");
        }
    }

    #[test]
    fn what_may_run_or_load_is_refused() {
        let element = |name: &str| Problem::Element(name.to_owned());
        let attribute = |name: &str| Problem::Attribute(name.to_owned());
        let reference = |name: &str| Problem::Reference(name.to_owned());
        for (inside, problem) in [
            ("<script>1</script>", element("script")),
            ("<h:script>1</h:script>", element("script")),
            ("<metadata><h:script/></metadata>", element("script")),
            ("<foreignObject/>", element("foreignObject")),
            ("<image href='#a'/>", element("image")),
            ("<animate attributeName='href' to='javascript:1'/>", element("animate")),
            ("<set attributeName='onload'/>", element("set")),
            ("<SCRIPT/>", element("SCRIPT")),
            ("<path onload='1'/>", attribute("onload")),
            ("<path OnClick='1'/>", attribute("OnClick")),
            ("<a href='javascript:1'/>", reference("href")),
            ("<a href='java&#10;script:1'/>", reference("href")),
            ("<use xlink:href='https://a/b.svg#c'/>", reference("href")),
            ("<use href='data:image/svg+xml,x'/>", reference("href")),
            ("<g xml:base='https://a'/>", reference("base")),
            ("<path fill='url(https://a)'/>", reference("fill")),
            ("<path fill='URL( //a)'/>", reference("fill")),
            ("<path style='fill: url(https://a)'/>", Problem::Style),
            ("<path style='fill: u\\72l(https://a)'/>", Problem::Style),
            ("<style>@import 'a';</style>", Problem::Style),
            ("<style><![CDATA[p { background: url('//a') }]]></style>", Problem::Style),
            ("<?xml-stylesheet href='a'?>", Problem::Instruction("xml-stylesheet".to_owned())),
        ] {
            assert_eq!(checked(inside), Err(problem), "{inside}");
        }
    }

    #[test]
    fn what_is_no_plain_xml_is_refused() {
        let deep = format!("{}{}", "<g>".repeat(100_000), "</g>".repeat(100_000));
        for picture in
            ["<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>", "<svg", "\u{feff}", "<svg/><svg/>", deep.as_str()]
        {
            let result = check(picture.as_bytes());
            assert!(matches!(result, Err(Problem::Malformed(_) | Problem::Element(_))), "{picture:.40}: {result:?}");
        }
        assert!(matches!(check(b"\xff\xfe<\0"), Err(Problem::Malformed(_))));
        assert_eq!(check(&vec![b' '; MAX_BYTES + 1]), Err(Problem::TooLarge(MAX_BYTES + 1)));
        assert_eq!(check(b"<svg/>"), Err(Problem::Element("svg".to_owned())), "without its namespace it is none");
    }
}
