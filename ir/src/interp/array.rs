//! Arrays of the running program: a radix tree over the low indices and a persistent map for the rest.
//!
//! A copy shares everything. A store into an array that nobody shares happens in place; otherwise it copies one path of
//! small nodes. So both `store` on a variable and chains of `update` after SSA construction stay cheap, and memory
//! grows with the cells touched, not with the index type. Cells are raw bits (see [`crate::eval::to_bits`]).

use crate::consts::{ArrayConst, Const};
use crate::eval;
use crate::types::Scalar;
use rpds::RedBlackTreeMap;
use std::rc::Rc;

/// Indices a level of the tree resolves: 16 cells or children in a node.
const LEVEL_BITS: u32 = 4;
const FANOUT: usize = 1 << LEVEL_BITS;
/// Indices from here on live in the map: a lone cell high up would need a long path of nodes.
const TREE_LIMIT: u128 = 1 << 24;

#[derive(Clone)]
enum Node {
    Cells([u128; FANOUT]),
    /// A missing child holds the default everywhere.
    Children([Option<Rc<Node>>; FANOUT]),
}

/// An array; `Default` gives the one of zeros.
#[derive(Clone, Default)]
pub(super) struct Array {
    default: u128,
    /// The levels of the tree: it covers the indices below `FANOUT^height`.
    height: u32,
    low: Option<Rc<Node>>,
    high: RedBlackTreeMap<u128, u128>,
}

impl Array {
    pub(super) fn from_const(array: &ArrayConst) -> Array {
        let mut result = Array { default: eval::to_bits(array.default_cell()), ..Array::default() };
        for (index, cell) in array.cells() {
            result.set(index, eval::to_bits(cell));
        }
        result
    }

    pub(super) fn to_const(&self, index: u32, elem: Scalar) -> ArrayConst {
        let mut result = ArrayConst::filled(index, eval::from_bits(elem, self.default));
        let mut put = |at: u128, bits: u128| {
            if bits != self.default {
                let cell: Const = eval::from_bits(elem, bits);
                result.set(at, cell);
            }
        };
        let mut pending: Vec<(u128, u32, &Node)> = self.low.iter().map(|n| (0, self.height, &**n)).collect();
        while let Some((first, height, node)) = pending.pop() {
            match node {
                Node::Cells(cells) => (first..).zip(cells).for_each(|(at, &bits)| put(at, bits)),
                Node::Children(children) => {
                    for (n, child) in (0u128..).zip(children) {
                        if let Some(child) = child {
                            pending.push((first + (n << (LEVEL_BITS * (height - 1))), height - 1, child));
                        }
                    }
                }
            }
        }
        self.high.iter().for_each(|(&at, &bits)| put(at, bits));
        result
    }

    #[inline]
    pub(super) fn get(&self, index: u128) -> u128 {
        if index >= TREE_LIMIT {
            return self.high.get(&index).copied().unwrap_or(self.default);
        }
        let index = index as u32;
        let Some(mut node) = self.low.as_ref() else { return self.default };
        if index >> (LEVEL_BITS * self.height) != 0 {
            return self.default;
        }
        let mut shift = LEVEL_BITS * self.height;
        loop {
            shift -= LEVEL_BITS;
            let digit = (index >> shift) as usize % FANOUT;
            match &**node {
                Node::Cells(cells) => return cells[digit],
                Node::Children(children) => match &children[digit] {
                    Some(child) => node = child,
                    None => return self.default,
                },
            }
        }
    }

    pub(super) fn set(&mut self, index: u128, bits: u128) {
        if index >= TREE_LIMIT {
            if bits == self.default {
                self.high.remove_mut(&index);
            } else {
                self.high.insert_mut(index, bits);
            }
            return;
        }
        let index = index as u32;
        self.cover(index);
        let mut shift = LEVEL_BITS * self.height;
        let default = self.default;
        let mut node = self.low.get_or_insert_with(|| Rc::new(empty_node(shift, default)));
        loop {
            shift -= LEVEL_BITS;
            let digit = (index >> shift) as usize % FANOUT;
            match Rc::make_mut(node) {
                Node::Cells(cells) => {
                    cells[digit] = bits;
                    return;
                }
                Node::Children(children) => {
                    node = children[digit].get_or_insert_with(|| Rc::new(empty_node(shift, default)));
                }
            }
        }
    }

    /// Puts levels on top until the tree covers the index.
    fn cover(&mut self, index: u32) {
        self.height = self.height.max(1);
        while index >> (LEVEL_BITS * self.height) != 0 {
            if let Some(root) = self.low.take() {
                let mut children = [const { None }; FANOUT];
                children[0] = Some(root);
                self.low = Some(Rc::new(Node::Children(children)));
            }
            self.height += 1;
        }
    }
}

/// A node over `shift` index bits in which every cell is the default.
fn empty_node(shift: u32, default: u128) -> Node {
    if shift <= LEVEL_BITS {
        Node::Cells([default; FANOUT])
    } else {
        Node::Children([const { None }; FANOUT])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn agrees_with_a_map_and_copies_stay_apart() {
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            u128::from(seed >> 24)
        };
        let mut array = Array { default: 7, ..Array::default() };
        let mut model = BTreeMap::new();
        let mut old: Vec<(Array, BTreeMap<u128, u128>)> = Vec::new();
        for step in 0..20_000 {
            let width = [3, 6, 10, 17, 25, 40][(random() % 6) as usize];
            let (index, value) = (random() % (1 << width), random() % 10);
            array.set(index, value);
            model.insert(index, value);
            let probe = random() % (1 << width);
            assert_eq!(array.get(probe), model.get(&probe).copied().unwrap_or(7));
            if step % 1000 == 0 {
                old.push((array.clone(), model.clone()));
            }
        }
        for (array, model) in old {
            let constant = array.to_const(64, Scalar::Bv(64));
            let cells: Vec<_> = constant.cells().map(|(i, c)| (i, eval::to_bits(c))).collect();
            let expected: Vec<_> = model.into_iter().filter(|(_, v)| *v != 7).collect();
            assert_eq!(cells, expected);
            let again = Array::from_const(&constant);
            assert!(expected.iter().all(|(i, v)| again.get(*i) == *v));
            assert_eq!(again.get(1 << 60), 7);
        }
    }
}
