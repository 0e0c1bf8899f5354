//! The trainer learns what the definition says.

mod naive;

use super::*;
use crate::testing::Random;

fn words(pieces: &[(&[u8], Count)]) -> TrainingWords {
    let mut words = TrainingWords::default();
    for (piece, count) in pieces {
        words.push(piece.iter().map(|&byte| byte.into()), *count).unwrap();
    }
    words
}

/// The merges, why there are no more, the sources that were helped, the vocabulary.
type LearnedFacts = (Vec<LearnedMerge>, Stop, Vec<u32>, Vocab);

fn learn(words: &TrainingWords, vocab: &Vocab, rules: &MergeRules) -> LearnedFacts {
    let mut vocab = vocab.clone();
    let learned = super::learn(words.clone(), &mut vocab, rules, &mut |_| Ok(()), &mut ());
    let learned = learned.unwrap();
    (learned.merges, learned.stop, learned.helped, vocab)
}

/// The same, with many scans or none, wide or narrow cells, and several threads.
fn learn_otherwise(
    words: &TrainingWords,
    vocab: &Vocab,
    rules: &MergeRules,
    random: &mut Random,
) -> LearnedFacts {
    let (mut vocab, words) = (vocab.clone(), words.clone());
    let [first, next] = [1, 2].map(|least| least + random.below(3) as Count);
    let (thresholds, watch) = (by_count::Thresholds { first, next }, &mut |_| Ok(()));
    let rules = &MergeRules { threads: 1 + random.below(4), ..rules.clone() };
    let learned = match random.below(2) {
        0 => learn_in::<u16>(words, &mut vocab, rules, thresholds, watch, &mut ()),
        _ => learn_in::<u32>(words, &mut vocab, rules, thresholds, watch, &mut ()),
    };
    let learned = learned.unwrap();
    (learned.merges, learned.stop, learned.helped, vocab)
}

fn define(words: &TrainingWords, vocab: &Vocab, rules: &MergeRules) -> LearnedFacts {
    let mut vocab = vocab.clone();
    let (merges, stop, helped) = naive::train(words, &mut vocab, rules);
    (merges, stop, helped, vocab)
}

fn spelled(pieces: &[(&[u8], Count)], rules: &MergeRules) -> Vec<(String, Count, Count)> {
    let (merges, .., vocab) = learn(&words(pieces), &Vocab::bytes(), rules);
    let spell = |id| String::from_utf8_lossy(vocab.bytes_of(id).unwrap()).into_owned();
    let spell = |merge: &LearnedMerge| format!("{}+{}", spell(merge.pair.0), spell(merge.pair.1));
    merges.iter().map(|merge| (spell(merge), merge.count, merge.saved)).collect()
}

#[test]
fn the_most_frequent_pair_is_merged_first_and_of_equals_the_greatest() {
    let merges = spelled(&[(b"low", 5), (b"lower", 2)], &MergeRules::new(3, 256));
    let expected = [("o+w", 7, 7), ("l+ow", 7, 7), ("low+e", 2, 2)];
    assert_eq!(merges, expected.map(|(pair, count, saved)| (pair.into(), count, saved)));
    let rules = MergeRules { ties: Ties::SmallestIds, ..MergeRules::new(2, 256) };
    let merges = spelled(&[(b"low", 5), (b"lower", 2)], &rules);
    assert_eq!(merges, [("l+o".into(), 7, 7), ("lo+w".into(), 7, 7)]);
}

#[test]
fn overlapping_pairs_count_but_merge_once() {
    let merges = spelled(&[(b"aaaaa", 1)], &MergeRules::new(9, 256));
    let expected = [("a+a", 4, 2), ("aa+aa", 1, 1), ("aaaa+a", 1, 1)];
    assert_eq!(merges, expected.map(|(pair, count, saved)| (pair.into(), count, saved)));
    let merges = spelled(&[(b"bnanana", 3)], &MergeRules::new(2, 256));
    assert_eq!(merges, [("n+a".into(), 9, 9), ("na+na".into(), 6, 3)]);
}

#[test]
fn every_token_may_stand_beside_a_merge() {
    // Two letters, as in DNA there are four: `ab` stands behind each token, a gap and itself.
    let mut words = TrainingWords::default();
    let ab = |piece: &[u8]| piece.iter().map(|byte| TokenId::from(byte - b'a')).collect::<Vec<_>>();
    for (piece, count) in [(&b"abaabbabab"[..], 3), (b"ab", 2), (b"bab", 2), (b"babbaab", 1)] {
        words.push(ab(piece), count).unwrap();
    }
    let vocab = Vocab::new([(0, &b"a"[..]), (1, b"b")]).unwrap();
    for ties in [Ties::Greatest, Ties::SmallestIds] {
        let rules = MergeRules { ties, ..MergeRules::new(9, 2) };
        assert_eq!(learn(&words, &vocab, &rules), define(&words, &vocab, &rules));
    }
}

#[test]
fn it_learns_what_the_definition_says() {
    let mut random = Random::new(1);
    for round in 0..500 {
        let letters = 1 + random.below(5);
        let longest = 1 + random.below(if round % 10 == 0 { 80 } else { 14 });
        let mut pieces = Vec::new();
        for _ in 0..random.below(40) {
            let len = 1 + random.below(longest);
            let piece: Vec<u8> = (0..len).map(|_| b'a' + random.below(letters) as u8).collect();
            let most = [1, 3, 50, 1000][random.below(4)];
            pieces.push((piece, random.below(most + 1) as Count));
        }
        // Few tokens and many are scanned in different ways.
        let first = [0, 400][random.below(2)];
        let mut words = TrainingWords::default();
        let sources = [0, 0, 1, 2, 5][random.below(5)];
        for share in pieces.chunks(pieces.len() / sources.max(1) + 1) {
            let mut source = TrainingWords::default();
            for (piece, count) in share {
                let token = |&byte: &u8| first + TokenId::from(byte);
                source.push(piece.iter().map(token), *count).unwrap();
            }
            words.push_source(&source).unwrap();
        }
        let sizes = words.sources().into_iter().map(|_| 1 + random.below(100) as u64);
        let sizes = if sources == 0 { Vec::new() } else { sizes.collect() };
        let rules = MergeRules {
            tokens: [usize::MAX, random.below(30)][random.below(2)],
            ties: [Ties::Greatest, Ties::SmallestIds][random.below(2)],
            min_count: random.below(4) as Count,
            max_length: [None, None, Some(1 + random.below(6))][random.below(3)],
            sizes,
            ..MergeRules::new(random.below(60), 256)
        };
        let all: Vec<u8> = (0..=255).collect();
        let mut vocab = Vocab::new((first..).zip(all.chunks(1))).unwrap();
        if round % 3 == 0 {
            // Tokens that merges will make, so that they make them again.
            for id in first + 300..first + 310 {
                let len = 2 + random.below(4);
                let token: Vec<u8> = (0..len).map(|_| b'a' + random.below(letters) as u8).collect();
                let _ = vocab.insert(id, &token);
            }
        }
        let rules = MergeRules { next: vocab.id_limit(), ..rules };
        let expected = define(&words, &vocab, &rules);
        let others = [0; 3].map(|_| learn_otherwise(&words, &vocab, &rules, &mut random));
        for found in [learn(&words, &vocab, &rules)].iter().chain(&others) {
            assert_eq!(found.0, expected.0, "round {round}: {pieces:?} {rules:?}");
            assert_eq!((found.1, &found.2), (expected.1, &expected.2), "round {round}");
            assert!(found.3.iter().eq(expected.3.iter()), "round {round}");
        }
    }
}

#[test]
fn counts_may_be_larger_than_32_bits() {
    let merges = spelled(&[(b"ab", 1 << 40), (b"cd", (1 << 40) + 1)], &MergeRules::new(2, 256));
    let expected = [("c+d", (1 << 40) + 1), ("a+b", 1 << 40)];
    assert_eq!(merges, expected.map(|(pair, count)| (pair.into(), count, count)));
    let mut words = words(&[(b"aaa", 1 << 61)]);
    assert_eq!(
        words.push([97], 1 << 61).unwrap_err().to_string(),
        "the pieces have more than 9223372036854775807 tokens in all, each as often as it occurs"
    );
}

#[test]
fn no_number_of_threads_changes_anything() {
    let mut random = Random::new(5);
    let mut words = TrainingWords::default();
    for _ in 0..400 {
        let piece: Vec<TokenId> =
            (0..1 + random.below(30)).map(|_| random.below(4) as TokenId).collect();
        words.push(piece, [1, 1, 2, 70][random.below(4)]).unwrap();
    }
    let vocab = Vocab::new((0..).zip([&b"a"[..], b"b", b"c", b"d"])).unwrap();
    let rules = MergeRules::new(300, 4);
    let expected = define(&words, &vocab, &rules);
    for threads in [1, 2, 3, 16] {
        let found = learn(&words, &vocab, &MergeRules { threads, ..rules.clone() });
        assert_eq!((&found.0, found.1), (&expected.0, expected.1), "{threads} threads");
    }
}

/// The letters of words, `#` among them: the first as it is, the others with a prefix.
fn letters_with(prefix: &str, first: TokenId) -> Vocab {
    let letters = ["a", "b", "c", "d", "#"];
    let inner = letters.map(|letter| format!("{prefix}{letter}"));
    let all = letters.iter().copied().chain(inner.iter().map(String::as_str));
    let mut vocab = Vocab::new([]).unwrap();
    for token in all {
        if vocab.id_of(token.as_bytes()).is_none() {
            let next = vocab.id_limit().max(first);
            vocab.insert(next, token.as_bytes()).unwrap();
        }
    }
    vocab
}

#[test]
fn words_with_a_prefix_learn_what_the_definition_says() {
    let mut random = Random::new(2);
    for round in 0..400 {
        let prefix = ["##", "", "a", "#"][random.below(4)];
        let vocab = letters_with(prefix, [0, 5, 400][random.below(3)]);
        let letters = 1 + random.below(5);
        let (mut words, mut pieces) = (TrainingWords::default(), Vec::new());
        for _ in 0..random.below(40) {
            let (len, most) = (1 + random.below(9), [2, 4, 50, 1000][random.below(4)]);
            let letter = |_| ["a", "b", "c", "#", "d"][random.below(letters)];
            let word: Vec<&str> = (0..len).map(letter).collect();
            let count = random.below(most) as Count;
            let token = |(at, letter): (usize, &&str)| {
                let prefix = if at > 0 { prefix } else { "" };
                vocab.id_of(format!("{prefix}{letter}").as_bytes()).unwrap()
            };
            words.push(word.iter().enumerate().map(token), count).unwrap();
            pieces.push((word.concat(), count));
        }
        let rules = MergeRules {
            tokens: random.below(40),
            ties: Ties::SmallestIds,
            score: [Score::Count, Score::Likelihood][random.below(2)],
            min_count: random.below(4) as Count,
            max_length: [None, Some(1 + random.below(6))][random.below(2)],
            lengths: vec![1; vocab.id_limit() as usize],
            prefix: prefix.into(),
            forbidden: [vec![], vec![b"ab".to_vec(), b"##ab".to_vec(), b"#".to_vec()]]
                [random.below(2)]
            .clone(),
            ..MergeRules::new(usize::MAX, vocab.id_limit())
        };
        let rules = MergeRules { threads: 1 + random.below(3), ..rules };
        let (found, expected) = (learn(&words, &vocab, &rules), define(&words, &vocab, &rules));
        assert_eq!(found.0, expected.0, "round {round}: {pieces:?} {rules:?}");
        assert_eq!(found.1, expected.1, "round {round}: {pieces:?} {rules:?}");
        assert!(found.3.iter().eq(expected.3.iter()), "round {round}");
    }
}

#[test]
fn a_likelihood_of_large_counts_is_exact() {
    // 2^60 / (2^60 * 2^60) against (2^60 - 1) / (2^60 * (2^60 - 1)): equal, and less by a hair.
    let large = 1 << 59;
    let rules = MergeRules { score: Score::Likelihood, ..MergeRules::new(2, 256) };
    let merges = spelled(&[(b"ab", large), (b"cd", large - 1), (b"c", 1)], &rules);
    let expected = [("a+b", large, large), ("c+d", large - 1, large - 1)];
    assert_eq!(merges, expected.map(|(pair, count, saved)| (pair.into(), count, saved)));
    let merges = spelled(&[(b"ab", large), (b"cd", large - 1)], &rules);
    assert_eq!(merges[0].0, "c+d");
}
