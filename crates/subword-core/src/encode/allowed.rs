/*!
What a caller allows in a text: the added tokens that are searched for, and what is refused before anything is encoded.
*/

use super::Plan;
use super::finders::{ChosenFinders, Finders};
use crate::error::{Error, Result};
use crate::special::Allowed;

impl Plan {
    /// Runs with the finders that a caller's choice asks for. Errors say where in the text they are.
    pub(crate) fn with_finders<R>(
        &self,
        allowed: &Allowed,
        texts: &[&[u8]],
        run: impl FnOnce(&Finders) -> Result<R>,
    ) -> Result<R> {
        texts.iter().try_for_each(|text| self.refuse(text, allowed))?;
        let chosen = self.chosen(allowed)?;
        run(chosen.get()).map_err(|error| self.with_position(error, texts, chosen.get()))
    }

    /// The finders that a caller's choice asks for.
    pub(crate) fn chosen(&self, allowed: &Allowed) -> Result<ChosenFinders<'_>> {
        match allowed {
            Allowed::Text | Allowed::Error => Ok(ChosenFinders::Kept(&self.always)),
            Allowed::All => Ok(ChosenFinders::Kept(&self.all)),
            Allowed::Only(contents) if contents.is_empty() => Ok(ChosenFinders::Kept(&self.always)),
            Allowed::Only(contents) => {
                self.selections.finders(&self.model, contents).map(ChosenFinders::Shared)
            }
        }
    }

    /// An error if the text has what cannot be encoded, or what the caller forbids.
    pub(crate) fn refuse(&self, text: &[u8], allowed: &Allowed) -> Result<()> {
        if !self.missing_bytes.is_empty() {
            self.refuse_missing_bytes(text)?;
        }
        if *allowed == Allowed::Error { self.refuse_special(text) } else { Ok(()) }
    }

    /// An error if the text has a byte that is no token.
    fn refuse_missing_bytes(&self, text: &[u8]) -> Result<()> {
        let missing = |byte: &u8| self.missing_bytes.contains(byte);
        match text.iter().position(missing) {
            Some(position) => {
                let message = format!("the model has no token for byte 0x{:02X}", text[position]);
                Err(Error::Text { message, position })
            }
            None => Ok(()),
        }
    }

    /// An error if the text spells a special token that is not always matched.
    fn refuse_special(&self, text: &[u8]) -> Result<()> {
        for finder in [&self.all.raw, &self.all.normal] {
            let mut at = 0;
            while let Some((token, start)) = finder.first(&text[at..]) {
                if !token.always {
                    let (token, position) = (token.content.clone(), at + start);
                    return Err(Error::SpecialToken { token, position });
                }
                at += start + token.content.len();
            }
        }
        Ok(())
    }
}
