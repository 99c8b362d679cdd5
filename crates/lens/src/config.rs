//! How a process is recorded, and the environment variable that says so to a program that is started.

use std::fmt;
use std::path::PathBuf;

/// What is done with the records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All are written to the file. If the disk is too slow, records are lost and counted.
    #[default]
    Stream,
    /// The newest are kept in memory, and written when [`Session::dump`](crate::Session::dump) is called or the session
    /// ends.
    FlightRecorder,
}

impl Mode {
    /// The name in [`Config::VARIABLE`].
    pub fn name(self) -> &'static str {
        match self {
            Mode::Stream => "stream",
            Mode::FlightRecorder => "flight",
        }
    }
}

/// How to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The file. `%p` in the path stands for the id of the process that is recorded.
    pub path: PathBuf,
    /// What is done with the records.
    pub mode: Mode,
    /// The memory for the records of each thread.
    pub ring_bytes: usize,
    /// How much is recorded. 1: callbacks with the callback that caused them, handles, requests and timers with the line
    /// that made them. 2: also ticks and microtasks, and the lines of immediates. 3: also each promise.
    pub detail: u8,
    /// Whether front ends look for what `phasor doctor` reports: see [`FindingKind`](crate::FindingKind).
    pub findings: bool,
    /// The runtime, for people: `phasor 0.1.0`.
    pub runtime: String,
}

/// The least and the most memory for the records of a thread.
const RING_BYTES: std::ops::RangeInclusive<usize> = 1 << 14..=1 << 36;

impl Config {
    /// The name of the environment variable that has a program record itself.
    ///
    /// Its value is a list of `key=value` with `;` between them, such as `path=/tmp/%p.phasor;detail=2;ring=64M;mode=stream`.
    /// Only `path` is required, which may contain everything but `;`. An empty value is as good as none.
    pub const VARIABLE: &str = "PHASOR_RECORD";

    /// A recording to a file, at detail 1.
    pub fn new(path: impl Into<PathBuf>) -> Config {
        Config {
            path: path.into(),
            mode: Mode::Stream,
            ring_bytes: 8 << 20,
            detail: 1,
            findings: false,
            runtime: String::new(),
        }
    }

    /// The configuration that a value of [`Config::VARIABLE`] describes. The runtime is for the caller to fill in.
    ///
    /// # Errors
    ///
    /// What is wrong with the value, beginning with the name of the variable.
    pub fn from_variable(value: &str) -> Result<Config, String> {
        let mut config = Config::new(PathBuf::new());
        for pair in value.split(';').filter(|pair| !pair.is_empty()) {
            let invalid = |expected: &dyn fmt::Display| format!("{}: {pair:?} is not {expected}", Config::VARIABLE);
            match pair.split_once('=').unwrap_or((pair, "")) {
                ("path", path) => config.path = path.into(),
                ("detail", detail) => config.set_detail(detail).map_err(|expected| invalid(&expected))?,
                ("ring", size) => config.set_ring(size).map_err(|expected| invalid(&expected))?,
                ("mode", "stream") => config.mode = Mode::Stream,
                ("mode", "flight") => config.mode = Mode::FlightRecorder,
                ("findings", "0") => config.findings = false,
                ("findings", "1") => config.findings = true,
                ("findings", _) => return Err(invalid(&"findings=0 or findings=1")),
                ("mode", _) => return Err(invalid(&"mode=stream or mode=flight")),
                _ => return Err(invalid(&"path=, detail=, ring=, mode= or findings=")),
            }
        }
        if config.path.as_os_str().is_empty() {
            return Err(format!("{}: path=FILE is missing", Config::VARIABLE));
        }
        Ok(config)
    }

    /// Sets how much is recorded, from text: `1`, `2` or `3`.
    ///
    /// # Errors
    ///
    /// What the text should be.
    pub fn set_detail(&mut self, text: &str) -> Result<(), String> {
        let detail = text.parse().ok().filter(|detail| (1..=3).contains(detail));
        self.detail = detail.ok_or("a detail of 1, 2 or 3")?;
        Ok(())
    }

    /// Sets the memory for the records of a thread, from text: bytes, or a number with `K`, `M` or `G`.
    ///
    /// # Errors
    ///
    /// What the text should be.
    pub fn set_ring(&mut self, text: &str) -> Result<(), String> {
        let (number, shift) = match text.as_bytes().last() {
            Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
            Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
            Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        let bytes = number.parse().ok().and_then(|number: usize| number.checked_mul(1 << shift));
        let bytes =
            bytes.filter(|bytes| RING_BYTES.contains(bytes) && number.starts_with(|c: char| c.is_ascii_digit()));
        self.ring_bytes = bytes.ok_or("a size from 16K to 64G, such as 8M")?;
        Ok(())
    }

    /// The value of [`Config::VARIABLE`] that describes this configuration, without the runtime.
    ///
    /// # Errors
    ///
    /// The path cannot be in it.
    pub fn to_variable(&self) -> Result<String, String> {
        let path = self.path.to_str().filter(|path| !path.is_empty() && !path.contains(';')).ok_or_else(|| {
            format!("cannot record to {:?}: the path has to be UTF-8 without `;`", self.path.display().to_string())
        })?;
        let ring = match self.ring_bytes {
            bytes if bytes % (1 << 20) == 0 => format!("{}M", bytes >> 20),
            bytes => bytes.to_string(),
        };
        let findings = if self.findings { ";findings=1" } else { "" };
        Ok(format!("path={path};detail={};ring={ring};mode={}{findings}", self.detail, self.mode.name()))
    }

    /// The path with the id of this process in place of `%p`.
    pub(crate) fn path_of_process(&self) -> PathBuf {
        match self.path.to_str() {
            Some(path) if path.contains("%p") => path.replace("%p", &std::process::id().to_string()).into(),
            _ => self.path.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_survives_the_way_through_the_variable() {
        let configs = [
            Config::new("/tmp/a b=c%p.phasor"),
            Config { mode: Mode::FlightRecorder, detail: 3, ring_bytes: 65_537, findings: true, ..Config::new("x") },
        ];
        for config in configs {
            assert_eq!(Config::from_variable(&config.to_variable().unwrap()), Ok(config));
        }
        assert_eq!(Config::new("x").to_variable().unwrap(), "path=x;detail=1;ring=8M;mode=stream");
        for path in ["a;b", ""] {
            assert!(Config::new(path).to_variable().unwrap_err().contains("UTF-8 without"));
        }
    }

    #[test]
    fn only_the_path_is_required() {
        assert_eq!(Config::from_variable("path=x"), Ok(Config::new("x")));
        assert_eq!(Config::from_variable(";;ring=64k;path=x;"), Ok(Config { ring_bytes: 1 << 16, ..Config::new("x") }));
    }

    #[test]
    fn an_error_names_the_variable_and_what_was_expected() {
        let cases = [
            ("", "path=FILE is missing"),
            ("path=", "path=FILE is missing"),
            ("path=x;detail=4", "\"detail=4\" is not a detail of 1, 2 or 3"),
            ("path=x;ring=M", "a size from 16K to 64G"),
            ("path=x;ring=+8M", "a size from 16K to 64G"),
            ("path=x;ring=1K", "a size from 16K to 64G"),
            ("path=x;ring=99999999999G", "a size from 16K to 64G"),
            ("path=x;ring=8é", "a size from 16K to 64G"),
            ("path=x;findings=yes", "findings=0 or findings=1"),
            ("path=x;mode=all", "mode=stream or mode=flight"),
            ("/tmp/x", "\"/tmp/x\" is not path="),
        ];
        for (value, expected) in cases {
            let error = Config::from_variable(value).unwrap_err();
            assert!(error.starts_with("PHASOR_RECORD: ") && error.contains(expected), "{value:?}: {error}");
        }
    }

    #[test]
    fn the_process_id_replaces_the_letter_in_the_path() {
        let expected = format!("a{0}b{0}", std::process::id());
        assert_eq!(Config::new("a%pb%p").path_of_process(), PathBuf::from(expected));
    }
}
