/*!
Classes of characters that both engines share: `[...]`, and the escapes that stand for a set.

```text
class = '[' '^'? item+ ('&&' item+)* ']'
item  = character | character '-' character | escape | class | '[:' name ':]'
```

A `-` is a character at the start and at the end of a class only: elsewhere the engines disagree. They also
do about a class such as `[^1[^\p{L}\P{L}]]`, so one with `[^` holds no other of them.
*/

use super::parse::{Escape, Parsed, Parser, Scope};
use crate::model::escaped_character;

/// The characters of a word, as they are in a class. Outside of classes Oniguruma has [`LATIN_DIGITS`] as well.
const WORD: &str = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}";
const LATIN_DIGITS: &str = "²³¹¼½¾";
const HEX: &str = "0-9A-Fa-f";

/// What a bracket such as `[:alpha:]` holds, as items of a class.
const BRACKETS: [(&str, &str); 12] = [
    ("alpha", r"\p{Alphabetic}"),
    ("digit", r"\p{Nd}"),
    ("alnum", r"\p{Alphabetic}\p{Nd}"),
    ("upper", r"\p{Uppercase}"),
    ("lower", r"\p{Lowercase}"),
    ("space", r"\s"),
    ("blank", r"\p{Zs}\t"),
    ("cntrl", r"\p{Cc}"),
    ("punct", r"\p{P}\p{S}"),
    ("xdigit", HEX),
    ("word", WORD),
    ("ascii", r"\x00-\x7F"),
];

/// The general categories, and properties that both engines know under the same name.
const PROPERTIES: &str = "\
    L Lu Ll Lt Lm Lo LC M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn \
    Letter Uppercase_Letter Lowercase_Letter Titlecase_Letter Modifier_Letter Other_Letter Mark \
    Nonspacing_Mark Spacing_Mark Enclosing_Mark Number Decimal_Number Letter_Number Other_Number \
    Punctuation Connector_Punctuation Dash_Punctuation Open_Punctuation Close_Punctuation \
    Initial_Punctuation Final_Punctuation Other_Punctuation Symbol Math_Symbol Currency_Symbol \
    Modifier_Symbol Other_Symbol Separator Space_Separator Line_Separator Paragraph_Separator Other \
    Control Format Private_Use Unassigned Any Assigned ASCII Alphabetic Uppercase Lowercase White_Space \
    Emoji Emoji_Presentation Extended_Pictographic Ideographic Unified_Ideograph Math Dash Hex_Digit \
    Quotation_Mark Diacritic XID_Start XID_Continue";

/// The scripts of Unicode 16.
const SCRIPTS: &str = "\
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali \
    Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian \
    Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret \
    Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian \
    Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul \
    Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi \
    Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi \
    Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu \
    Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin \
    Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani \
    Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham \
    Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian \
    Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau \
    Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham \
    SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog \
    Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh \
    Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi \
    Zanabazar_Square";

/// Reads a class: the parser is at its `[`.
pub(super) fn read(parser: &mut Parser, scope: Scope) -> Parsed<()> {
    parser.nested(|parser| {
        parser.copy(1);
        let mut scope = scope;
        if parser.rest.starts_with('^') {
            refuse_without_case(scope, "[^...]")?;
            refuse_negated(scope)?;
            scope.negated = true;
            parser.copy(1);
        }
        let mut items = 0;
        loop {
            match parser.peek().ok_or("a [ without its ]")? {
                ']' if items > 0 => break,
                ']' => return Err("a ] at the start of a class".to_owned()),
                '&' if parser.rest.starts_with("&&") => {
                    refuse_without_case(scope, "&&")?;
                    let before = items;
                    parser.copy(2);
                    if before == 0 || parser.rest.starts_with([']', '&', '^', '-']) {
                        return Err("&& beside nothing".to_owned());
                    }
                    // What follows is a set of its own, so a `-` is not at the start of it.
                    items = 1;
                }
                next => {
                    item(parser, next, items == 0, scope)?;
                    items += 1;
                }
            }
        }
        parser.copy(1);
        Ok(())
    })
}

fn item(parser: &mut Parser, next: char, first: bool, scope: Scope) -> Parsed<()> {
    let rest = parser.rest;
    let low = match next {
        '[' if rest.starts_with("[:") => return bracket(parser, scope),
        '[' => {
            refuse_without_case(scope, "a class in a class")?;
            refuse_colon(&rest[1..])?;
            return read(parser, scope);
        }
        '-' if !first && !rest.starts_with("-]") || rest.starts_with("--") => {
            return Err("- within a class".to_owned());
        }
        '~' if rest.starts_with("~~") => return Err("~~".to_owned()),
        '\\' => match parser.escape(scope, true)? {
            Escape::Character(character) => character,
            _ => return Ok(()),
        },
        _ => {
            parser.check_case(next, scope)?;
            parser.copy(next.len_utf8());
            next
        }
    };
    if next == '-' || !parser.rest.starts_with('-') || parser.rest.starts_with("-]") {
        return Ok(());
    }
    parser.copy(1);
    let high = match parser.peek() {
        Some('\\') => match parser.escape(scope, true)? {
            Escape::Character(character) => character,
            _ => return Err("a range that does not end in a character".to_owned()),
        },
        Some(character) if !matches!(character, '[' | '-' | '&') => {
            parser.check_case(character, scope)?;
            parser.copy(character.len_utf8());
            character
        }
        _ => return Err("a range that does not end in a character".to_owned()),
    };
    if low > high { Err(format!("the range {low:?} to {high:?}")) } else { Ok(()) }
}

/// Refuses a class in a class that starts with an escaped colon, `[[\:alpha:]]`: our engine drops the
/// backslash and reads a bracket.
fn refuse_colon(inside: &str) -> Parsed<()> {
    let mut characters = inside.strip_prefix('^').unwrap_or(inside).chars();
    let escaped = (characters.next() == Some('\\')).then(|| characters.next()).flatten();
    match escaped.and_then(|letter| escaped_character(letter, characters.as_str())) {
        Some((_, ':')) => Err("an escaped : at the start of a class in a class".to_owned()),
        _ => Ok(()),
    }
}

/// Reads a bracket such as `[:alpha:]`.
fn bracket(parser: &mut Parser, scope: Scope) -> Parsed<()> {
    let written = parser.rest.split_inclusive(']').next().unwrap_or_default();
    let name = written.strip_prefix("[:").and_then(|rest| rest.strip_suffix(":]"));
    let (negated, name) = match name.and_then(|name| name.strip_prefix('^')) {
        Some(name) => (true, Some(name)),
        None => (false, name),
    };
    refuse_without_case(scope, "[:")?;
    let items = BRACKETS.iter().find(|(known, _)| Some(*known) == name).ok_or(written)?.1;
    if negated {
        refuse_negated(scope)?;
        parser.replace(written.len(), &format!("[^{items}]"));
    } else {
        parser.replace(written.len(), items);
    }
    Ok(())
}

/// Reads an escape that stands for a set of characters.
pub(super) fn escaped_set(
    parser: &mut Parser,
    letter: char,
    scope: Scope,
    in_class: bool,
) -> Parsed<()> {
    // Without regard to case Oniguruma folds such sets in classes, and outside of them does not.
    if in_class {
        refuse_without_case(scope, &format!("\\{letter}"))?;
    }
    let items = match letter {
        'w' | 'W' if in_class => WORD.to_owned(),
        'w' | 'W' => format!("{WORD}{LATIN_DIGITS}"),
        'h' | 'H' => HEX.to_owned(),
        'p' | 'P' => return property(parser, scope),
        _ => return Err(format!("\\{letter}")),
    };
    let set = match (letter, in_class) {
        ('w' | 'h', true) => items,
        ('w' | 'h', false) => format!("[{items}]"),
        _ => {
            refuse_negated(scope)?;
            format!("[^{items}]")
        }
    };
    parser.replace_without_case(2, &set, scope);
    Ok(())
}

/// Reads a property such as `\p{Lu}` or `\p{^Lu}`.
fn property(parser: &mut Parser, scope: Scope) -> Parsed<()> {
    let (start, rest) = parser.rest.split_at(2);
    let name = rest.strip_prefix('{').and_then(|rest| Some(rest.split_once('}')?.0));
    let written = name.ok_or_else(|| format!("{start} without {{}}"))?;
    let (negated, name) = match written.strip_prefix('^') {
        Some(name) => (start == r"\p", name),
        None => (start == r"\P", written),
    };
    if !PROPERTIES.split(' ').chain(SCRIPTS.split(' ')).any(|known| known == name) {
        return Err(format!("{start}{{{written}}}"));
    }
    let len = written.len() + 4;
    let letter = if negated { 'P' } else { 'p' };
    if name == written && !scope.ignore_case {
        parser.copy(len);
    } else {
        parser.replace_without_case(len, &format!("\\{letter}{{{name}}}"), scope);
    }
    Ok(())
}

/// Where a word starts or ends, or where it does not.
pub(super) fn word_border(border: bool) -> String {
    let word = format!("[{WORD}{LATIN_DIGITS}]");
    let [after, not_after] = [format!("(?<={word})"), format!("(?<!{word})")];
    let [before, not_before] = [format!("(?={word})"), format!("(?!{word})")];
    if border {
        format!("(?:{after}{not_before}|{not_after}{before})")
    } else {
        format!("(?:{after}{before}|{not_after}{not_before})")
    }
}

fn refuse_negated(scope: Scope) -> Parsed<()> {
    if scope.negated { Err("[^...] in another one".to_owned()) } else { Ok(()) }
}

fn refuse_without_case(scope: Scope, what: &str) -> Parsed<()> {
    if scope.ignore_case { Err(format!("{what} in (?i:...)")) } else { Ok(()) }
}
