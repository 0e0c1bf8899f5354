//! The reader against serde_json, and its errors word for word.

use super::*;
use crate::testing::Random;

fn accepted(text: &[u8]) -> Result<()> {
    let mut json = Json::new(text)?;
    json.skip()?;
    json.end()
}

fn refused(text: &str) -> String {
    accepted(text.as_bytes()).unwrap_err().to_string()
}

const TEXT: &str = r#"{"a": [1, -0.5e+3, 0, true, false, null, "\u0120\ud83d\ude00\n\"é"],
 "b" : {"c":[{}, [], {"d": ""}]}, "" :12 }"#;

#[test]
fn what_is_json_is_what_serde_json_takes() {
    let agree = |text: &[u8]| {
        let theirs = serde_json::from_slice::<serde_json::Value>(text);
        let range = theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        let shown = text.escape_ascii().to_string();
        assert_eq!(accepted(text).is_ok(), theirs.is_ok() || range, "{shown}");
    };
    agree(TEXT.as_bytes());
    (0..TEXT.len()).for_each(|end| agree(&TEXT.as_bytes()[..end]));
    let mut random = Random::new(7);
    for _ in 0..20_000 {
        let mut text = TEXT.as_bytes().to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text[at] = b"{}[]\",:\\0123.eE+-tfnu \n\xC3\x01"[random.below(25)],
                1 => drop(text.remove(at)),
                _ => text.insert(at, text[random.below(text.len())]),
            }
        }
        agree(&text);
    }
    for text in
        ["01", "-", "-01", "1.", ".5", "1e", "1e+", "-0", "00", "0.0", "1E9", "+1", "tru", "nul"]
    {
        agree(text.as_bytes());
    }
}

#[test]
fn strings_are_read_as_serde_json_reads_them() {
    for text in
        [r#""""#, r#""a b""#, r#""\b\f\n\r\t\/\\\"""#, r#""\u0120x\uD83D\uDE00""#, "\"é中\u{7f}\""]
    {
        let theirs: String = serde_json::from_str(text).unwrap();
        assert_eq!(Json::new(text.as_bytes()).unwrap().string().unwrap(), theirs);
        let mut written = String::new();
        write_string(&mut written, &theirs);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), theirs);
    }
}

#[test]
fn strings_are_written_as_one_line() {
    let mut out = String::new();
    write_string(&mut out, "a\"\\\n\r\t\u{1}é");
    assert_eq!(out, r#""a\"\\\n\r\t\u0001é""#);
}

#[test]
fn errors_say_what_was_expected_and_what_was_found() {
    assert_eq!(refused("{\"a\": 1,\n  x}"), ":2: expected a key in quotes, found x");
    assert_eq!(refused("{\"a\" 1}"), ":1: expected ':', found 1");
    assert_eq!(refused("[1 2]"), ":1: expected ',' or ']', found 2");
    assert_eq!(refused("{\"a\": 1]"), ":1: expected ',' or '}', found ']'");
    assert_eq!(refused("[1,]"), ":1: expected a value, found ']'");
    assert_eq!(refused("[-]"), ":1: expected a number, found -");
    assert_eq!(refused("1 {"), ":1: expected the end of the file, found an object");
    assert_eq!(
        refused("[\"\\x\"]"),
        ":1: expected an escape like \\n or \\u0120, found \"\\\\x\\\"]\""
    );
    assert_eq!(refused("[\"a\nb\"]"), ":1: expected '\"' to end the string, found the byte 0x0A");
    assert_eq!(
        refused("[1,\n"),
        ":1: expected a value, found the end of the file\n  hint: the file is cut off: copy or \
         download it again"
    );
    let bytes = accepted(b"[\n\xFF]").unwrap_err().to_string();
    assert_eq!(bytes, ":2: expected UTF-8 text, found the byte 0xFF\n  hint: the file is damaged");
}

#[test]
fn ids_are_whole_numbers_up_to_the_limit() {
    let id = |text: &str| Json::new(text.as_bytes()).unwrap().id().map_err(|e| e.to_string());
    assert_eq!(id("0"), Ok(0));
    assert_eq!(id(" 2097151 "), Ok(2_097_151));
    for found in ["2097152", "4000000000", "99999999999999999999", "-1", "1.5", "1e3", "01", "true"]
    {
        assert_eq!(id(found), Err(format!(":1: expected an id from 0 to 2097151, found {found}")));
    }
    assert_eq!(id("\"7\""), Err(":1: expected an id from 0 to 2097151, found \"7\"".into()));
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for bracket in ["[", "{\"a\":"] {
        let deep = bracket.repeat(100_000);
        assert_eq!(refused(&deep), ":1: nested more than 127 levels deep");
    }
    let nested = |depth| "[".repeat(depth) + "0" + &"]".repeat(depth);
    for depth in [126, 127, 128, 129] {
        let theirs = serde_json::from_str::<serde_json::Value>(&nested(depth)).is_ok();
        assert_eq!(accepted(nested(depth).as_bytes()).is_ok(), theirs, "{depth}");
    }
}

#[test]
fn fields_refuse_what_nobody_takes() {
    let fields = |text| Json::new(text).unwrap().fields();
    let mut known = fields(b"{\"a\": 1,\n \"b\": 2}").unwrap();
    assert_eq!(known.take("a").unwrap().id(), Ok(1));
    assert_eq!(known.need("c").err().unwrap().to_string(), ":1: the key \"c\" is missing");
    assert_eq!(known.finish("x").unwrap_err().to_string(), ":2: unknown key \"b\" in x");
    let twice = fields(b"{\"a\": 1,\n \"a\": 2}").err().unwrap();
    assert_eq!(twice.to_string(), ":2: the key \"a\" is there twice");
    let many: Vec<String> = (0..65).map(|key| format!("\"{key}\": 0")).collect();
    let many = fields(format!("{{{}}}", many.join(",")).as_bytes()).err().unwrap().to_string();
    assert_eq!(many, ":1: expected at most 64 keys, found more");
}
