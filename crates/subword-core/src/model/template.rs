/*!
The ids that are put around a text, and around and between two texts, where the caller asks for it.

```text
one text    [CLS] A [SEP]               types 0 0 0
two texts   [CLS] A [SEP] B [SEP]       types 0 0 0 1 1
```

A type tells a network which of two texts a token belongs to.
*/

use crate::error::{Error, Result};
use crate::types::TokenId;

/// How many ids a template may have.
const MAX_IDS: usize = 1024;

/// The ids around a text, and around and between two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// For one text: [`Content::First`] once.
    pub single: Vec<TemplateSlot>,
    /// For two texts: [`Content::First`] and [`Content::Second`] once each.
    pub pair: Vec<TemplateSlot>,
}

/// One place of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplateSlot {
    /// What stands there.
    pub content: Content,
    /// The type of each of its ids.
    pub type_id: u32,
}

/// What stands in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// One token.
    Token(TokenId),
    /// The text, of two the first.
    First,
    /// The second text.
    Second,
}

impl Default for Template {
    fn default() -> Self {
        Template::around(&[], &[])
    }
}

impl Template {
    /// These ids before and after every text: of two, the second has type 1, and so have the ids
    /// around it.
    pub fn around(prefix: &[TokenId], suffix: &[TokenId]) -> Template {
        let sides = |content, type_id| {
            let ids = |ids: &[TokenId]| ids.iter().map(|&id| Content::Token(id)).collect();
            let contents: [Vec<Content>; 3] = [ids(prefix), vec![content], ids(suffix)];
            contents.into_iter().flatten().map(move |content| TemplateSlot { content, type_id })
        };
        let single = sides(Content::First, 0);
        let pair = sides(Content::First, 0).chain(sides(Content::Second, 1));
        Template { single: single.collect(), pair: pair.collect() }
    }

    /// BERT's: `[CLS] A [SEP]`, and `[CLS] A [SEP] B [SEP]` with type 1 from `B` on.
    pub fn bert(cls: TokenId, sep: TokenId) -> Template {
        let mut template = Template::around(&[cls], &[sep]);
        template.pair.remove(3);
        template
    }

    /// RoBERTa's: `<s> A </s>`, and `<s> A </s> </s> B </s>`; every type is 0.
    pub fn roberta(cls: TokenId, sep: TokenId) -> Template {
        let mut template = Template::around(&[cls], &[sep]);
        template.pair[3].content = Content::Token(sep);
        template.pair.iter_mut().for_each(|slot| slot.type_id = 0);
        template
    }

    /// The ids before one text, and those after it.
    pub fn sides(&self) -> (Vec<TokenId>, Vec<TokenId>) {
        let id = |slot: &TemplateSlot| match slot.content {
            Content::Token(id) => Some(id),
            Content::First | Content::Second => None,
        };
        let mut sides = self.single.split(|slot| slot.content == Content::First);
        let mut side = || sides.next().unwrap_or_default().iter().filter_map(id).collect();
        (side(), side())
    }

    /// Every id that it uses.
    pub fn ids(&self) -> impl Iterator<Item = TokenId> {
        self.single.iter().chain(&self.pair).filter_map(|slot| match slot.content {
            Content::Token(id) => Some(id),
            Content::First | Content::Second => None,
        })
    }

    /// The same with other ids.
    pub(crate) fn renumbered(&self, number: impl Fn(TokenId) -> TokenId) -> Template {
        let mut template = self.clone();
        for slot in template.single.iter_mut().chain(&mut template.pair) {
            if let Content::Token(id) = &mut slot.content {
                *id = number(*id);
            }
        }
        template
    }

    /// An error if a text is missing or there twice, or if there are too many ids.
    pub(crate) fn check(&self) -> Result<()> {
        let forms = [("one text", &self.single, 0), ("two texts", &self.pair, 1)];
        for (form, slots, second) in forms {
            let count = |content| slots.iter().filter(|slot| slot.content == content).count();
            for (name, content, expected) in
                [("A", Content::First, 1), ("B", Content::Second, second)]
            {
                let found = count(content);
                if found != expected {
                    return Err(Error::format(format!(
                        "the template for {form} needs the text {name} {expected} times, found {found}"
                    )));
                }
            }
            if slots.len() > MAX_IDS {
                let message = format!("expected a template of at most {MAX_IDS} ids, found more");
                return Err(Error::format(message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template as it is written by hand.
    fn shown(slots: &[TemplateSlot]) -> String {
        let slot = |slot: &TemplateSlot| {
            let content = match slot.content {
                Content::Token(id) => id.to_string(),
                Content::First => "A".to_owned(),
                Content::Second => "B".to_owned(),
            };
            format!("{content}:{}", slot.type_id)
        };
        slots.iter().map(slot).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_known_templates() {
        let bert = Template::bert(101, 102);
        assert_eq!(shown(&bert.single), "101:0 A:0 102:0");
        assert_eq!(shown(&bert.pair), "101:0 A:0 102:0 B:1 102:1");
        let roberta = Template::roberta(0, 2);
        assert_eq!(shown(&roberta.single), "0:0 A:0 2:0");
        assert_eq!(shown(&roberta.pair), "0:0 A:0 2:0 2:0 B:0 2:0");
        assert_eq!(shown(&Template::default().pair), "A:0 B:1");
        assert_eq!(shown(&Template::around(&[1, 2], &[3]).pair), "1:0 2:0 A:0 3:0 1:1 2:1 B:1 3:1");
        assert_eq!(Template::around(&[1, 2], &[3]).sides(), (vec![1, 2], vec![3]));
    }

    #[test]
    fn each_text_is_there_once() {
        let refused = |single: usize, pair: usize| {
            let mut template = Template::bert(1, 2);
            template.single.truncate(single);
            template.pair.truncate(pair);
            template.check().map_err(|error| error.to_string())
        };
        assert_eq!(refused(3, 5), Ok(()));
        let needs = |form: &str, text: &str| {
            Err(format!("the template for {form} needs the text {text} 1 times, found 0"))
        };
        assert_eq!(refused(1, 5), needs("one text", "A"));
        assert_eq!(refused(3, 3), needs("two texts", "B"));
        let mut twice = Template::default();
        twice.single.push(TemplateSlot { content: Content::Second, type_id: 0 });
        assert_eq!(
            twice.check().unwrap_err().to_string(),
            "the template for one text needs the text B 0 times, found 1"
        );
        assert_eq!(
            Template::around(&[7; 1024], &[]).check().unwrap_err().to_string(),
            "expected a template of at most 1024 ids, found more"
        );
    }
}
