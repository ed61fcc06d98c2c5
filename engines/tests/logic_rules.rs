//! The rewrites that matter for C, one by one; deep terms; arrays through the solver stack.

use rustc_hash::FxHashMap;
use syncline_engines::logic::{default_solver, Answer, Core, Limits, Node, Solver, Symbol, Term, TermStore, Z3Solver};
use syncline_ir::{BinOp, Const, Scalar, Type, UnOp};

fn symbols<const N: usize>(s: &mut TermStore, ty: Type) -> [Term; N] {
    [(); N].map(|()| s.new_symbol("x", ty))
}

#[test]
fn conditions_of_c_are_conditions() {
    let mut s = TermStore::new();
    let [c, d] = symbols(&mut s, Type::BOOL);
    let (one, zero) = (s.bv(32, 1), s.bv(32, 0));
    let flag = s.ite(c, one, zero);
    let is_zero = s.eq(flag, zero);
    assert_eq!(s.not(is_zero), c);
    assert_eq!(s.eq(flag, one), c);
    let other = s.ite(d, one, zero);
    let both = s.bin(BinOp::BvAnd, flag, other);
    let holds = s.eq(both, one);
    assert_eq!(holds, s.and(c, d));
    // A finite state: the test of a value is a formula over the conditions.
    let (seven, nine) = (s.bv(32, 7), s.bv(32, 9));
    let inner = s.ite(d, nine, zero);
    let state = s.ite(c, seven, inner);
    let at = s.eq(state, nine);
    let expected = s.not(c);
    assert_eq!(at, s.and(expected, d));
    let next = s.add(state, one);
    let eight = s.bv(32, 8);
    assert_eq!(s.eq(next, eight), c);
}

#[test]
fn promotions_are_undone() {
    let mut s = TermStore::new();
    let [x, y] = symbols(&mut s, Type::bv(8));
    let (wide, other) = (s.un(UnOp::ZExt(32), x), s.un(UnOp::ZExt(32), y));
    let one = s.bv(32, 1);
    let sum = s.add(wide, one);
    let narrow = s.extract(7, 0, sum);
    let one8 = s.bv(8, 1);
    assert_eq!(narrow, s.add(x, one8));
    let below = s.bin(BinOp::Slt, wide, other);
    assert_eq!(below, s.bin(BinOp::Ult, x, y));
    let bound = s.bv(32, 300);
    assert_eq!(s.bin(BinOp::Slt, wide, bound), s.tt());
    let (signed, limit) = (s.un(UnOp::SExt(32), x), s.bv(32, (-5i128) as u128));
    let above = s.bin(BinOp::Slt, signed, limit);
    let limit8 = s.bv(8, 251);
    assert_eq!(above, s.bin(BinOp::Slt, x, limit8));
    let k = s.bv(32, 77);
    let k8 = s.bv(8, 77);
    assert_eq!(s.eq(wide, k), s.eq(x, k8));
}

#[test]
fn sums_and_guards() {
    let mut s = TermStore::new();
    let [x] = symbols(&mut s, Type::bv(32));
    let (a, b, c) = (s.bv(32, 5), s.bv(32, 7), s.bv(32, 12));
    let sum = s.add(x, a);
    let sum = s.add(sum, b);
    assert_eq!(sum, s.add(x, c));
    let zero = s.bv(32, 0);
    assert_eq!(s.eq(sum, c), s.eq(x, zero));
    assert_eq!(s.bin(BinOp::Sub, sum, x), c);
    // Two branches join to the guard before them.
    let [g, p] = symbols(&mut s, Type::BOOL);
    let then = s.and(g, p);
    let not = s.not(p);
    let other = s.and(g, not);
    assert_eq!(s.or(then, other), g);
    assert_eq!(s.and(then, not), s.ff());
    let (at, at_other) = (s.eq(x, a), s.eq(x, b));
    assert_eq!(s.and(at, at_other), s.ff());
}

#[test]
fn reads_see_through_writes() {
    let mut s = TermStore::new();
    let ty = Type::Array { index: 32, elem: Scalar::Bv(8) };
    let [a] = symbols(&mut s, ty);
    let [i] = symbols(&mut s, Type::bv(32));
    let [v, w] = symbols(&mut s, Type::bv(8));
    let one = s.bv(32, 1);
    let j = s.add(i, one);
    let b = s.store(a, i, v);
    let c = s.store(b, j, w);
    assert_eq!(s.select(c, i), v);
    assert_eq!(s.select(c, j), w);
    let [p] = symbols(&mut s, Type::BOOL);
    let joined = s.ite(p, b, a);
    let old = s.select(a, i);
    let value = s.ite(p, v, old);
    assert_eq!(joined, s.store(a, i, value));
}

/// Hundreds of thousands of levels: construction, evaluation, replacement, translation.
#[test]
fn deep_terms_need_no_stack() {
    let mut s = TermStore::new();
    let [x, y] = symbols(&mut s, Type::bv(32));
    let mut t = x;
    for _ in 0..300_000 {
        let product = s.bin(BinOp::BvXor, t, y);
        t = s.add(product, x);
    }
    let xs = s.as_symbol(x).unwrap();
    let model: FxHashMap<Symbol, Const> = [(xs, Const::bv(32, 3))].into_iter().collect();
    assert_eq!(s.eval(t, &model), Const::bv(32, 3 * 300_001));
    assert_eq!(s.dag_size(&[t]), 600_002);
    assert_eq!(s.symbols_of(&[t]).len(), 2);
    let zero = s.bv(32, 0);
    assert_eq!(s.substitute(t, [(xs, zero), (s.as_symbol(y).unwrap(), zero)]), zero);
    let mut deep_guard = s.tt();
    for k in 0..20_000u128 {
        let fresh = s.new_symbol("c", Type::BOOL);
        let c = s.bv(32, k);
        let at = s.eq(x, c);
        let either = s.or(fresh, at);
        deep_guard = s.and(deep_guard, either);
    }
    let mut solver = default_solver();
    assert_eq!(solver.check(&mut s, &[deep_guard], &Limits::default()), Answer::Sat);
    assert_eq!(solver.model_value(&s, deep_guard), Const::TRUE);
}

/// Linked array symbols, read before and after the link, on both ways to treat arrays.
#[test]
fn array_links_hold_now_and_later() {
    let solvers: [Box<dyn Solver>; 2] = [default_solver(), Box::new(Z3Solver::new(Core::General))];
    for mut solver in solvers {
        let mut s = TermStore::new();
        let ty = Type::Array { index: 8, elem: Scalar::Bv(8) };
        let [a, p, q] = symbols(&mut s, ty);
        let [i, j, v] = symbols(&mut s, Type::bv(8));
        let [g] = symbols(&mut s, Type::BOOL);
        let limits = Limits::default();
        // Read before anything is known of p.
        let early = s.select(p, i);
        let at_v = s.eq(early, v);
        let not_v = s.not(at_v);
        assert_eq!(solver.check(&mut s, &[not_v], &limits), Answer::Sat);
        let written = s.store(a, i, v);
        solver.assert_array_eq(&mut s, g, p, written);
        assert_eq!(solver.check(&mut s, &[not_v], &limits), Answer::Sat);
        assert_eq!(solver.check(&mut s, &[g, not_v], &limits), Answer::Unsat);
        assert_eq!(solver.core().len(), 2);
        // A chain, read later at another index.
        let tt = s.tt();
        solver.assert_array_eq(&mut s, tt, q, p);
        let (late, base) = (s.select(q, j), s.select(a, j));
        let (same_index, same) = (s.eq(i, j), s.eq(late, base));
        let (other_index, differs) = (s.not(same_index), s.not(same));
        assert_eq!(solver.check(&mut s, &[g, other_index, differs], &limits), Answer::Unsat);
        assert_eq!(solver.check(&mut s, &[g, same_index, differs], &limits), Answer::Sat);
        for t in [g, same_index, differs] {
            assert_eq!(solver.model_value(&s, t), Const::TRUE);
        }
        // Values of whole arrays respect the links, in cells nobody asked for too.
        let (vp, vq) = (solver.model_value(&s, p), solver.model_value(&s, q));
        assert_eq!(vp, vq);
        assert_eq!(vp, solver.model_value(&s, written));
    }
}

#[test]
fn checks_end_on_time_and_on_demand() {
    let mut s = TermStore::new();
    // The square of a sum, multiplied out: no solver for bits sees that the two are equal.
    let [a, b] = symbols(&mut s, Type::bv(40));
    let sum = s.add(a, b);
    let square = s.bin(BinOp::Mul, sum, sum);
    let (aa, ab, bb) = (s.bin(BinOp::Mul, a, a), s.bin(BinOp::Mul, a, b), s.bin(BinOp::Mul, b, b));
    let (left, right) = (s.add(aa, ab), s.add(ab, bb));
    let expanded = s.add(left, right);
    let same = s.eq(square, expanded);
    let hard = s.not(same);
    let mut solver = default_solver();
    solver.assert(&mut s, hard);
    let start = std::time::Instant::now();
    let limits = Limits::until(start + std::time::Duration::from_millis(300));
    assert_eq!(solver.check(&mut s, &[], &limits), Answer::Unknown("timeout".into()));
    let stop = solver.interrupt_handle();
    let thread = std::thread::spawn(move || {
        // Longer than the timeout of the check before, which must not linger.
        std::thread::sleep(std::time::Duration::from_millis(800));
        stop();
    });
    assert_eq!(solver.check(&mut s, &[], &Limits::default()), Answer::Unknown("interrupted".into()));
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
    thread.join().unwrap();
    let after = solver.interrupt_handle();
    drop(solver);
    after();
}

#[test]
fn constants_of_any_size_are_found() {
    let mut s = TermStore::new();
    let mut array = syncline_ir::ArrayConst::filled(32, Const::bv(32, 0));
    (0..2000u128).for_each(|i| array.set(i, Const::bv(32, i * i % 1009)));
    let table = s.constant_term(Const::Array(array.clone()));
    let [i] = symbols(&mut s, Type::bv(32));
    let read = s.select(table, i);
    assert!(matches!(s.node(read), Node::Bin(BinOp::Select, ..)));
    let wanted = s.bv(32, 4);
    let hit = s.eq(read, wanted);
    let far = s.bv(32, 10);
    let late = s.bin(BinOp::Ult, far, i);
    let mut solver = default_solver();
    assert_eq!(solver.check(&mut s, &[hit, late], &Limits::default()), Answer::Sat);
    let index = solver.model_value(&s, i).as_bits().unwrap();
    assert!(index > 10 && *array.get(index) == Const::bv(32, 4));
}
