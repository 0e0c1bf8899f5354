/*!
What happens to text before it is cut, and the name of each normaliser: what a user writes, and what a
file of counts holds.

```text
none    nfc    nfd    nfkc    nfkd    nfc-lowercase
bert-uncased    bert-cased    bert:clean,cjk,lowercase
```

BERT's normaliser has options. Two choices of them have a name, the others are lists of what is on.
This is only what a normaliser *is*; `normalize` runs it.
*/

use crate::bert::Bert;

/// What happens to text before it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalizer {
    /// Nothing.
    #[default]
    None,
    /// Unicode's canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// Canonical composition, then every character in lower case (CLIP).
    NfcLowercase,
    /// BERT's.
    Bert(Bert),
}

const NAMES: [(&str, Normalizer); 8] = [
    ("none", Normalizer::None),
    ("nfc", Normalizer::Nfc),
    ("nfd", Normalizer::Nfd),
    ("nfkc", Normalizer::Nfkc),
    ("nfkd", Normalizer::Nfkd),
    ("nfc-lowercase", Normalizer::NfcLowercase),
    ("bert-uncased", Normalizer::Bert(Bert::UNCASED)),
    ("bert-cased", Normalizer::Bert(Bert::CASED)),
];

impl Normalizer {
    /// The names that a user may write, but for lists of options.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The normaliser of this name.
    pub fn from_name(name: &str) -> Option<Normalizer> {
        if let Some((_, normalizer)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Some(*normalizer);
        }
        let mut bert = Bert { clean: false, cjk: false, ..Bert::CASED };
        for option in name.strip_prefix("bert:")?.split(',').filter(|option| !option.is_empty()) {
            match option {
                "clean" => bert.clean = true,
                "cjk" => bert.cjk = true,
                "strip_accents" => bert.strip_accents = true,
                "lowercase" => bert.lowercase = true,
                _ => return None,
            }
        }
        Some(Normalizer::Bert(bert))
    }

    /// Its name.
    pub fn name(self) -> String {
        let known = NAMES.iter().find(|(_, normalizer)| *normalizer == self);
        match (known, self) {
            (Some((name, _)), _) => (*name).to_owned(),
            (None, Normalizer::Bert(bert)) => {
                let Bert { clean, cjk, strip_accents, lowercase } = bert;
                let options = [
                    (clean, "clean"),
                    (cjk, "cjk"),
                    (strip_accents, "strip_accents"),
                    (lowercase, "lowercase"),
                ];
                let on: Vec<&str> = options.iter().filter(|(on, _)| *on).map(|(_, n)| *n).collect();
                format!("bert:{}", on.join(","))
            }
            // All others are in the list.
            (None, _) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_normaliser_has_a_name_that_leads_back_to_it() {
        for (name, normalizer) in NAMES {
            assert_eq!(
                (normalizer.name(), Normalizer::from_name(name)),
                (name.into(), Some(normalizer))
            );
        }
        for choice in 0..16 {
            let on = |bit: u32| choice >> bit & 1 == 1;
            let normalizer = Normalizer::Bert(Bert {
                clean: on(0),
                cjk: on(1),
                strip_accents: on(2),
                lowercase: on(3),
            });
            assert_eq!(Normalizer::from_name(&normalizer.name()), Some(normalizer));
        }
        let lower = Normalizer::from_name("bert:lowercase,clean").unwrap();
        assert_eq!(lower.name(), "bert:clean,lowercase");
        let wrong = ["", "bert", "bert:upper", "NFC", "bert-uncased,v1"];
        assert!(wrong.iter().all(|name| Normalizer::from_name(name).is_none()));
    }
}
