//! The URL record of the WHATWG URL Standard (section 4.1): components, setters and serializer.
//!
//! The parser is in `parser.rs`; setters start it in the state of their component.

use percent_encoding::utf8_percent_encode;

use super::parser::{Parser, State, USERINFO, is_normal_drive_letter};

/// A URL record.
#[derive(Clone, Debug, Default)]
pub struct Url {
    pub(crate) scheme: String,
    pub(crate) username: String,
    pub(crate) password: String,
    /// The serialized host.
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) path: Path,
    pub(crate) query: Option<String>,
    pub(crate) fragment: Option<String>,
}

/// An opaque path or a list of segments.
#[derive(Clone, Debug)]
pub(crate) enum Path {
    Opaque(String),
    Segments(Vec<String>),
}

impl Default for Path {
    fn default() -> Path {
        Path::Segments(Vec::new())
    }
}

impl Url {
    /// Parses as `new URL(input, base)`.
    pub fn parse(input: &str, base: Option<&Url>) -> Option<Url> {
        let mut url = Url::default();
        let input = input.trim_matches(|character: char| character <= ' ');
        Parser::new(&mut url, base, input, None).run(State::SchemeStart)?;
        Some(url)
    }

    pub(crate) fn is_special(&self) -> bool {
        is_special(&self.scheme)
    }

    pub(crate) fn has_opaque_path(&self) -> bool {
        matches!(self.path, Path::Opaque(_))
    }

    pub(crate) fn has_credentials(&self) -> bool {
        !self.username.is_empty() || !self.password.is_empty()
    }

    fn cannot_have_credentials(&self) -> bool {
        self.host.as_deref().unwrap_or("").is_empty() || self.scheme == "file"
    }

    /// The path segments. An opaque path is replaced by an empty list.
    pub(crate) fn segments(&mut self) -> &mut Vec<String> {
        if self.has_opaque_path() {
            self.path = Path::default();
        }
        match &mut self.path {
            Path::Segments(segments) => segments,
            Path::Opaque(_) => unreachable!("replaced by segments above"),
        }
    }

    /// The standard's "shorten a path": removes the last segment, but not a drive letter.
    pub(crate) fn shorten(&mut self) {
        let is_file = self.scheme == "file";
        let segments = self.segments();
        if !(is_file && segments.len() == 1 && is_normal_drive_letter(&segments[0])) {
            segments.pop();
        }
    }

    /// Runs the parser with a state override. As in the standard, changes made before a failure stay.
    fn set(&mut self, value: &str, state: State) {
        let _ = Parser::new(self, None, value, Some(state)).run(state);
    }

    /// Sets the component with the name of the property of `URL`.
    pub fn update(&mut self, part: &str, value: &str) {
        match part {
            "protocol" => self.set(&format!("{value}:"), State::SchemeStart),
            "username" if !self.cannot_have_credentials() => {
                self.username = utf8_percent_encode(value, USERINFO).to_string();
            }
            "password" if !self.cannot_have_credentials() => {
                self.password = utf8_percent_encode(value, USERINFO).to_string();
            }
            "host" if !self.has_opaque_path() => self.set(value, State::Host),
            "hostname" if !self.has_opaque_path() => self.set(value, State::Hostname),
            "port" if !self.cannot_have_credentials() => {
                // As Node's parser (Ada): tabs and newlines are removed before the value is tested for being empty.
                if value.chars().all(|character| matches!(character, '\t' | '\n' | '\r')) {
                    self.port = None;
                } else {
                    self.set(value, State::Port);
                }
            }
            "pathname" if !self.has_opaque_path() => {
                self.path = Path::default();
                self.set(value, State::PathStart);
            }
            "search" if value.is_empty() => {
                self.query = None;
                self.strip_opaque_spaces();
            }
            "search" => {
                self.query = Some(String::new());
                self.set(value.strip_prefix('?').unwrap_or(value), State::Query);
            }
            "hash" if value.is_empty() => {
                self.fragment = None;
                self.strip_opaque_spaces();
            }
            "hash" => {
                self.fragment = Some(String::new());
                self.set(value.strip_prefix('#').unwrap_or(value), State::Fragment);
            }
            _ => {}
        }
    }

    /// The standard's "strip trailing spaces from an opaque path": they would be lost when the serialization is parsed again.
    fn strip_opaque_spaces(&mut self) {
        if self.query.is_none()
            && self.fragment.is_none()
            && let Path::Opaque(path) = &mut self.path
        {
            path.truncate(path.trim_end_matches(' ').len());
        }
    }
}

/// Serializes a URL. The offsets are: end of scheme; start and end of username, password, host, port and path; end of query.
pub fn serialize(url: &Url) -> (String, [usize; 12]) {
    let mut text = format!("{}:", url.scheme);
    let mut offsets = [0; 12];
    offsets[0] = url.scheme.len();
    if url.host.is_some() {
        text.push_str("//");
    }
    offsets[1] = text.len();
    text.push_str(&url.username);
    offsets[2] = text.len();
    if !url.password.is_empty() {
        text.push(':');
    }
    offsets[3] = text.len();
    text.push_str(&url.password);
    offsets[4] = text.len();
    if !url.username.is_empty() || !url.password.is_empty() {
        text.push('@');
    }
    offsets[5] = text.len();
    text.push_str(url.host.as_deref().unwrap_or(""));
    offsets[6] = text.len();
    if url.port.is_some() {
        text.push(':');
    }
    offsets[7] = text.len();
    text.extend(url.port.map(|port| port.to_string()));
    offsets[8] = text.len();
    if url.host.is_none()
        && let Path::Segments(segments) = &url.path
        && segments.len() > 1
        && segments[0].is_empty()
    {
        // Otherwise the path would begin with two slashes and be parsed as a host.
        text.push_str("/.");
    }
    offsets[9] = text.len();
    match &url.path {
        Path::Opaque(path) => text.push_str(path),
        Path::Segments(segments) => segments.iter().for_each(|segment| text.extend(["/", segment])),
    }
    offsets[10] = text.len();
    if let Some(query) = &url.query {
        text.extend(["?", query]);
    }
    offsets[11] = text.len();
    if let Some(fragment) = &url.fragment {
        text.extend(["#", fragment]);
    }
    (text, offsets)
}

/// The default port of a special scheme; `None` for other schemes.
pub(crate) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

pub(crate) fn is_special(scheme: &str) -> bool {
    scheme == "file" || default_port(scheme).is_some()
}
