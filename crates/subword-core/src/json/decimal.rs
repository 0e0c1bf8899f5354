/*!
Numbers with a point, to text and back, bit for bit as Hugging Face's library reads them.

Its reader does not round correctly. It gathers the digits in 64 bits while they fit, drops the others, and
multiplies or divides once by a power of ten:

```text
-12.3456789012345678901      digits 12345678901234567890, exponent -18
                             12345678901234567890 as f64 / 1e18
```

So a number that is read may differ in its last bit from the one that was meant, and a quarter of those in published
files do. [`Decimal::spelled`] therefore looks for digits that are read as the number. A few numbers have none: see
[`Decimal::readable`].
*/

/// The largest power of ten that is a number.
const LARGEST_POWER: usize = 308;

/// How many numbers on both sides of a guess are tried, and with how many digits behind the point at most.
const TRIED: i64 = 4;
const MOST_DECIMALS: usize = 40;

/// Reads and writes numbers.
pub(crate) struct Decimal {
    powers: Vec<f64>,
}

impl Decimal {
    pub(crate) fn new() -> Decimal {
        let power = |n: usize| format!("1e{n}").parse().expect("a power of ten within the range");
        Decimal { powers: (0..=LARGEST_POWER).map(power).collect() }
    }

    /// What a number of JSON is read as; none if it is too large.
    pub(crate) fn read(&self, number: &str) -> Option<f64> {
        let (negative, digits) = match number.strip_prefix('-') {
            Some(digits) => (true, digits.as_bytes()),
            None => (false, number.as_bytes()),
        };
        let mut at = 0;
        let next = |significand: u64, at: usize| {
            let digit = u64::from(digits.get(at).filter(|byte| byte.is_ascii_digit())? - b'0');
            Some(significand.checked_mul(10).and_then(|tens| tens.checked_add(digit)))
        };
        let (mut significand, mut exponent) = (0, 0i32);
        while let Some(Some(more)) = next(significand, at) {
            (significand, at) = (more, at + 1);
        }
        while next(significand, at).is_some() {
            (exponent, at) = (exponent.saturating_add(1), at + 1);
        }
        if digits.get(at) == Some(&b'.') {
            at += 1;
            while let Some(Some(more)) = next(significand, at) {
                (significand, exponent, at) = (more, exponent.saturating_sub(1), at + 1);
            }
            while next(significand, at).is_some() {
                at += 1;
            }
        }
        if let Some(b'e' | b'E') = digits.get(at) {
            let written: i64 = number_of(&digits[at + 1..]);
            if i32::try_from(written.abs()).is_err() {
                let zero = significand == 0 || written < 0;
                return zero.then_some(if negative { -0.0 } else { 0.0 });
            }
            exponent = exponent.saturating_add(written as i32);
        }
        let value = self.scaled(significand as f64, exponent)?;
        Some(if negative { -value } else { value })
    }

    /// `value` times ten to the power of `exponent`; none if that is too large.
    fn scaled(&self, mut value: f64, mut exponent: i32) -> Option<f64> {
        loop {
            match self.powers.get(exponent.unsigned_abs() as usize) {
                Some(power) if exponent >= 0 => {
                    return Some(value * power).filter(|value| value.is_finite());
                }
                Some(power) => return Some(value / power),
                None if value == 0.0 => return Some(value),
                None if exponent >= 0 => return None,
                None => {
                    value /= 1e308;
                    exponent += 308;
                }
            }
        }
    }

    /// The number that is read when this one is written in the usual way: the same, or a neighbour.
    pub(crate) fn readable(&self, value: f64) -> f64 {
        self.read(&format!("{value:?}")).unwrap_or(value)
    }

    /// A number of JSON that is read as this one; the usual one if there is none.
    pub(crate) fn spelled(&self, value: f64) -> String {
        let usual = format!("{value:?}");
        let reads =
            |text: &str| self.read(text).is_some_and(|read| read.to_bits() == value.to_bits());
        if reads(&usual) {
            return usual;
        }
        let (sign, size) = (if value < 0.0 { "-" } else { "" }, value.abs());
        for decimals in 0..MOST_DECIMALS {
            let middle = size * self.powers[decimals];
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
}

/// The exponent of a number, `+12`, within the range of its type.
fn number_of(digits: &[u8]) -> i64 {
    let (sign, digits) = match digits {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        rest => (1, rest),
    };
    let add = |value: i64, digit: &u8| {
        value.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(i64::MAX / 2)
    };
    sign * digits.iter().fold(0, add)
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
    fn numbers_are_read_as_serde_json_reads_them() {
        let decimal = Decimal::new();
        let mut random = crate::testing::Random::new(7);
        let mut number = || {
            let mut digits = |most: usize| -> String {
                let count = 1 + random.below(most);
                (0..count).map(|_| char::from(b'0' + random.below(10) as u8)).collect()
            };
            let whole = digits(24).trim_start_matches('0').to_owned();
            let rest = digits(30);
            let power = digits(3);
            let whole = if whole.is_empty() { "0".to_owned() } else { whole };
            match random.below(6) {
                0 => whole,
                1 => format!("{whole}.{rest}e-{power}"),
                2 => format!("{whole}e{power}"),
                3 => format!("0.{rest}"),
                _ => format!("{}.{rest}", &whole[..1]),
            }
        };
        for _ in 0..200_000 {
            let text = format!("-{}", number());
            let expected: Option<f64> = serde_json::from_str(&text).ok();
            let found = decimal.read(&text);
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{text}");
        }
        for text in ["0", "-0", "1e99999999999", "0e99999999999", "1e-99999999999", "5e-324", "-7"]
        {
            let expected: Option<f64> = serde_json::from_str(text).ok();
            let found = decimal.read(text);
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn a_number_that_was_read_is_spelled_so_that_it_is_read_again() {
        let decimal = Decimal::new();
        let mut random = crate::testing::Random::new(11);
        for round in 0..100_000 {
            let (whole, rest) = (random.below(20), random.below(1 << 62));
            let written = format!("-{whole}.{rest:0width$}", width = 19 + round % 3);
            let value = decimal.read(&written).unwrap();
            let text = decimal.spelled(value);
            assert_eq!(decimal.read(&text), Some(value), "{written} is {value:?} as {text}");
            assert_eq!(decimal.readable(decimal.readable(value)), decimal.readable(value));
        }
    }
}
