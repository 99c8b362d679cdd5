//! A URL in its parts: parsing and setting them, and the text that they make.
//!
//! How a text is read is in `parser.rs`; the setters enter it in the middle.

use percent_encoding::utf8_percent_encode;

use super::parser::{Parser, State, USERINFO, is_normal_drive_letter};

/// A URL in its parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    pub(crate) username: String,
    pub(crate) password: String,
    /// As it is serialized.
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) path: Path,
    pub(crate) query: Option<String>,
    pub(crate) fragment: Option<String>,
}

/// A path: text of a scheme's own, or segments.
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
    /// Parses, as `new URL(input, base)`.
    pub(crate) fn parse(input: &str, base: Option<&Url>) -> Option<Url> {
        let mut url = Url::default();
        let input = input.trim_matches(|character: char| character <= ' ');
        Parser::new(&mut url, base, input, None).run(State::SchemeStart)?;
        Some(url)
    }

    pub(crate) fn is_special(&self) -> bool {
        is_special(&self.scheme)
    }

    pub(super) fn has_opaque_path(&self) -> bool {
        matches!(self.path, Path::Opaque(_))
    }

    pub(super) fn has_credentials(&self) -> bool {
        !self.username.is_empty() || !self.password.is_empty()
    }

    fn cannot_have_credentials(&self) -> bool {
        self.host.as_deref().unwrap_or("").is_empty() || self.scheme == "file"
    }

    /// The path's segments; an opaque path gives way to none.
    pub(super) fn segments(&mut self) -> &mut Vec<String> {
        if self.has_opaque_path() {
            self.path = Path::default();
        }
        match &mut self.path {
            Path::Segments(segments) => segments,
            Path::Opaque(_) => unreachable!("made segments just above"),
        }
    }

    /// Takes the last segment off, but never a drive.
    pub(super) fn shorten(&mut self) {
        let is_file = self.scheme == "file";
        let segments = self.segments();
        if !(is_file && segments.len() == 1 && is_normal_drive_letter(&segments[0])) {
            segments.pop();
        }
    }

    /// Runs a setter: what fails half-way leaves what it did before.
    fn set(&mut self, value: &str, state: State) {
        let _ = Parser::new(self, None, value, Some(state)).run(state);
    }

    /// Sets one part, named as the property of `URL` is.
    pub(crate) fn update(&mut self, part: &str, value: &str) {
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
                // As Node's parser: what will be dropped does not count.
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

    /// Spaces at the end of an opaque path would be lost when the URL is parsed again with nothing after them.
    fn strip_opaque_spaces(&mut self) {
        if self.query.is_none()
            && self.fragment.is_none()
            && let Path::Opaque(path) = &mut self.path
        {
            path.truncate(path.trim_end_matches(' ').len());
        }
    }
}

/// The text of a URL, and where there end the scheme; begin and end user name, password, host, port, path; ends the query.
pub(super) fn serialize(url: &Url) -> (String, [usize; 12]) {
    let mut text = format!("{}:", url.scheme);
    let mut places = [0; 12];
    places[0] = url.scheme.len();
    if url.host.is_some() {
        text.push_str("//");
    }
    places[1] = text.len();
    text.push_str(&url.username);
    places[2] = text.len();
    if !url.password.is_empty() {
        text.push(':');
    }
    places[3] = text.len();
    text.push_str(&url.password);
    places[4] = text.len();
    if !url.username.is_empty() || !url.password.is_empty() {
        text.push('@');
    }
    places[5] = text.len();
    text.push_str(url.host.as_deref().unwrap_or(""));
    places[6] = text.len();
    if url.port.is_some() {
        text.push(':');
    }
    places[7] = text.len();
    text.extend(url.port.map(|port| port.to_string()));
    places[8] = text.len();
    if url.host.is_none()
        && let Path::Segments(segments) = &url.path
        && segments.len() > 1
        && segments[0].is_empty()
    {
        // Else the path would begin with two slashes and be read as a host.
        text.push_str("/.");
    }
    places[9] = text.len();
    match &url.path {
        Path::Opaque(path) => text.push_str(path),
        Path::Segments(segments) => segments.iter().for_each(|segment| text.extend(["/", segment])),
    }
    places[10] = text.len();
    if let Some(query) = &url.query {
        text.extend(["?", query]);
    }
    places[11] = text.len();
    if let Some(fragment) = &url.fragment {
        text.extend(["#", fragment]);
    }
    (text, places)
}

/// The port that a scheme need not name; nothing for a scheme that is not special.
pub(super) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "ftp" => Some(21),
        _ => None,
    }
}

pub(super) fn is_special(scheme: &str) -> bool {
    scheme == "file" || default_port(scheme).is_some()
}
