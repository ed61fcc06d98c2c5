//! Polynomials over bit-vectors of one width, the ring in which closed forms are found and confirmed: addition and
//! multiplication wrap, so an identity between two normal forms is one of all bit-vectors.
//!
//! An atom is a term of the polynomial's width or of a larger one, of which the low bits count; two atoms stand for the
//! number of iterations n and for n(n-1)/2.

use crate::logic::{Node, Term, TermStore};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;
use syncline_ir::{BinOp, UnOp};

/// Products of more atoms are not followed.
const MAX_DEGREE: usize = 3;
/// Nor sums of more products.
const MAX_TERMS: usize = 64;

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Atom {
    Term(Term),
    /// n, the number of iterations.
    Count,
    /// n(n-1)/2, of which the low bits are those of the integer.
    Pairs,
}

/// A sum of products; no coefficient is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poly {
    pub width: u32,
    terms: BTreeMap<Vec<Atom>, u128>,
}

fn low(width: u32, bits: u128) -> u128 {
    bits & (u128::MAX >> (128 - width))
}

impl Poly {
    pub fn constant(width: u32, bits: u128) -> Poly {
        let mut poly = Poly { width, terms: BTreeMap::new() };
        poly.add_term(Vec::new(), bits);
        poly
    }

    pub fn atom(width: u32, atom: Atom) -> Poly {
        Poly { width, terms: BTreeMap::from([(vec![atom], 1)]) }
    }

    fn add_term(&mut self, product: Vec<Atom>, coefficient: u128) {
        let old = self.terms.get(&product).copied().unwrap_or(0);
        match low(self.width, old.wrapping_add(coefficient)) {
            0 => drop(self.terms.remove(&product)),
            sum => drop(self.terms.insert(product, sum)),
        }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The low bits.
    pub fn truncate(&self, width: u32) -> Poly {
        let mut poly = Poly { width, terms: BTreeMap::new() };
        self.terms.iter().for_each(|(p, &c)| poly.add_term(p.clone(), c));
        poly
    }

    pub fn add(&self, other: &Poly) -> Poly {
        let mut sum = self.clone();
        other.terms.iter().for_each(|(p, &c)| sum.add_term(p.clone(), c));
        sum
    }

    pub fn scale(&self, factor: u128) -> Poly {
        let mut scaled = Poly { width: self.width, terms: BTreeMap::new() };
        self.terms.iter().for_each(|(p, &c)| scaled.add_term(p.clone(), c.wrapping_mul(factor)));
        scaled
    }

    pub fn sub(&self, other: &Poly) -> Poly {
        self.add(&other.scale(u128::MAX))
    }

    /// The product, if it is not too large.
    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly { width: self.width, terms: BTreeMap::new() };
        for (a, &x) in &self.terms {
            for (b, &y) in &other.terms {
                let mut atoms: Vec<Atom> = a.iter().chain(b).copied().collect();
                atoms.sort_unstable();
                if atoms.len() > MAX_DEGREE {
                    return None;
                }
                product.add_term(atoms, x.wrapping_mul(y));
            }
        }
        (product.terms.len() <= MAX_TERMS).then_some(product)
    }

    /// Whether only constants and terms occur: nothing that depends on n.
    pub fn is_free_of_count(&self) -> bool {
        self.terms.keys().flatten().all(|a| matches!(a, Atom::Term(_)))
    }

    /// With n + 1 in the place of n.
    pub fn next(&self) -> Option<Poly> {
        let width = self.width;
        let one = Poly::constant(width, 1);
        let mut sum = Poly::constant(width, 0);
        for (product, &c) in &self.terms {
            let mut value = Poly::constant(width, c);
            for &atom in product {
                let factor = match atom {
                    Atom::Term(_) => Poly::atom(width, atom),
                    Atom::Count => Poly::atom(width, Atom::Count).add(&one),
                    Atom::Pairs => Poly::atom(width, Atom::Pairs).add(&Poly::atom(width, Atom::Count)),
                };
                value = value.mul(&factor)?;
            }
            sum = sum.add(&value);
        }
        Some(sum)
    }

    /// If it is `a + c n` with a constant `c`: that, as a signed number, not 0.
    pub fn slope(&self) -> Option<i128> {
        let dependent = self.terms.keys().filter(|p| p.iter().any(|a| !matches!(a, Atom::Term(_))));
        let mut slope = 0;
        for product in dependent {
            if product[..] != [Atom::Count] {
                return None;
            }
            slope = self.terms[product];
        }
        (slope != 0).then(|| signed(self.width, slope))
    }

    /// Without the products that depend on n.
    pub fn start(&self) -> Poly {
        let free = |p: &Vec<Atom>| p.iter().all(|a| matches!(a, Atom::Term(_)));
        let terms = self.terms.iter().filter(|(p, _)| free(p)).map(|(p, &c)| (p.clone(), c)).collect();
        Poly { width: self.width, terms }
    }

    /// As a term, where n is this one (at least as wide).
    pub fn term(&self, store: &mut TermStore, count: Term) -> Term {
        let width = self.width;
        let mut sum = store.bv(width, 0);
        for (product, &c) in &self.terms {
            let mut value = store.bv(width, 1);
            for &atom in product {
                let factor = match atom {
                    Atom::Term(t) => t,
                    Atom::Count => count,
                    Atom::Pairs => pairs(store, count),
                };
                let factor = cut(store, factor, width);
                value = store.bin(BinOp::Mul, value, factor);
            }
            // A small difference is one.
            let negative = signed(width, c) < 0 && !product.is_empty();
            let (op, c) = if negative { (BinOp::Sub, c.wrapping_neg()) } else { (BinOp::Add, c) };
            let c = store.bv(width, c);
            let value = store.bin(BinOp::Mul, c, value);
            sum = store.bin(op, sum, value);
        }
        sum
    }

    /// In words: `x + 2*n`.
    pub fn describe(&self, store: &TermStore) -> String {
        let mut text = String::new();
        let mut products: Vec<_> = self.terms.iter().collect();
        products.sort_by_key(|(p, _)| (p.is_empty(), p.iter().any(|a| !matches!(a, Atom::Term(_)))));
        for (product, &c) in products {
            let c = signed(self.width, c);
            let sign = match (c < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            let factors = product.iter().map(|a| match *a {
                Atom::Term(t) => store.as_symbol(t).map_or("?".into(), |s| store.symbol_name(s).to_string()),
                Atom::Count => "n".into(),
                Atom::Pairs => "n*(n-1)/2".into(),
            });
            let number = (c.unsigned_abs() != 1 || product.is_empty()).then(|| c.unsigned_abs().to_string());
            let factors: Vec<String> = number.into_iter().chain(factors).collect();
            let _ = write!(text, "{sign}{}", factors.join("*"));
        }
        if text.is_empty() {
            text.push('0');
        }
        text
    }
}

/// The bits read as a signed number.
pub fn signed(width: u32, bits: u128) -> i128 {
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

/// The low bits of a term.
pub fn cut(store: &mut TermStore, t: Term, width: u32) -> Term {
    if store.width(t) == width {
        t
    } else {
        store.extract(width - 1, 0, t)
    }
}

/// n(n-1)/2 without losing the bit that the division needs: one of the factors is even, and is halved.
fn pairs(store: &mut TermStore, n: Term) -> Term {
    let width = store.width(n);
    let one = store.bv(width, 1);
    let before = store.bin(BinOp::Sub, n, one);
    let low = store.extract(0, 0, n);
    let bit = store.bv(1, 1);
    let odd = store.eq(low, bit);
    let halved = |store: &mut TermStore, t: Term| store.bin(BinOp::LShr, t, one);
    let (half_n, half_before) = (halved(store, n), halved(store, before));
    let a = store.ite(odd, n, half_n);
    let b = store.ite(odd, half_before, before);
    store.bin(BinOp::Mul, a, b)
}

/// Makes polynomials of terms.
pub struct Reader<'s, F> {
    pub store: &'s TermStore,
    /// What stands for a symbol: `None` if the symbol stands for itself, the inner `None` if nothing can be said of it.
    pub of: F,
    memo: FxHashMap<(Term, u32), Option<Poly>>,
}

impl<'s, F: Fn(Term) -> Option<Option<Poly>>> Reader<'s, F> {
    pub fn new(store: &'s TermStore, of: F) -> Reader<'s, F> {
        Reader { store, of, memo: FxHashMap::default() }
    }

    /// The low bits of a term.
    pub fn read(&mut self, t: Term, width: u32) -> Option<Poly> {
        if let Some(known) = self.memo.get(&(t, width)) {
            return known.clone();
        }
        let poly = self.read_node(t, width);
        self.memo.insert((t, width), poly.clone());
        poly
    }

    fn read_node(&mut self, t: Term, width: u32) -> Option<Poly> {
        let store = self.store;
        if let Some(bits) = store.as_bits(t) {
            return Some(Poly::constant(width, bits));
        }
        match store.node(t) {
            Node::Var(_) => match (self.of)(t) {
                None => Some(Poly::atom(width, Atom::Term(t))),
                Some(known) => known.filter(|p| p.width >= width).map(|p| p.truncate(width)),
            },
            Node::Bin(BinOp::Add, a, b) => Some(self.read(a, width)?.add(&self.read(b, width)?)),
            Node::Bin(BinOp::Sub, a, b) => Some(self.read(a, width)?.sub(&self.read(b, width)?)),
            Node::Bin(BinOp::Mul, a, b) => self.read(a, width)?.mul(&self.read(b, width)?),
            Node::Bin(BinOp::Shl, a, b) => match store.as_bits(b) {
                Some(by) if by < 128 => Some(self.read(a, width)?.scale(1 << by)),
                _ => self.opaque(t, width),
            },
            Node::Un(UnOp::BvNeg, a) => Some(Poly::constant(width, 0).sub(&self.read(a, width)?)),
            Node::Un(UnOp::BvNot, a) => Some(Poly::constant(width, u128::MAX).sub(&self.read(a, width)?)),
            Node::Un(UnOp::ZExt(_) | UnOp::SExt(_), a) if store.width(a) >= width => self.read(a, width),
            Node::Un(UnOp::Extract { lo: 0, .. }, a) => self.read(a, width),
            Node::Bin(BinOp::Concat, _, b) if store.width(b) >= width => self.read(b, width),
            Node::Const(_) | Node::Un(..) | Node::Bin(..) | Node::Ite(..) | Node::Store(..) => self.opaque(t, width),
        }
    }

    /// A term by itself, if nothing in it changes.
    fn opaque(&mut self, t: Term, width: u32) -> Option<Poly> {
        let fixed = self.store.symbols_of(&[t]).into_iter().all(|s| (self.of)(self.store.symbol_term(s)).is_none());
        fixed.then(|| Poly::atom(width, Atom::Term(t)))
    }
}
