/*!
Where the tokens stand in a word: at every place the longest one that starts there, in linear time.

An Aho-Corasick automaton over the tokens, read backwards. Walking through a word from its end, the
state at a place is the longest stretch from there on that some token ends with; the longest token
that starts at the place is known for every state, and from each token the next shorter one that
starts where it starts. For the tokens `a`, `ab`, `b`, `bab`:

```text
        a   b   a   b
    <-  ab  bab ab  b           the longest token that starts here
        a   b   a               the next shorter one
```

Why not a trie that is walked from every place: a token of a thousand times `a` and a text of as many
would be a thousand steps for every byte.
*/

/// What tokens are made of: bytes, and the mark.
pub(super) type Symbol = u16;

/// The mark at the end of a word.
pub(super) const MARK: Symbol = 256;

/// No token.
pub(super) const NONE: u32 = u32::MAX;

const ROOT: u32 = 0;

#[derive(Debug)]
pub(super) struct Automaton {
    nodes: Vec<AutomatonNode>,
    /// How one gets to a node from its parent. Children lie side by side, by rising symbol.
    symbols: Vec<Symbol>,
    /// The children of the root.
    first: Box<[u32; MARK as usize + 1]>,
}

#[derive(Debug, Clone, Copy)]
struct AutomatonNode {
    children: (u32, u32),
    /// The node of the longest proper end of what this one stands for.
    fail: u32,
    /// The longest token that this one ends with, read backwards.
    longest: u32,
}

impl Automaton {
    /// Takes tokens as symbols in reverse, all different, and gives for each the next shorter one that
    /// starts where it starts.
    pub(super) fn new(keys: &[Vec<Symbol>]) -> (Automaton, Vec<u32>) {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| keys[a as usize].cmp(&keys[b as usize]));
        let key = |at: usize| &keys[order[at] as usize];

        let root = AutomatonNode { children: (1, 1), fail: ROOT, longest: NONE };
        let mut automaton =
            Automaton { nodes: vec![root], symbols: vec![0], first: Box::new([ROOT; 257]) };
        let mut shorter = vec![NONE; keys.len()];
        // For every node its parent, the keys that go through it, and how many symbols they share.
        let mut ranges = vec![(ROOT, 0, keys.len(), 0)];
        // INVARIANT: nodes come by rising depth, so that where `fail` leads to is complete.
        let mut at = 0;
        while let Some(&(parent, start, end, depth)) = ranges.get(at) {
            let node = at as u32;
            let fail = if depth < 2 { ROOT } else { automaton.fail_of(parent, node) };
            let mut longest = automaton.nodes[fail as usize].longest;
            let mut from = start;
            if from < end && depth > 0 && key(from).len() == depth {
                let token = order[from];
                shorter[token as usize] = longest;
                longest = token;
                from += 1;
            }
            let first_child = automaton.nodes.len() as u32;
            while from < end {
                let symbol = key(from)[depth];
                let more = (from..end).take_while(|&at| key(at)[depth] == symbol).count();
                ranges.push((node, from, from + more, depth + 1));
                automaton.nodes.push(root);
                automaton.symbols.push(symbol);
                from += more;
            }
            let children = (first_child, automaton.nodes.len() as u32);
            automaton.nodes[at] = AutomatonNode { children, fail, longest };
            if node == ROOT {
                for child in children.0..children.1 {
                    automaton.first[usize::from(automaton.symbols[child as usize])] = child;
                }
            }
            at += 1;
        }
        (automaton, shorter)
    }

    /// Where a node fails to, which is deeper than a child of the root.
    fn fail_of(&self, parent: u32, node: u32) -> u32 {
        self.next(self.nodes[parent as usize].fail, self.symbols[node as usize])
    }

    /// The state before anything is read.
    pub(super) fn start(&self) -> u32 {
        ROOT
    }

    /// The state after one more symbol.
    #[inline]
    pub(super) fn next(&self, mut state: u32, symbol: Symbol) -> u32 {
        while state != ROOT {
            let AutomatonNode { children: (from, to), fail, .. } = self.nodes[state as usize];
            let children = &self.symbols[from as usize..to as usize];
            if let Ok(child) = children.binary_search(&symbol) {
                return from + child as u32;
            }
            state = fail;
        }
        self.first[usize::from(symbol)]
    }

    /// The longest token that starts where the state has come to, or [`NONE`].
    #[inline]
    pub(super) fn longest(&self, state: u32) -> u32 {
        self.nodes[state as usize].longest
    }
}
