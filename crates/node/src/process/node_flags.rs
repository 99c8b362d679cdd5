//! All flags of Node 22.23.3, including those that Phasor does not have, to distinguish an unsupported flag from a typo. The table was written
//! by `xtask/src/node_flags.js`; the flags of Phasor are in `crates/cli/src/table.rs`.

/// A line for each flag, sorted: the name, the kind of its value, and `env` or `v8`.
const TABLE: &str = include_str!("node_flags.txt");

/// How Node parses a flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeFlag {
    /// Whether the flag takes a value, which may be the next word.
    pub takes_value: bool,
    /// Whether `--no-name` turns it off.
    pub can_be_negated: bool,
    /// Whether it is allowed in `NODE_OPTIONS`.
    pub in_environment: bool,
    /// Whether it is an option of V8.
    pub of_v8: bool,
}

/// A flag of Node by its name without the dashes, or by `no-name`.
pub fn find(name: &str) -> Option<NodeFlag> {
    exact(name).or_else(|| exact(name.strip_prefix("no-")?).filter(|flag| flag.can_be_negated))
}

/// A flag of Node by its name without the dashes.
pub fn exact(name: &str) -> Option<NodeFlag> {
    // A linear search is enough: it runs at most once for each argument that is not a flag of Phasor.
    let rest = TABLE.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    let (kind, whose) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(NodeFlag {
        takes_value: kind == "text",
        can_be_negated: kind == "bool",
        in_environment: whose == "env",
        of_v8: whose == "v8",
    })
}

/// Whether a word of `NODE_OPTIONS` is a flag that Node allows there.
pub fn is_allowed_in_environment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default().replace('_', "-");
    name.strip_prefix("--").and_then(find).is_some_and(|flag| flag.in_environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_their_kind() {
        assert!(TABLE.lines().is_sorted());
        let flag = |takes_value, can_be_negated, in_environment, of_v8| {
            Some(NodeFlag { takes_value, can_be_negated, in_environment, of_v8 })
        };
        assert_eq!(find("inspect"), flag(false, true, true, false));
        assert_eq!(find("no-inspect"), flag(false, true, true, false));
        assert_eq!(find("tls-keylog"), flag(true, false, true, false));
        assert_eq!(find("no-tls-keylog"), None);
        assert_eq!(find("trace-events-enabled"), flag(false, true, true, false));
        assert_eq!(find("test"), flag(false, true, false, false));
        assert_eq!(find("harmony"), flag(false, true, false, true));
        assert_eq!(find("inspec"), None);
        assert!(is_allowed_in_environment("--report_directory=/tmp"));
        assert!(!is_allowed_in_environment("--harmony"));
        assert!(!is_allowed_in_environment("-e"));
    }
}
