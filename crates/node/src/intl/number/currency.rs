//! Currencies: their signs, their names in American English, and how many digits they have behind the point.

/// A line for each that has more to say than its code: code, digits (two, if none are given), symbol and narrow symbol (the code, if there
/// is none; `=` is the symbol again), the name for one and for others (the same, if there is none).
const TABLE: &str = include_str!("currencies.txt");

/// A currency that is known.
pub(crate) struct Currency {
    digits: &'static str,
    symbol: &'static str,
    narrow: &'static str,
    one: &'static str,
    other: &'static str,
}

fn find(code: &str) -> Option<Currency> {
    let line = TABLE.lines().find(|line| line.starts_with(code))?;
    let mut fields = line.split('|').skip(1);
    let mut next = || fields.next().unwrap_or("");
    Some(Currency { digits: next(), symbol: next(), narrow: next(), one: next(), other: next() })
}

/// How many digits a currency has behind the point.
pub(crate) fn digits_of(code: &str) -> u32 {
    find(code).and_then(|currency| currency.digits.parse().ok()).unwrap_or(2)
}

/// What stands for a currency, if `currencyDisplay` is `code`, `symbol` or `narrowSymbol`.
pub(crate) fn symbol_of(code: &str, display: &str) -> String {
    let symbol = find(code).map_or("", |currency| match display {
        "narrowSymbol" if currency.narrow != "=" => currency.narrow,
        "narrowSymbol" | "symbol" => currency.symbol,
        _ => "",
    });
    if symbol.is_empty() { code.to_owned() } else { symbol.to_owned() }
}

/// The name of a currency behind a number that is one, and behind others.
pub(crate) fn names_of(code: &str) -> (String, String) {
    let (one, other) = find(code).map_or(("", ""), |currency| (currency.one, currency.other));
    let one = if one.is_empty() { code } else { one };
    (one.to_owned(), if other.is_empty() { one.to_owned() } else { other.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currencies_have_signs_and_names() {
        assert_eq!((digits_of("JPY"), digits_of("USD"), digits_of("QQQ")), (0, 2, 2));
        assert_eq!(symbol_of("CAD", "symbol"), "CA$");
        assert_eq!(symbol_of("CAD", "narrowSymbol"), "$");
        assert_eq!(symbol_of("EUR", "narrowSymbol"), "€");
        assert_eq!(symbol_of("USD", "code"), "USD");
        assert_eq!(names_of("USD"), ("US dollar".to_owned(), "US dollars".to_owned()));
        assert_eq!(names_of("QQQ"), ("QQQ".to_owned(), "QQQ".to_owned()));
    }
}
