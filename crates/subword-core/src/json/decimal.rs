/*!
Numbers with a point, to text and back, bit for bit as Hugging Face's library reads them.

Its reader is serde_json, which does not round correctly: it gathers the digits in 64 bits while they fit, drops the
others, and multiplies or divides once by a power of ten:

```text
-12.3456789012345678901      digits 12345678901234567890, exponent -18
                             12345678901234567890 as f64 / 1e18
```

So a number that is read may differ in its last bit from the one that was meant, and a quarter of those in published
files do. [`read`] is that reader, and [`spelled`] looks for digits that are read as the number. A few numbers have none:
see [`readable`].
*/

/// How many numbers on both sides of a guess are tried, and with how many digits behind the point at most.
const TRIED: i64 = 4;
const MOST_DECIMALS: usize = 40;

/// What a number of JSON is read as; none if it is too large.
pub(crate) fn read(number: &str) -> Option<f64> {
    serde_json::from_str(number).ok()
}

/// The number that is read when this one is written in the usual way: the same, or a neighbour.
pub(crate) fn readable(value: f64) -> f64 {
    read(&format!("{value:?}")).unwrap_or(value)
}

/// A number of JSON that is read as this one; the usual one if there is none.
pub(crate) fn spelled(value: f64) -> String {
    let usual = format!("{value:?}");
    let reads = |text: &str| read(text).is_some_and(|read| read.to_bits() == value.to_bits());
    if reads(&usual) {
        return usual;
    }
    let (sign, size) = (if value < 0.0 { "-" } else { "" }, value.abs());
    for decimals in 0..MOST_DECIMALS {
        let middle = size * 10f64.powi(decimals as i32);
        if middle >= u64::MAX as f64 {
            break;
        }
        for step in -TRIED..=TRIED {
            let Some(digits) = stepped(middle.round(), step) else { continue };
            let text = format!("{sign}{}", with_point(digits, decimals));
            if reads(&text) {
                return text;
            }
        }
    }
    usual
}

/// The whole number that is `step` floating-point numbers, or ones, away.
fn stepped(middle: f64, step: i64) -> Option<u64> {
    let exact = middle < (1u64 << 53) as f64;
    let other = if exact {
        middle + step as f64
    } else {
        f64::from_bits(middle.to_bits().checked_add_signed(step)?)
    };
    (0.0..u64::MAX as f64).contains(&other).then_some(other as u64)
}

/// A number whose last digits stand behind a point.
fn with_point(digits: u64, decimals: usize) -> String {
    let digits = format!("{digits:0width$}", width = decimals + 1);
    let (whole, rest) = digits.split_at(digits.len() - decimals);
    if rest.is_empty() { whole.to_owned() } else { format!("{whole}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_without_correct_rounding() {
        let text = "-7.17422076547710384";
        assert_eq!(read(text), Some(-717422076547710384.0 / 1e17));
        assert_ne!(read(text), text.parse().ok());
        assert_eq!(read("-0").map(f64::to_bits), Some((-0.0f64).to_bits()));
        assert_eq!((read("1e-99999999999"), read("1e309")), (Some(0.0), None));
    }

    #[test]
    fn a_number_that_was_read_is_spelled_so_that_it_is_read_again() {
        let mut random = crate::testing::Random::new(11);
        for round in 0..100_000 {
            let (whole, rest) = (random.below(20), random.below(1 << 62));
            let written = format!("-{whole}.{rest:0width$}", width = 19 + round % 3);
            let value = read(&written).unwrap();
            let text = spelled(value);
            assert_eq!(read(&text), Some(value), "{written} is {value:?} as {text}");
            assert_eq!(readable(readable(value)), readable(value));
        }
    }
}
