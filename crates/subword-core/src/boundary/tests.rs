//! Texts that are cut have the special tokens and pieces that they have whole, whatever the normaliser, the pattern,
//! the special tokens and the way of cutting.

use super::*;
use crate::formats::tests::Random;
use crate::model::{Bert, Pattern, SpecialToken};
use crate::pretok::Named;

/// A special token, by its number, or a piece of the normalised text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Special(u32),
    Piece(Vec<u8>),
}

/// What a text goes through, by the definition.
struct Chain {
    normalizer: Normalizer,
    splitter: Splitter,
    raw: Finder,
    normal: Finder,
}

impl Chain {
    fn new(normalizer: Normalizer, pattern: Pattern, tokens: &[SpecialToken]) -> Chain {
        let (mut normal, raw): (Vec<_>, Vec<_>) =
            tokens.iter().cloned().partition(|token| token.normalized);
        for token in &mut normal {
            let content = normalizer.apply(token.content.as_bytes()).into_owned();
            token.content = String::from_utf8(content).unwrap();
        }
        normal.retain(|token| !token.content.is_empty());
        Chain {
            normalizer,
            splitter: Splitter::new(&pattern).unwrap(),
            raw: Finder::new(raw).unwrap(),
            normal: Finder::new(normal).unwrap(),
        }
    }

    fn named(normalizer: Normalizer, named: Named, tokens: &[SpecialToken]) -> Chain {
        Chain::new(normalizer, Pattern::Named(named), tokens)
    }

    fn boundary(&self) -> Boundary<'_> {
        Boundary::new(self.normalizer, &self.splitter, &self.raw).with_normal(&self.normal)
    }

    fn parts(&self, text: &[u8]) -> Vec<Part> {
        let mut parts = Vec::new();
        let span = |span: Span| self.span(text, span, &mut parts);
        self.raw.split(text, span).unwrap();
        parts
    }

    /// A span between special tokens of the raw text, or one of them.
    fn span(&self, text: &[u8], span: Span, parts: &mut Vec<Part>) -> Result<()> {
        if let Some(id) = span.special {
            parts.push(Part::Special(id));
            return Ok(());
        }
        let text = self.normalizer.apply(&text[span.start..span.end]);
        self.normal.split(&text, |span| {
            if let Some(id) = span.special {
                parts.push(Part::Special(id));
                return Ok(());
            }
            let (text, mut ends, mut start) = (&text[span.start..span.end], Vec::new(), 0);
            self.splitter.append_ends(text, 0, &mut ends)?;
            for end in ends {
                parts.push(Part::Piece(text[start..end].to_vec()));
                start = end;
            }
            Ok(())
        })
    }

    fn assert_safe(&self, text: &[u8], at: usize) {
        let mut two = self.parts(&text[..at]);
        two.extend(self.parts(&text[at..]));
        let shown = String::from_utf8_lossy(text);
        assert_eq!(two, self.parts(text), "{:?} {shown:?} cut at {at}", self.normalizer);
    }
}

fn normalizers() -> Vec<Normalizer> {
    let berts = (0..32).map(|choice: u32| {
        let on = |bit: u32| choice >> bit & 1 == 1;
        Normalizer::Bert(Bert { clean: on(0), cjk: on(1), strip_accents: on(2), lowercase: on(3) })
    });
    let forms = [
        Normalizer::None,
        Normalizer::Nfc,
        Normalizer::Nfd,
        Normalizer::Nfkc,
        Normalizer::Nfkd,
        Normalizer::NfcLowercase,
    ];
    // The forms as often as all of BERT's choices together.
    forms.into_iter().cycle().take(30).chain(berts).collect()
}

/// Characters that compose, decompose, vanish, are sorted, spread or change their class, each beside some that do
/// nothing.
const ALPHABETS: [&str; 12] = [
    "aé\u{301}\u{316} ,.",
    "e\u{301}\u{338}<=> 1",
    "\u{938}\u{95C}\u{921}\u{93C}.c ",
    "lŀ·!\u{B7} '",
    "\u{1100}\u{1161}\u{11A8}가각 a,",
    "AİiΣσς\u{307} !",
    "a\n\r \t\u{A0}\u{3000}\u{2028}",
    "中文，。\u{1}a \u{FFFD}",
    "\u{0}\u{7F}\u{200B}\u{AD}a b\u{301}",
    "ﬁ½²①Ⅷ´x -",
    "\u{F71}\u{F73}\u{F74}\u{344}\u{1D15E}\u{302A}o \u{1ABE}",
    "it's 'ſ1 >2",
];

fn alphabet(random: &mut Random) -> Vec<char> {
    let mut all: Vec<char> = ALPHABETS[random.below(ALPHABETS.len())].chars().collect();
    if random.below(4) == 0 {
        all.extend(ALPHABETS[random.below(ALPHABETS.len())].chars());
    }
    all
}

fn string(random: &mut Random, alphabet: &[char], most: usize) -> String {
    (0..1 + random.below(most)).map(|_| alphabet[random.below(alphabet.len())]).collect()
}

/// A text of these characters, some of them cut in the middle.
fn text(random: &mut Random, alphabet: &[char]) -> Vec<u8> {
    let mut text = string(random, alphabet, 16).into_bytes();
    if random.below(8) == 0 {
        text.remove(random.below(text.len()));
    }
    text
}

/// Up to three special tokens of these characters.
fn tokens(random: &mut Random, alphabet: &[char]) -> Vec<SpecialToken> {
    let some = if random.flip() { 0 } else { 1 + random.below(3) };
    let token = |id| SpecialToken {
        normalized: random.flip(),
        lstrip: random.below(6) == 0,
        rstrip: random.below(6) == 0,
        single_word: random.below(6) == 0,
        ..SpecialToken::new(string(random, alphabet, 3), id as u32)
    };
    let mut tokens: Vec<_> = (0..some).map(token).collect();
    tokens.dedup_by(|a, b| a.content == b.content);
    tokens
}

/// Calls `check` with chains and texts of all kinds.
fn for_each_case(seed: u64, mut check: impl FnMut(&Chain, &mut Random, &[u8])) {
    let mut random = Random::new(seed);
    for normalizer in normalizers() {
        for named in Named::ALL {
            for _ in 0..10 {
                let alphabet = alphabet(&mut random);
                let chain = Chain::named(normalizer, named, &tokens(&mut random, &alphabet));
                for _ in 0..4 {
                    let text = text(&mut random, &alphabet);
                    check(&chain, &mut random, &text);
                }
            }
        }
    }
}

#[test]
fn a_text_is_the_same_on_both_sides_of_every_place() {
    let mut places = 0;
    for_each_case(1, |chain, _, text| {
        for at in 1..text.len() {
            if chain.boundary().first(text, at..at + 1) == Some(at) {
                places += 1;
                chain.assert_safe(text, at);
            }
        }
    });
    assert!(places > 20_000, "{places}");
}

#[test]
fn a_text_that_goes_on_is_cut_where_nothing_can_change() {
    let mut places = 0;
    for_each_case(2, |chain, random, text| {
        for len in 1..text.len() {
            let seen = random.below(len);
            let cuts =
                [chain.boundary().last(&text[..len], 0), chain.boundary().last(&text[..len], seen)];
            for at in cuts.into_iter().filter(|&at| at > 0) {
                places += 1;
                chain.assert_safe(text, at);
            }
        }
    });
    assert!(places > 20_000, "{places}");
}

#[test]
fn a_stream_of_any_chunks_has_the_parts_of_the_whole() {
    for_each_case(3, |chain, random, text| {
        let (mut parts, mut waiting, mut rest) = (Vec::new(), Vec::new(), text);
        while !rest.is_empty() {
            let seen = waiting.len();
            let (chunk, after) = rest.split_at(1 + random.below(rest.len()));
            waiting.extend_from_slice(chunk);
            rest = after;
            let cut = chain.boundary().last(&waiting, seen);
            parts.extend(chain.parts(&waiting[..cut]));
            waiting.drain(..cut);
        }
        parts.extend(chain.parts(&waiting));
        assert_eq!(parts, chain.parts(text), "{:?} {}", chain.normalizer, text.escape_ascii());
    });
}

#[test]
fn blocks_of_any_size_have_the_parts_of_the_whole() {
    let mut several = 0;
    for_each_case(4, |chain, random, text| {
        let blocks = chain.boundary().blocks(text, 1 + random.below(4)).unwrap();
        several += usize::from(blocks.len() > 1);
        let mut parts = Vec::new();
        for span in blocks.into_iter().flatten() {
            chain.span(text, span, &mut parts).unwrap();
        }
        assert_eq!(parts, chain.parts(text), "{:?} {}", chain.normalizer, text.escape_ascii());
    });
    assert!(several > 3_000, "{several}");
}

/// The documents of a text that may start and end within one: all but the last were ended by a separator.
fn documents(chain: &Chain, separator: &[u8], text: &[u8]) -> Vec<Vec<Part>> {
    let mut documents = Vec::new();
    let mut start = 0;
    for end in memmem::find_iter(text, separator) {
        let document = &text[start..end];
        let end_of_line = (separator == b"\n").then(|| document.strip_suffix(b"\r")).flatten();
        documents.push(chain.parts(end_of_line.unwrap_or(document)));
        start = end + separator.len();
    }
    documents.push(chain.parts(&text[start..]));
    documents
}

#[test]
fn documents_are_cut_without_a_change_and_never_within_a_separator() {
    let mut random = Random::new(5);
    for_each_case(6, |chain, _, text| {
        let len = (1 + random.below(6)).min(text.len());
        let start = random.below(text.len() + 1 - len);
        let other = &text[start..start + len];
        for content in [b"\n", other].into_iter().filter(|text| str::from_utf8(text).is_ok()) {
            let separator = Separator::new(content);
            let boundary = chain.boundary().with_separator(Some(&separator));
            let whole = documents(chain, content, text);
            for len in 1..text.len() {
                let cut = boundary.last(&text[..len], 0);
                let mut two = documents(chain, content, &text[..cut]);
                let mut after = documents(chain, content, &text[cut..]).into_iter();
                // The last document before the cut goes on in the first one after it.
                two.last_mut().unwrap().extend(after.next().unwrap());
                two.extend(after);
                assert_eq!(two, whole, "{} {} {cut}", text.escape_ascii(), content.escape_ascii());
            }
        }
    });
}

#[test]
fn what_is_refused_is_seen_on_one_side_of_a_cut() {
    for_each_case(7, |chain, _, text| {
        let spells =
            |text: &[u8]| chain.raw.first(text).is_some() || chain.normal.first(text).is_some();
        let whole = spells(text);
        for len in 1..text.len() {
            let cut = chain.boundary().refusing(true).last(&text[..len], 0);
            assert_eq!(
                spells(&text[..cut]) || spells(&text[cut..]),
                whole,
                "{}",
                text.escape_ascii()
            );
        }
    });
}

#[test]
fn a_mark_that_a_letter_becomes_belongs_to_what_follows() {
    for (normalizer, named, text) in [
        (Normalizer::Nfd, Named::Gpt2, "é,"),
        (Normalizer::Nfc, Named::Qwen2, "\u{938}\u{95C}.com"),
        (Normalizer::Nfkc, Named::Gpt2, "ŀ!"),
        (Normalizer::Bert(Bert { clean: false, ..Bert::CASED }), Named::Bert, "\n\n"),
    ] {
        let chain = Chain::named(normalizer, named, &[]);
        assert_eq!(chain.boundary().first(text.as_bytes(), 1..text.len()), None, "{text}");
        let plain = Chain::named(Normalizer::None, named, &[]);
        let cuts = plain.boundary().first(text.as_bytes(), 1..text.len()).is_some();
        assert_eq!(cuts, text != "\n\n", "{text}");
    }
}

#[test]
fn a_raw_token_is_not_cut_where_one_of_the_normalised_text_ends() {
    let tokens = [
        SpecialToken { normalized: true, ..SpecialToken::new(" 1", 0) },
        SpecialToken::new("1>2", 1),
    ];
    // GPT-2's pattern lets the text be cut before the space, a look-behind nowhere but around the token.
    let looks_behind = Pattern::Regex("(?<!x)[0-9]+".to_owned());
    for (pattern, last) in [(Pattern::Named(Named::Gpt2), 3), (looks_behind, 7)] {
        let chain = Chain::new(Normalizer::None, pattern, &tokens);
        let text = b"333 1>2333333333";
        for len in 1..=text.len() {
            chain.assert_safe(text, chain.boundary().last(&text[..len], 0));
        }
        assert_eq!(chain.boundary().last(text, 0), last);
    }
}

#[test]
fn tokens_that_look_around_leave_places_in_ordinary_text() {
    let mask = SpecialToken { lstrip: true, ..SpecialToken::new("<mask>", 0) };
    let chain = Chain::named(Normalizer::None, Named::Gpt2, &[mask]);
    let text = b"the low  <mask> and lower";
    let places: Vec<_> =
        (1..text.len()).filter(|&at| chain.boundary().first(text, at..at + 1).is_some()).collect();
    assert_eq!(places, [3, 7, 19]);
    places.iter().for_each(|&at| chain.assert_safe(text, at));
}

#[test]
fn ordinary_text_has_a_place_in_every_line_whatever_the_normaliser() {
    let texts = [
        "It was the best of times, it was the worst of times; it was the age of wisdom.\n",
        "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива.\n",
        "道可道，非常道。名可名，非常名。無名天地之始，有名萬物之母。故常無欲，以觀其妙。\n",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है।\n",
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n",
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.\n",
    ];
    for normalizer in normalizers() {
        for named in Named::ALL.into_iter().filter(|&named| named != Named::None) {
            let chain = Chain::named(normalizer, named, &[]);
            let spaced = matches!(normalizer, Normalizer::Bert(bert) if bert.cjk);
            let bert = named == Named::Bert;
            for line in texts {
                // Between spaces Chinese has no end of a word that other patterns are sure of.
                if spaced && !bert && line.starts_with('道') {
                    continue;
                }
                let text = line.repeat(3);
                let first = chain.boundary().first(text.as_bytes(), line.len()..2 * line.len());
                assert!(first.is_some(), "{normalizer:?} {named:?} {line}");
                chain.assert_safe(text.as_bytes(), first.unwrap());
            }
        }
    }
}

#[test]
fn without_a_place_special_tokens_are_places() {
    let special = [SpecialToken::new("<s>", 0), SpecialToken::new("<s><s>", 1)];
    let chain = Chain::new(Normalizer::Nfc, Pattern::Regex("(?<!x)l+".to_owned()), &special);
    let last = |text: &str| chain.boundary().last(text.as_bytes(), 0);
    assert_eq!(last("low lower"), 0);
    assert_eq!(last("low<s>lower lower"), 6);
    // Whether it is `<s>` or `<s><s>` is not seen yet.
    assert_eq!(last("low<s>lowe<s><"), 6);
    assert_eq!(last("low<s>lowe<s><s>lower"), 16);
}

#[test]
fn half_a_character_is_no_place_to_cut() {
    for normalizer in [Normalizer::None, Normalizer::Nfc] {
        let chain = Chain::named(normalizer, Named::Gpt2, &[]);
        let text = "lowé lower".as_bytes();
        for len in 0..text.len() {
            let cut = chain.boundary().last(&text[..len], 0);
            assert!([0, 5].contains(&cut), "{len} {cut}");
        }
        assert_eq!(chain.boundary().last(&[text, b"est"].concat(), 0), 5);
    }
}

#[test]
fn a_byte_that_may_yet_become_a_replacement_character_is_no_place_to_cut() {
    // Files are cut first, and then what is no text is replaced: the token must not be cut in two.
    let chain = Chain::named(Normalizer::None, Named::Gpt2, &[SpecialToken::new("w\u{FFFD}", 0)]);
    assert_eq!(chain.boundary().first(b"low\xFF lower", 1..5), None);
    assert_eq!(chain.boundary().first("low\u{FFFD} lower".as_bytes(), 1..7), Some(6));
    assert_eq!(chain.boundary().first("lo\u{FFFD}w lower".as_bytes(), 1..7), Some(2));
}
