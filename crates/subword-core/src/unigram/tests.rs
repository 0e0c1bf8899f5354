use super::*;
use crate::model::Score;
use crate::testing::Random;

/// The definition: tokens are looked up in the vocabulary, and all ways to a place are compared.
fn plain(vocab: &Vocab, options: &UnigramOptions, piece: &str) -> Vec<TokenId> {
    let unk = options.unk.unwrap();
    let places: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
    let mut best: Vec<Option<(f64, usize, TokenId)>> = vec![None; places.len()];
    best[0] = Some((0.0, 0, 0));
    for start in 0..places.len() - 1 {
        let so_far = best[start].unwrap().0;
        let mut reach = |end: usize, id: TokenId, score: f64| {
            if best[end].is_none_or(|known| so_far + score > known.0) {
                best[end] = Some((so_far + score, start, id));
            }
        };
        for end in start + 1..places.len() {
            if let Some(id) = vocab.id_of(&piece.as_bytes()[places[start]..places[end]]) {
                reach(end, id, options.scores[id as usize].value());
            }
        }
        if vocab.id_of(&piece.as_bytes()[places[start]..places[start + 1]]).is_none() {
            reach(start + 1, unk, options.lowest() - 10.0);
        }
    }
    let (mut path, mut at) = (Vec::new(), places.len() - 1);
    while at > 0 {
        let (_, start, id) = best[at].unwrap();
        path.push((id, places[start], places[at]));
        at = start;
    }
    path.reverse();
    let runs = path.chunk_by(|a, b| a.0 == unk && b.0 == unk);
    runs.flat_map(|run| {
        let text = &piece[run[0].1..run[run.len() - 1].2];
        let byte = |byte: u8| vocab.id_of(format!("<0x{byte:02X}>").as_bytes());
        let bytes = text.bytes().map(byte).collect::<Option<Vec<_>>>();
        match (vocab.id_of(text.as_bytes()), bytes) {
            (Some(id), _) => vec![id],
            (None, Some(bytes)) if options.byte_fallback => bytes,
            _ => vec![run[0].0],
        }
    })
    .collect()
}

#[test]
fn random_models_give_the_tokens_of_the_definition() {
    let mut random = Random::new(3);
    let characters: Vec<char> = "aab▁c中é😀".chars().collect();
    let mut scratch = UnigramScratch::default();
    for _ in 0..400 {
        let mut vocab = Vocab::default();
        let mut scores = Vec::new();
        let mut add = |token: &str, score: f64| {
            if vocab.insert(scores.len() as TokenId, token.as_bytes()).is_ok() {
                scores.push(Score::new(score).unwrap());
            }
        };
        add("<unk>", 0.0);
        for _ in 0..random.below(30) {
            let len = 1 + random.below(4);
            let token: String = (0..len).map(|_| characters[random.below(7)]).collect();
            add(&token, -(random.below(30) as f64) / 10.0);
        }
        let byte_fallback = random.below(2) == 0;
        for byte in 0..=255u8 {
            if random.below(20) > 0 {
                add(&format!("<0x{byte:02X}>"), -1.0);
            }
        }
        let options =
            UnigramOptions { scores, unk: Some(0), byte_fallback, ..UnigramOptions::default() };
        let model = Unigram::new(&vocab, &options);
        for _ in 0..20 {
            let len = random.below(14);
            let piece: String = (0..len).map(|_| characters[random.below(8)]).collect();
            let mut ids = Vec::new();
            let each = |id, _| {
                ids.push(id);
                Ok(())
            };
            model.encode(&vocab, &piece, &mut scratch, each).unwrap();
            assert_eq!(ids, plain(&vocab, &options, &piece), "{piece:?}");
        }
    }
}
