//! From method and path to a route, in time that depends on the path and not on the number of routes.
//!
//! The routes are a tree of path segments. Which of several matching routes is taken is the language's rule: one without
//! parameters first, then the one registered first. So every match is visited, and a part of the tree that only holds
//! later routes than the best so far is left out.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// Segments of a pattern; the search recurses as deep.
const MAX_SEGMENTS: usize = 64;

/// A route's position in the order of registration.
pub(crate) type RouteId = u32;

/// Why a pattern cannot be registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PatternError {
    /// It does not begin with `/`.
    NotAbsolute,
    /// A parameter that is only a part of a segment, or braces that do not make one.
    PartOfSegment(String),
    /// Two parameters have one name.
    Repeated(String),
    /// More than [`MAX_SEGMENTS`].
    TooLong,
    /// `?`, `#` or a blank: never part of a path.
    Character(char),
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAbsolute => f.write_str("the path must begin with '/'"),
            Self::PartOfSegment(segment) => {
                write!(f, "'{segment}' is not possible: a parameter is a whole segment, such as /{{id}}")
            }
            Self::Repeated(name) => write!(f, "the parameter {{{name}}} stands twice"),
            Self::TooLong => write!(f, "the path has more than {MAX_SEGMENTS} segments"),
            Self::Character(found) => write!(f, "a path cannot contain {found:?}"),
        }
    }
}

/// A pattern, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    segments: Vec<Segment>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Segment {
    /// As it stands in a request: what is not ASCII is percent-encoded.
    Static(Box<str>),
    Param(Box<str>),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It can never match, or does not mean what it seems to.
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        let Some(path) = text.strip_prefix('/') else { return Err(PatternError::NotAbsolute) };
        if let Some(found) = text.chars().find(|c| matches!(c, '?' | '#') || c.is_whitespace() || c.is_control()) {
            return Err(PatternError::Character(found));
        }
        let mut segments: Vec<Segment> = Vec::new();
        for written in path.split('/') {
            let segment = match written.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(name) if !name.is_empty() && !name.contains(['{', '}']) => Segment::Param(name.into()),
                None if !written.contains(['{', '}']) => Segment::Static(encode(written)),
                _ => return Err(PatternError::PartOfSegment(written.to_owned())),
            };
            if let Segment::Param(name) = &segment
                && segments.contains(&segment)
            {
                return Err(PatternError::Repeated(name.to_string()));
            }
            segments.push(segment);
        }
        if segments.len() > MAX_SEGMENTS {
            return Err(PatternError::TooLong);
        }
        Ok(Self { segments })
    }

    /// Names of the parameters, in the order of the path.
    pub(crate) fn params(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Param(name) => Some(&**name),
            Segment::Static(_) => None,
        })
    }

    /// Does every path of `later` also match this pattern, so that `later` is never reached?
    fn covers(&self, later: &Self) -> bool {
        self.segments.len() == later.segments.len()
            && self.segments.iter().zip(&later.segments).all(|pair| match pair {
                (Segment::Param(_), Segment::Param(_)) => true,
                (Segment::Static(this), Segment::Static(that)) => this == that,
                // A parameter is not empty.
                (Segment::Param(_), Segment::Static(that)) => !that.is_empty(),
                (Segment::Static(_), Segment::Param(_)) => false,
            })
    }
}

/// A pattern's text as clients send it.
fn encode(segment: &str) -> Box<str> {
    let mut out = String::new();
    for byte in segment.bytes() {
        if byte.is_ascii() { out.push(char::from(byte)) } else { out.push_str(&format!("%{byte:02X}")) }
    }
    out.into()
}

/// The routes that end at a place of the tree.
#[derive(Default, Debug)]
struct Leaf {
    /// Methods in the order of registration; `*` is any.
    routes: Vec<(Box<str>, RouteId)>,
}

impl Leaf {
    fn find(&self, method: &str) -> Option<RouteId> {
        self.routes.iter().find(|(known, _)| &**known == method || &**known == "*").map(|(_, id)| *id)
    }
}

#[derive(Debug)]
struct Node {
    children: HashMap<Box<str>, Node, foldhash::fast::RandomState>,
    param: Option<Box<Node>>,
    leaf: Leaf,
    /// The first route in this part of the tree.
    first: RouteId,
}

impl Node {
    fn new() -> Self {
        Self { children: HashMap::default(), param: None, leaf: Leaf::default(), first: RouteId::MAX }
    }
}

/// What a method and path lead to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Match {
    /// This route.
    Found(RouteId),
    /// Routes of other methods; the value of `Allow`.
    NotAllowed(String),
    /// Nothing.
    Missing,
}

/// All routes.
#[derive(Debug)]
pub(crate) struct Router {
    /// Routes without parameters, by path.
    fixed: HashMap<Box<str>, Leaf, foldhash::fast::RandomState>,
    /// Routes with parameters.
    root: Node,
    patterns: Vec<(Box<str>, Pattern)>,
    has_params: bool,
}

/// One search.
struct Search<'a> {
    path: &'a str,
    method: &'a str,
    /// Segments that parameters took on the way.
    taken: Vec<Range<usize>>,
    best: RouteId,
    params: &'a mut Vec<Range<usize>>,
}

impl Router {
    pub(crate) fn new() -> Self {
        Self { fixed: HashMap::default(), root: Node::new(), patterns: Vec::new(), has_params: false }
    }

    /// Adds a route behind all others. Gives the earlier route that takes all its requests, if there is one.
    pub(crate) fn add(&mut self, method: &str, pattern: &Pattern) -> Option<RouteId> {
        let id = RouteId::try_from(self.patterns.len()).unwrap_or(RouteId::MAX);
        let is_fixed = pattern.params().next().is_none();
        let shadow = self.patterns.iter().position(|(earlier, other)| {
            let takes_method = **earlier == *method || &**earlier == "*";
            takes_method && other.params().next().is_none() == is_fixed && other.covers(pattern)
        });
        self.patterns.push((method.into(), pattern.clone()));
        let leaf = if is_fixed {
            self.fixed.entry(fixed_path(pattern)).or_default()
        } else {
            self.has_params = true;
            let mut node = &mut self.root;
            node.first = node.first.min(id);
            for segment in &pattern.segments {
                node = match segment {
                    Segment::Static(text) => node.children.entry(text.clone()).or_insert_with(Node::new),
                    Segment::Param(_) => node.param.get_or_insert_with(|| Box::new(Node::new())),
                };
                node.first = node.first.min(id);
            }
            &mut node.leaf
        };
        leaf.routes.push((method.into(), id));
        shadow.and_then(|at| RouteId::try_from(at).ok())
    }

    /// Finds the route of a request. `params` gets the places of the parameters in `path`.
    pub(crate) fn find(&self, method: &str, path: &str, params: &mut Vec<Range<usize>>) -> Option<RouteId> {
        params.clear();
        if let Some(id) = self.fixed.get(path).and_then(|leaf| leaf.find(method)) {
            return Some(id);
        }
        if !self.has_params || !path.starts_with('/') {
            return None;
        }
        let mut search = Search { path, method, taken: Vec::new(), best: RouteId::MAX, params };
        search.visit(&self.root, 1);
        (search.best != RouteId::MAX).then_some(search.best)
    }

    /// As [`Router::find`], with the rules for methods that no route has: `HEAD` is answered by a `GET` route, and a path
    /// that only has routes of other methods is told from one that has none.
    pub(crate) fn find_or_explain(&self, method: &str, path: &str, params: &mut Vec<Range<usize>>) -> Match {
        if let Some(id) = self.find(method, path, params) {
            return Match::Found(id);
        }
        if method == "HEAD"
            && let Some(id) = self.find("GET", path, params)
        {
            return Match::Found(id);
        }
        let mut allowed = self.methods(path);
        params.clear();
        if allowed.is_empty() {
            return Match::Missing;
        }
        if allowed.contains(&"GET") && !allowed.contains(&"HEAD") {
            allowed.push("HEAD");
        }
        if !allowed.contains(&"OPTIONS") {
            allowed.push("OPTIONS");
        }
        Match::NotAllowed(allowed.join(", "))
    }

    /// The methods that routes for a path have, in the order of registration.
    fn methods(&self, path: &str) -> Vec<&str> {
        let mut ids: Vec<RouteId> = Vec::new();
        let mut add = |leaf: &Leaf| ids.extend(leaf.routes.iter().map(|(_, id)| *id));
        if let Some(leaf) = self.fixed.get(path) {
            add(leaf);
        }
        let mut nodes = vec![&self.root];
        for segment in path.strip_prefix('/').into_iter().flat_map(|rest| rest.split('/')) {
            let mut next = Vec::new();
            for node in nodes {
                next.extend(node.children.get(segment));
                next.extend(node.param.as_deref().filter(|_| !segment.is_empty()));
            }
            nodes = next;
            if nodes.is_empty() {
                break;
            }
        }
        nodes.iter().for_each(|node| add(&node.leaf));
        ids.sort_unstable();
        let mut found: Vec<&str> = Vec::new();
        for (method, _) in ids.iter().filter_map(|id| self.patterns.get(*id as usize)) {
            if !found.contains(&&**method) {
                found.push(method);
            }
        }
        found
    }
}

fn fixed_path(pattern: &Pattern) -> Box<str> {
    let mut path = String::new();
    for segment in &pattern.segments {
        path.push('/');
        if let Segment::Static(text) = segment {
            path.push_str(text);
        }
    }
    path.into()
}

impl Search<'_> {
    /// Visits a node whose segment begins at `start` of the path; behind the path's end all segments are used up.
    fn visit(&mut self, node: &Node, start: usize) {
        if node.first >= self.best {
            return;
        }
        if start > self.path.len() {
            if let Some(id) = node.leaf.find(self.method)
                && id < self.best
            {
                self.best = id;
                self.params.clone_from(&self.taken);
            }
            return;
        }
        let rest = self.path.get(start..).unwrap_or_default();
        let end = start + memchr::memchr(b'/', rest.as_bytes()).unwrap_or(rest.len());
        let segment = self.path.get(start..end).unwrap_or_default();
        if let Some(child) = node.children.get(segment) {
            self.visit(child, end + 1);
        }
        if !segment.is_empty()
            && let Some(child) = &node.param
        {
            self.taken.push(start..end);
            self.visit(child, end + 1);
            self.taken.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(routes: &[(&str, &str)]) -> Router {
        let mut router = Router::new();
        for (method, pattern) in routes {
            router.add(method, &Pattern::parse(pattern).expect("a good pattern"));
        }
        router
    }

    /// The route that is found, and its parameters.
    fn find(router: &Router, method: &str, path: &str) -> (Match, Vec<String>) {
        let mut params = Vec::new();
        let found = router.find_or_explain(method, path, &mut params);
        (found, params.into_iter().map(|range| path.get(range).expect("inside the path").to_owned()).collect())
    }

    #[test]
    fn a_path_without_parameters_comes_first_then_the_order_of_registration() {
        let router = router(&[
            ("GET", "/u/{id}"),
            ("GET", "/u/new"),
            ("GET", "/{a}/new"),
            ("GET", "/x/{b}"),
            ("GET", "/{a}/{b}"),
            ("GET", "/"),
        ]);
        for (path, route, params) in [
            ("/u/new", 1, &[][..]),
            ("/u/7", 0, &["7"]),
            ("/x/new", 2, &["x"]),
            ("/x/y", 3, &["y"]),
            ("/y/z", 4, &["y", "z"]),
            ("/", 5, &[]),
        ] {
            let (found, taken) = find(&router, "GET", path);
            assert_eq!(
                (found, taken.as_slice()),
                (Match::Found(route), params.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>().as_slice()),
                "{path}"
            );
        }
    }

    #[test]
    fn paths_match_exactly_as_they_were_sent() {
        let router = router(&[("GET", "/admin/{page}"), ("GET", "/a"), ("GET", "/b/"), ("GET", "/grüße")]);
        for path in
            ["//admin/x", "/admin/x/", "/admin//x", "/admin/", "/a/", "//a", "/A", "/%61", "/b", "*", "", "/grüße"]
        {
            assert_eq!(find(&router, "GET", path).0, Match::Missing, "{path}");
        }
        assert_eq!(find(&router, "GET", "/b/").0, Match::Found(2));
        assert_eq!(find(&router, "GET", "/gr%C3%BC%C3%9Fe").0, Match::Found(3));
    }

    #[test]
    fn methods_that_no_route_has_are_explained() {
        let router =
            router(&[("GET", "/u/{id}"), ("PUT", "/u/{id}"), ("DELETE", "/u/me"), ("*", "/any"), ("POST", "/p")]);
        assert_eq!(find(&router, "HEAD", "/u/1").0, Match::Found(0));
        assert_eq!(find(&router, "DELETE", "/u/me").0, Match::Found(2));
        assert_eq!(find(&router, "GET", "/u/me").0, Match::Found(0));
        assert_eq!(find(&router, "POST", "/u/1").0, Match::NotAllowed("GET, PUT, HEAD, OPTIONS".into()));
        assert_eq!(find(&router, "POST", "/u/me").0, Match::NotAllowed("GET, PUT, DELETE, HEAD, OPTIONS".into()));
        assert_eq!(find(&router, "OPTIONS", "/p").0, Match::NotAllowed("POST, OPTIONS".into()));
        assert_eq!(find(&router, "HEAD", "/p").0, Match::NotAllowed("POST, OPTIONS".into()));
        assert_eq!(find(&router, "BREW", "/any").0, Match::Found(3));
        assert_eq!(find(&router, "get", "/p").0, Match::NotAllowed("POST, OPTIONS".into()));
    }

    #[test]
    fn patterns_that_cannot_work_are_refused() {
        for (pattern, error) in [
            ("u", PatternError::NotAbsolute),
            ("", PatternError::NotAbsolute),
            ("/file-{id}.html", PatternError::PartOfSegment("file-{id}.html".into())),
            ("/{}", PatternError::PartOfSegment("{}".into())),
            ("/{a}{b}", PatternError::PartOfSegment("{a}{b}".into())),
            ("/{a", PatternError::PartOfSegment("{a".into())),
            ("/{a}/{a}", PatternError::Repeated("a".into())),
            ("/a?b", PatternError::Character('?')),
            ("/a b", PatternError::Character(' ')),
        ] {
            assert_eq!(Pattern::parse(pattern), Err(error), "{pattern}");
        }
        assert_eq!(Pattern::parse(&"/a".repeat(65)), Err(PatternError::TooLong));
        assert!(Pattern::parse(&"/a".repeat(64)).is_ok());
    }

    #[test]
    fn a_route_that_is_never_reached_is_noticed() {
        let mut router = Router::new();
        let mut add = |method: &str, pattern: &str| router.add(method, &Pattern::parse(pattern).expect("good"));
        assert_eq!(add("GET", "/{a}"), None);
        assert_eq!(add("GET", "/{b}"), Some(0));
        assert_eq!(add("POST", "/{b}"), None);
        assert_eq!(add("GET", "/x"), None);
        assert_eq!(add("*", "/{a}/{b}"), None);
        assert_eq!(add("GET", "/x/{b}"), Some(4));
        assert_eq!(add("GET", "/x"), Some(3));
    }

    #[test]
    fn the_time_of_a_search_does_not_grow_with_the_routes() {
        let mut router = Router::new();
        for at in 0..500 {
            let shadow = router.add(
                "GET",
                &Pattern { segments: vec![Segment::Static(format!("a{at}").into()), Segment::Param("x".into())] },
            );
            assert_eq!(shadow, None);
        }
        // A path of the largest size, and one of many segments, end the search at once.
        let long = format!("/{}", "a/".repeat(16_000));
        assert_eq!(find(&router, "GET", &long).0, Match::Missing);
        assert_eq!(find(&router, "GET", "/a499/v").0, Match::Found(499));
    }
}
