//! The tree's bookkeeping, and the check at the end on trees that are not complete.

use super::lemmas::Lemmas;
use super::search::Search;
use super::tree::Tree;
use super::Config;
use crate::cuts::{Cut, CutSystem};
use crate::relation::{Coding, Cube, Literal, Relation};
use crate::task::{Context, Task};
use cranelift_entity::EntityRef;
use std::time::{Duration, Instant};
use syncline_ir::{read, Program};

fn cut(n: usize) -> Option<Cut> {
    Some(Cut::new(n))
}

/// The root and a path below it at these cuts.
fn path(cuts: &[usize]) -> (Tree, Vec<super::tree::NodeId>) {
    let mut tree = Tree::default();
    let mut nodes = vec![tree.add(None, None, Vec::new())];
    for &n in cuts {
        nodes.push(tree.add(nodes.last().copied(), cut(n), Vec::new()));
    }
    (tree, nodes)
}

fn drain(tree: &mut Tree) {
    while tree.dequeue().is_some() {}
}

#[test]
fn only_open_nodes_of_the_same_control_cover() {
    let (mut tree, n) = path(&[0, 1, 0, 0]);
    assert_eq!(tree.candidates(n[4]), vec![n[3], n[1]]);
    assert_eq!(tree.candidates(n[2]), vec![]);
    tree.cover(n[3], n[1]);
    assert!(tree.is_closed(n[4]), "a node below a covered one is closed");
    let (mut tree, n) = path(&[0, 0]);
    let other = tree.add(Some(n[0]), cut(0), Vec::new());
    tree.cover(n[2], n[1]);
    assert_eq!(tree.candidates(other), vec![n[1]], "a covered node covers nothing");
}

#[test]
fn nodes_with_other_vectors_do_not_cover() {
    let mut tree = Tree::default();
    let root = tree.add(None, None, Vec::new());
    let vector = |value| vec![Literal { bit: 0, value }];
    let first = tree.add(Some(root), cut(0), vector(true));
    let other = tree.add(Some(root), cut(0), vector(false));
    let same = tree.add(Some(root), cut(0), vector(true));
    assert_eq!(tree.candidates(other), vec![]);
    assert_eq!(tree.candidates(same), vec![first]);
}

#[test]
fn what_opens_again_is_queued_with_all_below_it() {
    let (mut tree, n) = path(&[0, 0, 1, 1]);
    for v in [n[0], n[1], n[2], n[3]] {
        tree.nodes[v].expanded = true;
    }
    tree.cover(n[2], n[1]);
    drain(&mut tree);
    tree.uncover(n[2]);
    assert_eq!(tree.dequeue(), Some(n[4]), "the leaf far below is to be looked at");
    assert_eq!(tree.dequeue(), None, "expanded nodes are not");
    assert_eq!((tree.uncovered, tree.requeued), (1, 1));
}

#[test]
fn a_node_that_closes_covers_no_more() {
    let (mut tree, n) = path(&[0, 1]);
    let covered = tree.add(Some(n[0]), cut(1), Vec::new());
    tree.cover(covered, n[2]);
    drain(&mut tree);
    let other = tree.add(Some(n[0]), cut(0), Vec::new());
    drain(&mut tree);
    // The cover's parent is covered: what the cover closed is open.
    tree.cover(n[1], other);
    assert_eq!(tree.covered_by(covered), None);
    assert_eq!(tree.dequeue(), Some(covered));

    let (mut tree, n) = path(&[0]);
    let covered = tree.add(Some(n[0]), cut(0), Vec::new());
    tree.cover(covered, n[1]);
    drain(&mut tree);
    let mut lemmas = Lemmas::default();
    let never = lemmas.number(Cube { cut: Cut::new(0), literals: Vec::new() });
    assert!(tree.strengthen(n[1], never, &lemmas));
    assert_eq!(tree.dequeue(), Some(covered), "a node with the label false covers nothing");
}

#[test]
fn labels_keep_the_strongest_lemmas() {
    let mut lemmas = Lemmas::default();
    let literal = |bit, value| Literal { bit, value };
    let mut number = |literals: &[Literal]| lemmas.number(Cube { cut: Cut::new(0), literals: literals.to_vec() });
    let (x, y) = (literal(0, true), literal(1, false));
    let (both, one) = (number(&[x, y]), number(&[y]));
    assert_eq!(number(&[x, y]), both, "equal lemmas are one");
    let (mut tree, n) = path(&[0]);
    assert!(tree.strengthen(n[1], both, &lemmas));
    assert!(tree.strengthen(n[1], one, &lemmas));
    assert!(!tree.strengthen(n[1], both, &lemmas));
    assert_eq!(tree.nodes[n[1]].label.lemmas(), [one]);
}

const PROGRAM: &str = "in0 = site \"x\": bool
    prop0 = assertion \"main.assertion.1\" \"\"
    var @s: bv8 = bv8 0
    entry main
    proc main {
    block0:
        jump block1
    block1:
        v0: bool = havoc in0
        branch v0, block2, block3
    block2:
        v1: bv8 = read @s
        v2 = const bv8 2
        v3: bv8 = add v1, v2
        write @s, v3
        jump block1
    block3:
        v4: bv8 = read @s
        v5 = const bv8 7
        v6: bool = eq v4, v5
        v7: bool = not v6
        assert prop0, v7
        return
    }";

/// The same, but it begins with any even number, and the loop goes on only with odd ones.
fn while_odd() -> String {
    let odd = "v8: bv8 = read @s
        v9 = const bv8 1
        v10: bv8 = bvand v8, v9
        v11: bool = eq v10, v9
        v12: bool = and v0, v11
        branch v12, block2, block3";
    let even = "block0:
        v13: bv8 = havoc in1
        v14: bv8 = add v13, v13
        write @s, v14";
    let text = PROGRAM.replace("branch v0, block2, block3", odd).replace("block0:", even);
    text.replace("prop0 =", "in1 = site \"y\": bv8\n    prop0 =")
}

fn program(text: &str) -> Program {
    read::program(text).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Whether the check at the end accepts what these steps have made of the tree.
fn accepted(steps: impl FnOnce(&mut Search)) -> bool {
    accepted_of(PROGRAM, steps)
}

fn accepted_of(text: &str, steps: impl FnOnce(&mut Search)) -> bool {
    searched(text, Config::default(), |search| {
        steps(search);
        search.check_complete().is_ok()
    })
}

/// What there is to say of a search that has not begun: the tree is its root.
fn searched<T>(text: &str, config: Config, steps: impl FnOnce(&mut Search) -> T) -> T {
    let program = program(text);
    let deadline = Instant::now() + Duration::from_secs(20);
    let context = Context::new(deadline, |_, _| {});
    let props: Vec<_> = program.props.keys().collect();
    let task = Task::new(&program, props.clone());
    let Ok(mut system) = CutSystem::new(&task, &props, deadline) else { panic!("the program has a system") };
    let relation = Relation::new(&mut system, props[0], &[], &[], Coding::Binary, &*context.solver, deadline);
    let mut search = Search::new(relation, config, &[], &context);
    let root = search.tree.add(None, None, Vec::new());
    search.tree.nodes[root].harmless = true;
    steps(&mut search)
}

#[test]
fn a_tree_that_is_not_complete_is_no_proof() {
    let expand = |search: &mut Search, node| search.expand(node).unwrap_or_else(|_| panic!("the solver answers"));
    // The root's child is neither expanded nor covered.
    assert!(!accepted(|search| expand(search, super::tree::NodeId::new(0))));
    let grown = |search: &mut Search| {
        for n in 0..2 {
            expand(search, super::tree::NodeId::new(n));
            search.tree.nodes[super::tree::NodeId::new(n)].harmless = true;
        }
    };
    let [first, second] = [1, 2].map(super::tree::NodeId::new);
    assert!(!accepted(grown), "the last node is open");
    assert!(accepted(|search| {
        grown(search);
        search.tree.cover(second, first);
    }));
    assert!(!accepted(|search| {
        grown(search);
        search.tree.cover(second, first);
        search.tree.nodes[first].harmless = false;
    }));
    assert!(
        !accepted(|search| {
            grown(search);
            search.tree.cover(second, first);
            let odd = Cube { cut: Cut::new(0), literals: vec![Literal { bit: 0, value: true }] };
            let even = search.lemmas.number(odd);
            let Search { tree, lemmas, .. } = search;
            tree.strengthen(first, even, lemmas);
        }),
        "the cover's label does not follow"
    );
    // From even numbers no run comes to the header again, so there is nothing to be expanded; but nobody has looked
    // whether something is violated from there.
    let looked = |at: bool| {
        accepted_of(&while_odd(), |search| {
            expand(search, super::tree::NodeId::new(0));
            let odd = Cube { cut: Cut::new(0), literals: vec![Literal { bit: 0, value: true }] };
            let even = search.lemmas.number(odd);
            search.add_lemma(first, even).unwrap_or_else(|_| panic!("the solver answers"));
            if at {
                expand(search, first);
                search.tree.nodes[first].harmless = true;
            }
        })
    };
    assert!(looked(true));
    assert!(!looked(false), "nobody has looked at the leaf");
}

/// From the header `s` becomes 3, 5 or 9.
const THREE_WAYS: &str = "in0 = site \"x\": bool
    in1 = site \"y\": bool
    prop0 = assertion \"main.assertion.1\" \"\"
    var @s: bv8 = bv8 0
    entry main
    proc main {
    block0:
        jump block1
    block1:
        v0: bool = havoc in0
        branch v0, block2, block3
    block2:
        v1 = const bv8 3
        write @s, v1
        jump block1
    block3:
        v2: bool = havoc in1
        branch v2, block4, block5
    block4:
        v3 = const bv8 5
        write @s, v3
        jump block1
    block5:
        v4: bv8 = read @s
        v5 = const bv8 5
        v6: bool = eq v4, v5
        v7: bool = not v6
        assert prop0, v7
        v8 = const bv8 9
        write @s, v8
        jump block1
    }";

/// Explicit control: a child for every valuation of the location variables that an edge leads to.
#[test]
fn an_edge_leads_to_all_its_vectors() {
    let config = Config { vectors: true, ..Config::default() };
    let children = searched(THREE_WAYS, config, |search| {
        let [root, first] = [0, 1].map(super::tree::NodeId::new);
        for node in [root, first] {
            search.expand(node).unwrap_or_else(|_| panic!("the solver answers"));
        }
        (search.tree.nodes[root].children.len(), search.tree.nodes[first].children.len())
    });
    assert_eq!(children, (1, 3));
}
