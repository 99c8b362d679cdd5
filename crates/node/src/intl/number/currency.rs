//! Currencies: symbols, English names and fraction digits.

use super::region::row;

/// A line for each that has more to say than its code: code, digits (two, if none are given), symbol and narrow symbol (the code, if there
/// is none; `=` is the symbol again), the name for one and for others (the same, if there is none).
const TABLE: &str = include_str!("currencies.txt");

/// Those that are otherwise in some regions.
const ELSEWHERE: &str = include_str!("currencies_elsewhere.txt");

fn fields(code: &str, region: &str) -> Vec<&'static str> {
    row(TABLE, ELSEWHERE, region, code).unwrap_or_else(|| vec![""; 6])
}

/// How many digits a currency has behind the point.
pub(crate) fn digits_of(code: &str) -> u32 {
    fields(code, "")[1].parse().unwrap_or(2)
}

/// What stands for a currency, if `currencyDisplay` is `code`, `symbol` or `narrowSymbol`.
pub(crate) fn symbol_of(code: &str, region: &str, display: &str) -> String {
    let found = fields(code, region);
    let symbol = match display {
        "narrowSymbol" if found[3] != "=" => found[3],
        "narrowSymbol" | "symbol" => found[2],
        _ => "",
    };
    if symbol.is_empty() { code.to_owned() } else { symbol.to_owned() }
}

/// The name of a currency behind a number that is one, and behind others.
pub(crate) fn names_of(code: &str, region: &str) -> (String, String) {
    let found = fields(code, region);
    let one = if found[4].is_empty() { code } else { found[4] };
    (one.to_owned(), if found[5].is_empty() { one.to_owned() } else { found[5].to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currencies_have_signs_and_names() {
        assert_eq!((digits_of("JPY"), digits_of("USD"), digits_of("QQQ")), (0, 2, 2));
        assert_eq!(symbol_of("CAD", "US", "symbol"), "CA$");
        assert_eq!(symbol_of("CAD", "CA", "symbol"), "$");
        assert_eq!(symbol_of("CAD", "", "narrowSymbol"), "$");
        assert_eq!(symbol_of("EUR", "", "narrowSymbol"), "€");
        assert_eq!(symbol_of("USD", "", "code"), "USD");
        assert_eq!(names_of("USD", ""), ("US dollar".to_owned(), "US dollars".to_owned()));
        assert_eq!(names_of("QQQ", ""), ("QQQ".to_owned(), "QQQ".to_owned()));
    }
}
