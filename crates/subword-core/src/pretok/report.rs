/*!
How a pattern runs, for people: on blocks, as an automaton, or by a backtracking engine, and why.
*/

use super::compile::Compiled;
use super::rules::{Contractions, Digits, Marks, Rules, Tail, Words};
use super::{Kind, Scanner, Splitter, collect_regexes};
use crate::error::Result;
use crate::model::{Named, Pattern};

/// How a pattern runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternReport {
    /// The name of the pattern that gives the same pieces.
    pub name: Option<&'static str>,
    /// `blocks`, `automaton`, `scanner`, `backtracking`, or `whole` for the pattern that cuts nothing.
    pub runs: &'static str,
    /// Why it does not run faster.
    pub reason: Option<String>,
    /// Whether several threads may share one text.
    pub shared: bool,
    /// What the blocks do, one sentence each.
    pub rules: Vec<String>,
}

impl PatternReport {
    /// Makes a pattern ready and says how it runs.
    pub fn new(pattern: &Pattern) -> Result<PatternReport> {
        let splitter = Splitter::new(pattern)?;
        let mut regexes = Vec::new();
        collect_regexes(pattern, &mut regexes);
        let mut report = PatternReport {
            name: Named::from_regexes(&regexes).map(Named::name),
            runs: "blocks",
            reason: None,
            shared: splitter.cuts(),
            rules: Vec::new(),
        };
        match &splitter.kind {
            Kind::Whole => (report.runs, report.name) = ("whole", Some(Named::None.name())),
            Kind::Regexes(_) => {
                let refused = regexes.iter().find_map(|regex| Compiled::plain(&[*regex]).err());
                report.runs = if refused.is_some() { "backtracking" } else { "automaton" };
                report.reason = refused.or_else(|| Compiled::new(&regexes).err());
            }
            Kind::Scanner(scanner) => match scanner.rules() {
                Some(rules) => {
                    report.rules = rules.sentences();
                    let same = |named: &Named| Rules::of(*named) == Some(rules);
                    let known = || Named::ALL.into_iter().find(same).map(Named::name);
                    report.name = report.name.or_else(known);
                }
                None => report.plain(scanner),
            },
        }
        Ok(report)
    }

    fn plain(&mut self, scanner: &Scanner) {
        match scanner {
            Scanner::Compiled(compiled) => {
                let (kinds, states) = compiled.size();
                self.runs = "automaton";
                self.reason = Some(format!(
                    "it cuts like none of the patterns that run on blocks ({kinds} kinds of characters, {states} states)"
                ));
            }
            Scanner::Bert => {}
            _ => self.runs = "scanner",
        }
    }
}

impl Rules {
    /// The rules, one sentence each.
    fn sentences(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut say = |sentence: &str| all.push(sentence.to_owned());
        if self.han_apart {
            say("a run of Han characters is a piece");
        }
        if self.words == Words::Deepseek {
            say("Chinese and Japanese are cut out first");
        }
        say(match self.words {
            Words::AfterSpace => "a word takes a space before it",
            Words::AfterAny => {
                "a word takes one character before it that is no letter, number or line break"
            }
            Words::AfterAnyByCase => {
                "a word takes one character before it that is no letter, number or line break, and ends before a \
                 capital letter after a small one"
            }
            Words::Deepseek => {
                "a word takes white space before it, or ASCII punctuation if its letters are ASCII too"
            }
        });
        match self.contractions {
            Contractions::None => {}
            Contractions::Exact => say("contractions such as 's are known in small letters"),
            Contractions::AnyCase => say("contractions such as 's are known in any case"),
        }
        say(match self.marks {
            Marks::Symbols => "combining marks are symbols",
            Marks::Words => "combining marks are letters",
            Marks::Both => "combining marks are letters in words and symbols among symbols",
        });
        let most;
        let digits = match self.digits {
            Digits::AfterSpace => "a run of digits takes a space before it",
            Digits::Any => "a run of digits is a piece",
            Digits::UpTo(1) => "every digit is a piece",
            Digits::UpTo(n) => {
                most = format!("up to {n} digits are a piece");
                &most
            }
        };
        match self.digits_first {
            true => say(&format!("{digits}, and the text ends before it")),
            false => say(digits),
        }
        match self.tail {
            Tail::None => {}
            Tail::Newlines => say("a run of symbols takes the line breaks after it"),
            Tail::NewlinesAndSlashes => {
                say("a run of symbols takes the line breaks and slashes after it")
            }
        }
        all
    }
}
