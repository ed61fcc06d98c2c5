//! Gates over literals of a SAT solver, with constants folded and equal gates shared.
//!
//! A literal is a non-zero integer as in DIMACS; [`TRUE`] is a variable that is asserted once.

use super::Callback;
use cadical::Solver;
use rustc_hash::FxHashMap;

pub type Lit = i32;

pub const TRUE: Lit = 1;
pub const FALSE: Lit = -1;

#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

pub struct Gates {
    pub sat: Solver<Callback>,
    variables: i32,
    shared: FxHashMap<Gate, Lit>,
}

impl Gates {
    pub fn new() -> Gates {
        let mut gates = Gates { sat: Solver::new(), variables: 1, shared: FxHashMap::default() };
        gates.clause(&[TRUE]);
        gates
    }

    pub fn variables(&self) -> i32 {
        self.variables
    }

    pub fn fresh(&mut self) -> Lit {
        self.variables += 1;
        self.variables
    }

    pub fn clause(&mut self, literals: &[Lit]) {
        self.sat.add_clause(literals.iter().copied());
    }

    /// The gate's output, made once.
    fn gate(&mut self, gate: Gate, define: impl FnOnce(&mut Gates, Lit)) -> Lit {
        if let Some(&lit) = self.shared.get(&gate) {
            return lit;
        }
        let out = self.fresh();
        self.shared.insert(gate, out);
        define(self, out);
        out
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == FALSE || b == FALSE || a == -b {
            return FALSE;
        }
        if a == TRUE || a == b {
            return b;
        }
        if b == TRUE {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        self.gate(Gate::And(a, b), |g, out| {
            g.clause(&[-out, a]);
            g.clause(&[-out, b]);
            g.clause(&[out, -a, -b]);
        })
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        -self.and(-a, -b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match () {
            _ if a == FALSE => return b,
            _ if b == FALSE => return a,
            _ if a == TRUE => return -b,
            _ if b == TRUE => return -a,
            _ if a == b => return FALSE,
            _ if a == -b => return TRUE,
            _ => {}
        }
        let flip = (a < 0) != (b < 0);
        let (a, b) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        let out = self.gate(Gate::Xor(a, b), |g, out| {
            g.clause(&[-out, a, b]);
            g.clause(&[-out, -a, -b]);
            g.clause(&[out, -a, b]);
            g.clause(&[out, a, -b]);
        });
        if flip {
            -out
        } else {
            out
        }
    }

    pub fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        match () {
            _ if c == TRUE || a == b => return a,
            _ if c == FALSE => return b,
            _ if a == -b => return self.xor(c, b),
            _ if a == TRUE || a == c => return self.or(c, b),
            _ if a == FALSE || a == -c => return self.and(-c, b),
            _ if b == TRUE || b == -c => return self.or(-c, a),
            _ if b == FALSE || b == c => return self.and(c, a),
            _ => {}
        }
        let (c, a, b) = if c < 0 { (-c, b, a) } else { (c, a, b) };
        let flip = a < 0;
        let (a, b) = if flip { (-a, -b) } else { (a, b) };
        let out = self.gate(Gate::Mux(c, a, b), |g, out| {
            g.clause(&[-c, -a, out]);
            g.clause(&[-c, a, -out]);
            g.clause(&[c, -b, out]);
            g.clause(&[c, b, -out]);
            // Implied, and worth having for propagation.
            g.clause(&[-a, -b, out]);
            g.clause(&[a, b, -out]);
        });
        if flip {
            -out
        } else {
            out
        }
    }

    /// At least two of three: the carry of an adder.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
            match () {
                _ if x == TRUE => return self.or(y, z),
                _ if x == FALSE => return self.and(y, z),
                _ if x == y => return x,
                _ if x == -y => return z,
                _ => {}
            }
        }
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        self.gate(Gate::Majority(a, b, c), |g, out| {
            for (x, y) in [(a, b), (a, c), (b, c)] {
                g.clause(&[-x, -y, out]);
                g.clause(&[x, y, -out]);
            }
        })
    }

    pub fn and_all(&mut self, literals: &[Lit]) -> Lit {
        match literals {
            [] => return TRUE,
            [a] => return *a,
            [a, b] => return self.and(*a, *b),
            _ => {}
        }
        let mut some: Vec<Lit> = literals.iter().copied().filter(|&l| l != TRUE).collect();
        some.sort_unstable_by_key(|l| (l.abs(), *l));
        some.dedup();
        if some.contains(&FALSE) || some.windows(2).any(|w| w[0] == -w[1]) {
            return FALSE;
        }
        if some.len() <= 2 {
            return self.and_all(&some);
        }
        let out = self.fresh();
        for &l in &some {
            self.clause(&[-out, l]);
        }
        let mut last: Vec<Lit> = some.iter().map(|l| -l).collect();
        last.push(out);
        self.clause(&last);
        out
    }

    pub fn or_all(&mut self, literals: &[Lit]) -> Lit {
        let negated: Vec<Lit> = literals.iter().map(|l| -l).collect();
        -self.and_all(&negated)
    }
}
