//! The basic URL parser of the WHATWG URL Standard (section 4.4), state by state. The URL record and its setters are in `record.rs`.
//!
//! Not based on the `url` crate, which differs from the standard, and so from Node, in file URLs, empty hosts and some setters. The states
//! have the standard's names; each is one function of [`Parser`].

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::host;
use super::record::{Path, Url, default_port, is_special};

const FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');
const SPECIAL_QUERY: &AsciiSet = &QUERY.add(b'\'');
const PATH: &AsciiSet = &QUERY.add(b'?').add(b'`').add(b'{').add(b'}');
pub(crate) const USERINFO: &AsciiSet =
    &PATH.add(b'/').add(b':').add(b';').add(b'=').add(b'@').add(b'[').add(b'\\').add(b']').add(b'^').add(b'|');

/// The state of the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    SchemeStart,
    Scheme,
    NoScheme,
    SpecialRelativeOrAuthority,
    PathOrAuthority,
    Relative,
    RelativeSlash,
    SpecialAuthoritySlashes,
    SpecialAuthorityIgnoreSlashes,
    Authority,
    Host,
    Hostname,
    Port,
    File,
    FileSlash,
    FileHost,
    PathStart,
    Path,
    OpaquePath,
    Query,
    Fragment,
}

/// What to do after a state has handled a character.
enum Next {
    /// Continue with the next character.
    To(State),
    /// Handle the same character again in another state.
    Again(State),
    /// Stop without an error: the setter is done.
    End,
    /// Stop: the input is not a valid URL.
    Fail,
}

use Next::{Again, End, Fail, To};

/// A Windows drive letter: `C:` or `C|`.
fn is_drive_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

pub(crate) fn is_normal_drive_letter(text: &str) -> bool {
    is_drive_letter(text) && text.ends_with(':')
}

fn starts_with_drive_letter(chars: &[char]) -> bool {
    matches!(chars, [letter, ':' | '|', rest @ ..]
        if letter.is_ascii_alphabetic() && matches!(rest.first(), None | Some('/' | '\\' | '?' | '#')))
}

fn is_single_dot(segment: &str) -> bool {
    segment == "." || segment.eq_ignore_ascii_case("%2e")
}

fn is_double_dot(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().as_str(), ".." | ".%2e" | "%2e." | "%2e%2e")
}

fn encode_into(text: &mut String, character: char, set: &'static AsciiSet) {
    text.extend(utf8_percent_encode(character.encode_utf8(&mut [0; 4]), set));
}

/// One run of the parser.
pub(crate) struct Parser<'a> {
    url: &'a mut Url,
    base: Option<&'a Url>,
    chars: Vec<char>,
    /// The index of the current character.
    at: usize,
    /// The standard's "buffer".
    buffer: String,
    /// The standard's "state override": the state in which a setter starts.
    state_override: Option<State>,
    at_sign_seen: bool,
    inside_brackets: bool,
    password_seen: bool,
}

impl<'a> Parser<'a> {
    /// Starts a parse into `url`. `state_override` is the state override of a setter.
    pub(crate) fn new(
        url: &'a mut Url,
        base: Option<&'a Url>,
        input: &str,
        state_override: Option<State>,
    ) -> Parser<'a> {
        let chars = input.chars().filter(|character| !matches!(character, '\t' | '\n' | '\r')).collect();
        Parser {
            url,
            base,
            chars,
            at: 0,
            buffer: String::new(),
            state_override,
            at_sign_seen: false,
            inside_brackets: false,
            password_seen: false,
        }
    }

    /// Parses the whole input. `None` if it is not a valid URL.
    pub(crate) fn run(&mut self, mut state: State) -> Option<()> {
        loop {
            let character = self.chars.get(self.at).copied();
            match self.step(state, character) {
                To(next) => state = next,
                Again(next) => {
                    state = next;
                    continue;
                }
                End => return Some(()),
                Fail => return None,
            }
            if character.is_none() {
                return Some(());
            }
            self.at += 1;
        }
    }

    fn step(&mut self, state: State, character: Option<char>) -> Next {
        match state {
            State::SchemeStart => self.scheme_start(character),
            State::Scheme => self.scheme(character),
            State::NoScheme => self.no_scheme(character),
            State::SpecialRelativeOrAuthority | State::SpecialAuthoritySlashes => {
                if character == Some('/') && self.next_is('/') {
                    self.at += 1;
                    return To(State::SpecialAuthorityIgnoreSlashes);
                }
                let relative = state == State::SpecialRelativeOrAuthority;
                Again(if relative { State::Relative } else { State::SpecialAuthorityIgnoreSlashes })
            }
            State::PathOrAuthority if character == Some('/') => To(State::Authority),
            State::PathOrAuthority => Again(State::Path),
            State::Relative => self.relative(character),
            State::RelativeSlash => self.relative_slash(character),
            State::SpecialAuthorityIgnoreSlashes if matches!(character, Some('/' | '\\')) => To(state),
            State::SpecialAuthorityIgnoreSlashes => Again(State::Authority),
            State::Authority => self.authority(character),
            State::Host | State::Hostname => self.host(state, character),
            State::Port => self.port(character),
            State::File => self.file(character),
            State::FileSlash => self.file_slash(character),
            State::FileHost => self.file_host(character),
            State::PathStart => self.path_start(character),
            State::Path => self.path(character),
            State::OpaquePath => self.opaque_path(character),
            State::Query => self.query(character),
            State::Fragment => {
                if let Some(character) = character {
                    encode_into(self.url.fragment.get_or_insert_default(), character, FRAGMENT);
                }
                To(state)
            }
        }
    }

    fn next_is(&self, character: char) -> bool {
        self.chars.get(self.at + 1) == Some(&character)
    }

    /// True if the character ends an authority.
    fn ends_authority(&self, character: Option<char>) -> bool {
        match character {
            None | Some('/' | '?' | '#') => true,
            Some('\\') => self.url.is_special(),
            _ => false,
        }
    }

    fn is_slash(&self, character: Option<char>) -> bool {
        character == Some('/') || (character == Some('\\') && self.url.is_special())
    }

    /// Starts the query or fragment if the character is `?` or `#`.
    fn tail(&mut self, character: Option<char>) -> Option<Next> {
        match character {
            Some('?') => {
                self.url.query = Some(String::new());
                Some(To(State::Query))
            }
            Some('#') => {
                self.url.fragment = Some(String::new());
                Some(To(State::Fragment))
            }
            _ => None,
        }
    }

    fn scheme_start(&mut self, character: Option<char>) -> Next {
        match character {
            Some(letter) if letter.is_ascii_alphabetic() => {
                self.buffer.push(letter.to_ascii_lowercase());
                To(State::Scheme)
            }
            _ if self.state_override.is_none() => Again(State::NoScheme),
            _ => Fail,
        }
    }

    fn scheme(&mut self, character: Option<char>) -> Next {
        match character {
            Some(letter) if letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.') => {
                self.buffer.push(letter.to_ascii_lowercase());
                return To(State::Scheme);
            }
            Some(':') => {}
            _ if self.state_override.is_none() => {
                self.buffer.clear();
                self.at = 0;
                return Again(State::NoScheme);
            }
            _ => return Fail,
        }
        let scheme = std::mem::take(&mut self.buffer);
        if self.state_override.is_some() {
            let url = &mut *self.url;
            let refused = url.is_special() != is_special(&scheme)
                || (scheme == "file" && (url.has_credentials() || url.port.is_some()))
                || (url.scheme == "file" && url.host.as_deref().is_none_or(str::is_empty));
            if !refused {
                url.scheme = scheme;
                if url.port == default_port(&url.scheme) {
                    url.port = None;
                }
            }
            return End;
        }
        self.url.scheme = scheme;
        if self.url.scheme == "file" {
            To(State::File)
        } else if self.url.is_special() {
            let same = self.base.is_some_and(|base| base.scheme == self.url.scheme);
            To(if same { State::SpecialRelativeOrAuthority } else { State::SpecialAuthoritySlashes })
        } else if self.next_is('/') {
            self.at += 1;
            To(State::PathOrAuthority)
        } else {
            self.url.path = Path::Opaque(String::new());
            To(State::OpaquePath)
        }
    }

    fn no_scheme(&mut self, character: Option<char>) -> Next {
        let Some(base) = self.base else { return Fail };
        if base.has_opaque_path() {
            if character != Some('#') {
                return Fail;
            }
            *self.url = base.clone();
            self.url.fragment = Some(String::new());
            return To(State::Fragment);
        }
        Again(if base.scheme == "file" { State::File } else { State::Relative })
    }

    fn relative(&mut self, character: Option<char>) -> Next {
        let Some(base) = self.base else { return Fail };
        self.url.scheme.clone_from(&base.scheme);
        if self.is_slash(character) {
            return To(State::RelativeSlash);
        }
        *self.url = base.clone();
        self.url.fragment = None;
        if let Some(next) = self.tail(character) {
            return next;
        }
        if character.is_none() {
            return To(State::Relative);
        }
        self.url.query = None;
        self.url.shorten();
        Again(State::Path)
    }

    fn relative_slash(&mut self, character: Option<char>) -> Next {
        if self.url.is_special() && self.is_slash(character) {
            return To(State::SpecialAuthorityIgnoreSlashes);
        }
        if character == Some('/') {
            return To(State::Authority);
        }
        if let Some(base) = self.base {
            self.url.username.clone_from(&base.username);
            self.url.password.clone_from(&base.password);
            self.url.host.clone_from(&base.host);
            self.url.port = base.port;
        }
        Again(State::Path)
    }

    fn authority(&mut self, character: Option<char>) -> Next {
        if character == Some('@') {
            let mut user = std::mem::take(&mut self.buffer);
            if self.at_sign_seen {
                user.insert_str(0, "%40");
            }
            self.at_sign_seen = true;
            for letter in user.chars() {
                if letter == ':' && !self.password_seen {
                    self.password_seen = true;
                    continue;
                }
                let part = if self.password_seen { &mut self.url.password } else { &mut self.url.username };
                encode_into(part, letter, USERINFO);
            }
            return To(State::Authority);
        }
        if self.ends_authority(character) {
            if self.at_sign_seen && self.buffer.is_empty() {
                return Fail;
            }
            self.at -= self.buffer.chars().count();
            self.buffer.clear();
            return Again(State::Host);
        }
        self.buffer.extend(character);
        To(State::Authority)
    }

    fn host(&mut self, state: State, character: Option<char>) -> Next {
        if self.state_override.is_some() && self.url.scheme == "file" {
            return Again(State::FileHost);
        }
        if character == Some(':') && !self.inside_brackets {
            if self.buffer.is_empty() || self.state_override == Some(State::Hostname) {
                return Fail;
            }
            return if self.take_host() { To(State::Port) } else { Fail };
        }
        if self.ends_authority(character) {
            if self.buffer.is_empty() {
                let needed = self.url.is_special()
                    || (self.state_override.is_some() && (self.url.has_credentials() || self.url.port.is_some()));
                if needed {
                    return Fail;
                }
            }
            if !self.take_host() {
                return Fail;
            }
            return if self.state_override.is_some() { End } else { Again(State::PathStart) };
        }
        match character {
            Some('[') => self.inside_brackets = true,
            Some(']') => self.inside_brackets = false,
            _ => {}
        }
        self.buffer.extend(character);
        To(state)
    }

    /// Parses the buffer as the host.
    fn take_host(&mut self) -> bool {
        let special = self.url.is_special();
        let text = std::mem::take(&mut self.buffer);
        // Only non-special schemes may have an empty host.
        let host = if text.is_empty() && !special { Some(text) } else { host::parse(&text, !special) };
        let found = host.is_some();
        if found {
            self.url.host = host;
        }
        found
    }

    fn port(&mut self, character: Option<char>) -> Next {
        if let Some(digit) = character.filter(char::is_ascii_digit) {
            self.buffer.push(digit);
            return To(State::Port);
        }
        if !self.ends_authority(character) && self.state_override.is_none() {
            return Fail;
        }
        if !self.buffer.is_empty() {
            let digits = self.buffer.trim_start_matches('0');
            let Ok(port) = (if digits.is_empty() { Ok(0) } else { digits.parse::<u16>() }) else { return Fail };
            self.url.port = Some(port).filter(|_| default_port(&self.url.scheme) != Some(port));
            self.buffer.clear();
        }
        if self.state_override.is_some() { End } else { Again(State::PathStart) }
    }

    fn file(&mut self, character: Option<char>) -> Next {
        self.url.scheme = String::from("file");
        self.url.host = Some(String::new());
        if matches!(character, Some('/' | '\\')) {
            return To(State::FileSlash);
        }
        let Some(base) = self.base.filter(|base| base.scheme == "file") else {
            return Again(State::Path);
        };
        self.url.host.clone_from(&base.host);
        self.url.path = base.path.clone();
        self.url.query.clone_from(&base.query);
        if let Some(next) = self.tail(character) {
            return next;
        }
        if character.is_none() {
            return To(State::File);
        }
        self.url.query = None;
        if starts_with_drive_letter(&self.chars[self.at..]) {
            self.url.path = Path::default();
        } else {
            self.url.shorten();
        }
        Again(State::Path)
    }

    fn file_slash(&mut self, character: Option<char>) -> Next {
        if matches!(character, Some('/' | '\\')) {
            return To(State::FileHost);
        }
        if let Some(base) = self.base.filter(|base| base.scheme == "file") {
            self.url.host.clone_from(&base.host);
            if !starts_with_drive_letter(&self.chars[self.at.min(self.chars.len())..])
                && let Path::Segments(segments) = &base.path
                && let Some(drive) = segments.first().filter(|first| is_normal_drive_letter(first))
            {
                self.url.segments().push(drive.clone());
            }
        }
        Again(State::Path)
    }

    fn file_host(&mut self, character: Option<char>) -> Next {
        if !matches!(character, None | Some('/' | '\\' | '?' | '#')) {
            self.buffer.extend(character);
            return To(State::FileHost);
        }
        if self.state_override.is_none() && is_drive_letter(&self.buffer) {
            // The drive letter stays in the buffer as the start of the first path segment.
            return Again(State::Path);
        }
        if self.buffer.is_empty() {
            self.url.host = Some(String::new());
        } else {
            if !self.take_host() {
                return Fail;
            }
            if self.url.host.as_deref() == Some("localhost") {
                self.url.host = Some(String::new());
            }
        }
        if self.state_override.is_some() { End } else { Again(State::PathStart) }
    }

    fn path_start(&mut self, character: Option<char>) -> Next {
        if self.url.is_special() {
            return if self.is_slash(character) { To(State::Path) } else { Again(State::Path) };
        }
        if self.state_override.is_none()
            && let Some(next) = self.tail(character)
        {
            return next;
        }
        match character {
            Some('/') => To(State::Path),
            Some(_) => Again(State::Path),
            None => {
                if self.state_override.is_some() && self.url.host.is_none() {
                    self.url.segments().push(String::new());
                }
                End
            }
        }
    }

    fn path(&mut self, character: Option<char>) -> Next {
        let slash = self.is_slash(character);
        let ends =
            slash || character.is_none() || (self.state_override.is_none() && matches!(character, Some('?' | '#')));
        if !ends {
            if let Some(letter) = character {
                encode_into(&mut self.buffer, letter, PATH);
            }
            return To(State::Path);
        }
        let mut segment = std::mem::take(&mut self.buffer);
        if is_double_dot(&segment) {
            self.url.shorten();
            if !slash {
                self.url.segments().push(String::new());
            }
        } else if is_single_dot(&segment) {
            if !slash {
                self.url.segments().push(String::new());
            }
        } else {
            if self.url.scheme == "file" && self.url.segments().is_empty() && is_drive_letter(&segment) {
                segment.replace_range(1..2, ":");
            }
            self.url.segments().push(segment);
        }
        self.tail(character.filter(|_| !slash)).unwrap_or(To(State::Path))
    }

    fn opaque_path(&mut self, character: Option<char>) -> Next {
        if let Some(next) = self.tail(character) {
            return next;
        }
        if let (Some(letter), Path::Opaque(path)) = (character, &mut self.url.path) {
            encode_into(path, letter, CONTROLS);
        }
        To(State::OpaquePath)
    }

    fn query(&mut self, character: Option<char>) -> Next {
        if self.state_override.is_none() && character == Some('#') {
            return self.tail(character).unwrap_or(Fail);
        }
        if let Some(letter) = character {
            let set = if self.url.is_special() { SPECIAL_QUERY } else { QUERY };
            encode_into(self.url.query.get_or_insert_default(), letter, set);
        }
        To(State::Query)
    }
}
