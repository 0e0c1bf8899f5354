/*!
A binary heap of numbers, in an order that the caller decides, and that it may change.

```text
heap[0] is before all others; heap[i] is before heap[2 * i + 1] and heap[2 * i + 2]
```

The standard library's heap compares its items alone, and cannot move one whose key has changed. Here `before` looks
up what the numbers stand for, and `placed` is called with every number that moves and its new place, so that the
caller finds it again.
*/

/// Moves the item at a place towards the front, as far as it is before others; returns its new place.
#[inline]
pub(super) fn rise(
    heap: &mut [u32],
    mut at: usize,
    before: impl Fn(u32, u32) -> bool,
    mut placed: impl FnMut(u32, usize),
) -> usize {
    let item = heap[at];
    while at > 0 && before(item, heap[(at - 1) / 2]) {
        heap[at] = heap[(at - 1) / 2];
        placed(heap[at], at);
        at = (at - 1) / 2;
    }
    heap[at] = item;
    placed(item, at);
    at
}

/// Moves the item at a place towards the end, as far as others are before it.
#[inline]
pub(super) fn sink(
    heap: &mut [u32],
    mut at: usize,
    before: impl Fn(u32, u32) -> bool,
    mut placed: impl FnMut(u32, usize),
) {
    let Some(&item) = heap.get(at) else { return };
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            break;
        }
        child += usize::from(child + 1 < heap.len() && before(heap[child + 1], heap[child]));
        if !before(heap[child], item) {
            break;
        }
        heap[at] = heap[child];
        placed(heap[at], at);
        at = child;
    }
    heap[at] = item;
    placed(item, at);
}
