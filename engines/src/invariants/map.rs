//! A persistent map from small numbers: a tree of sixteen branches whose parts are shared between versions. Joining two
//! versions costs as much as they differ, which is what makes a state per block affordable.

use std::rc::Rc;

const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

#[derive(Clone)]
enum Node<T> {
    Leaf([Option<T>; FAN]),
    Inner([Option<Rc<Node<T>>>; FAN]),
}

type Link<T> = Option<Rc<Node<T>>>;

/// Keys are below the bound given to [`Map::new`].
pub(super) struct Map<T> {
    root: Link<T>,
    /// Inner levels above the leaves.
    levels: u32,
}

impl<T> Clone for Map<T> {
    fn clone(&self) -> Map<T> {
        Map { root: self.root.clone(), levels: self.levels }
    }
}

impl<T: Clone + PartialEq> Map<T> {
    pub fn new(bound: usize) -> Map<T> {
        let mut levels = 0;
        while (FAN << (BITS * levels)) < bound {
            levels += 1;
        }
        Map { root: None, levels }
    }

    /// Whether both are one version; equal maps may be different ones.
    pub fn same(&self, other: &Map<T>) -> bool {
        same(&self.root, &other.root)
    }

    pub fn get(&self, key: u32) -> Option<&T> {
        let mut node = self.root.as_deref()?;
        let mut level = self.levels;
        loop {
            let at = slot(key, level);
            match node {
                Node::Leaf(cells) => return cells[at].as_ref(),
                Node::Inner(links) => node = links[at].as_deref()?,
            }
            level -= 1;
        }
    }

    pub fn set(&mut self, key: u32, value: T) {
        let mut link = &mut self.root;
        let mut level = self.levels;
        loop {
            let empty = || match level {
                0 => Rc::new(Node::Leaf(Default::default())),
                _ => Rc::new(Node::Inner(Default::default())),
            };
            let at = slot(key, level);
            match Rc::make_mut(link.get_or_insert_with(empty)) {
                Node::Leaf(cells) => {
                    cells[at] = Some(value);
                    return;
                }
                Node::Inner(links) => link = &mut links[at],
            }
            level -= 1;
        }
    }

    /// Empty nodes stay; they cost little and vanish in the next join.
    pub fn remove(&mut self, key: u32) {
        if self.get(key).is_none() {
            return;
        }
        let mut link = &mut self.root;
        let mut level = self.levels;
        while let Some(node) = link {
            let at = slot(key, level);
            match Rc::make_mut(node) {
                Node::Leaf(cells) => {
                    cells[at] = None;
                    return;
                }
                Node::Inner(links) => link = &mut links[at],
            }
            level = level.saturating_sub(1);
        }
    }

    /// The map whose entries `f` makes of both maps' entries. Parts that are one version are taken as they are, so `f`
    /// must map equal entries to themselves, and two absent ones to none. The result is `self`'s version if it equals it.
    pub fn merge(&self, other: &Map<T>, f: &mut impl FnMut(u32, Option<&T>, Option<&T>) -> Option<T>) -> Map<T> {
        Map { root: merge(&self.root, &other.root, self.levels, 0, f), levels: self.levels }
    }

    pub fn for_each(&self, mut f: impl FnMut(u32, &T)) {
        let mut stack: Vec<(&Node<T>, u32)> = self.root.as_deref().map(|n| (n, 0)).into_iter().collect();
        while let Some((node, base)) = stack.pop() {
            match node {
                Node::Leaf(cells) => {
                    (base << BITS..).zip(cells).for_each(|(key, cell)| cell.iter().for_each(|value| f(key, value)));
                }
                Node::Inner(links) => {
                    stack.extend((base << BITS..).zip(links).filter_map(|(base, link)| Some((link.as_deref()?, base))))
                }
            }
        }
    }
}

fn slot(key: u32, level: u32) -> usize {
    (key >> (BITS * level)) as usize & (FAN - 1)
}

fn same<T>(a: &Link<T>, b: &Link<T>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => Rc::ptr_eq(a, b),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Recurses to the depth of the tree, which is eight at most.
fn merge<T: Clone + PartialEq>(
    a: &Link<T>,
    b: &Link<T>,
    level: u32,
    base: u32,
    f: &mut impl FnMut(u32, Option<&T>, Option<&T>) -> Option<T>,
) -> Link<T> {
    if same(a, b) {
        return a.clone();
    }
    if level == 0 {
        let cells = |link: &'_ Link<T>, at: usize| match link.as_deref() {
            Some(Node::Leaf(cells)) => cells[at].clone(),
            Some(Node::Inner(_)) | None => None,
        };
        let mut result: [Option<T>; FAN] = Default::default();
        let (mut is_a, mut empty) = (a.is_some(), true);
        for (at, place) in result.iter_mut().enumerate() {
            let (x, y) = (cells(a, at), cells(b, at));
            if x.is_none() && y.is_none() {
                continue;
            }
            *place = f((base << BITS) + at as u32, x.as_ref(), y.as_ref());
            is_a &= *place == x;
            empty &= place.is_none();
        }
        return if is_a { a.clone() } else { (!empty).then(|| Rc::new(Node::Leaf(result))) };
    }
    let none = None;
    let child = |link: &'_ Link<T>, at: usize| match link.as_deref() {
        Some(Node::Inner(links)) => links[at].clone(),
        Some(Node::Leaf(_)) | None => none.clone(),
    };
    let mut result: [Link<T>; FAN] = Default::default();
    let (mut is_a, mut empty) = (a.is_some(), true);
    for (at, place) in result.iter_mut().enumerate() {
        let (x, y) = (child(a, at), child(b, at));
        *place = merge(&x, &y, level - 1, (base << BITS) + at as u32, f);
        is_a &= same(place, &x);
        empty &= place.is_none();
    }
    if is_a {
        a.clone()
    } else {
        (!empty).then(|| Rc::new(Node::Inner(result)))
    }
}
