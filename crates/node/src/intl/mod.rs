//! Native functions of `Intl`: segmentation, canonical locale names, collation, and number and date formatting. All but the last two come
//! from ICU4X, Unicode's own crates.
//!
//! What `Intl` supports is in `docs/decisions/0014-intl-in-english-only.md`.

mod case;
pub(crate) mod collation;
mod dates;
mod number;
mod tags;

use icu_segmenter::options::{SentenceBreakInvariantOptions, WordBreakInvariantOptions};
use icu_segmenter::{GraphemeClusterSegmenter, SentenceSegmenter, WordSegmenter};
use phasor_js::bytes::Units;
use rquickjs::function::Func;
use rquickjs::{Ctx, Object, Result};

/// Creates the object of native functions.
pub fn natives<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("graphemes", Func::from(|text: Units<'_>| graphemes(text.as_slice())))?;
    natives.set("words", Func::from(|text: Units<'_>| words(text.as_slice())))?;
    natives.set("sentences", Func::from(|text: Units<'_>| sentences(text.as_slice())))?;
    tags::add(&natives)?;
    case::add(&natives)?;
    collation::add(&natives)?;
    number::add(&natives)?;
    dates::natives(ctx, &natives)?;
    Ok(natives)
}

/// Where each segment ends, twice over, in code units; odd if it is a word. A string's length leaves the bit free.
type Ends = Vec<u32>;

fn end(at: usize, is_word: bool) -> u32 {
    (at as u32) << 1 | u32::from(is_word)
}

/// What a reader takes for a letter.
fn graphemes(text: &[u16]) -> Ends {
    // The first cut is at the beginning, where nothing ends.
    GraphemeClusterSegmenter::new().segment_utf16(text).skip(1).map(|at| end(at, false)).collect()
}

/// Words, and what stands between them. As ICU, by dictionary where a script has no blanks.
fn words(text: &[u16]) -> Ends {
    let cuts = WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()).segment_utf16(text);
    let mut from = 0;
    let ends = cuts.iter_with_word_type().skip(1).map(|(at, kind)| {
        // The crate forgets that it is a word where a single letter has a mark.
        let is_word = kind.is_word_like() || starts_with_letter(&text[from..at]);
        from = at;
        end(at, is_word)
    });
    ends.collect()
}

fn starts_with_letter(text: &[u16]) -> bool {
    char::decode_utf16(text.iter().copied()).next().is_some_and(|first| first.is_ok_and(char::is_alphabetic))
}

/// Sentences, each with the blanks behind it.
fn sentences(text: &[u16]) -> Ends {
    let cuts = SentenceSegmenter::new(SentenceBreakInvariantOptions::default()).segment_utf16(text);
    cuts.skip(1).map(|at| end(at, false)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, cut: fn(&[u16]) -> Ends) -> Vec<String> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut from = 0;
        let piece = |end: u32| {
            let to = (end >> 1) as usize;
            let text = String::from_utf16_lossy(&units[from..to]);
            from = to;
            if end & 1 == 1 { format!("{text}*") } else { text }
        };
        cut(&units).into_iter().map(piece).collect()
    }

    #[test]
    fn text_is_cut_where_readers_would_cut_it() {
        assert_eq!(pieces("e\u{301}🇩🇪\r\n", graphemes), ["e\u{301}", "🇩🇪", "\r\n"]);
        assert_eq!(pieces("can't, 3.14", words), ["can't*", ",", " ", "3.14*"]);
        assert_eq!(pieces("e\u{301} ", words), ["e\u{301}*", " "]);
        assert_eq!(pieces("One. Two?", sentences), ["One. ", "Two?"]);
        for cut in [graphemes, words, sentences] {
            assert!(cut(&[]).is_empty());
            assert_eq!(cut(&[0xd800]).len(), 1);
        }
    }
}
