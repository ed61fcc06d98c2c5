//! Dominators, frontiers and loops against their definitions, on random control flow.

use crate::generator::{self, Rng};
use syncline_ir::analysis::{cut_points, Cfg, Component, Dominators, LoopId, LoopNest};
use syncline_ir::*;

fn procedures() -> impl Iterator<Item = Procedure> {
    (0..800).flat_map(|seed| generator::program(&mut Rng::new(seed)).procs.into_iter().map(|(_, p)| p))
}

/// Blocks that can be reached from the entry without entering `removed`.
fn reachable_without(proc: &Procedure, removed: Option<Block>) -> Vec<bool> {
    let mut seen = vec![false; proc.blocks.len()];
    let mut stack = vec![proc.entry];
    while let Some(block) = stack.pop() {
        if Some(block) != removed && !std::mem::replace(&mut seen[block.as_u32() as usize], true) {
            stack.extend(proc.successors(block).map(|t| t.block));
        }
    }
    seen
}

#[test]
fn dominators_are_the_blocks_one_cannot_avoid() {
    for proc in procedures() {
        let dom = Dominators::compute(&proc);
        let all = reachable_without(&proc, None);
        for a in proc.blocks.keys().filter(|b| all[b.as_u32() as usize]) {
            let without = reachable_without(&proc, Some(a));
            for b in proc.blocks.keys().filter(|b| all[b.as_u32() as usize]) {
                assert_eq!(dom.dominates(a, b), !without[b.as_u32() as usize], "{a} {b}");
            }
        }
    }
}

#[test]
fn frontiers_are_where_dominance_ends() {
    for proc in procedures() {
        let cfg = Cfg::compute(&proc);
        let dom = Dominators::of(proc.entry, &cfg);
        let frontiers = dom.frontiers(&cfg);
        for &a in cfg.rpo() {
            let ends = |&&b: &&Block| {
                let strictly = a != b && dom.dominates(a, b);
                !strictly && cfg.preds(b).iter().any(|&p| dom.dominates(a, p))
            };
            let expected: Vec<Block> = cfg.rpo().iter().filter(ends).copied().collect();
            assert_eq!(frontiers[a], expected);
        }
    }
}

/// Blocks in the order of the nest, with the loops each lies in.
fn flatten(nest: &LoopNest) -> Vec<(Block, Vec<LoopId>)> {
    let mut order = Vec::new();
    let mut stack: Vec<(Component, Vec<LoopId>)> = nest.top.iter().rev().map(|&c| (c, Vec::new())).collect();
    while let Some((component, loops)) = stack.pop() {
        match component {
            Component::Block(block) => order.push((block, loops)),
            Component::Loop(l) => {
                let inner = [loops, vec![l]].concat();
                assert_eq!(nest.loops[l].body[0], Component::Block(nest.loops[l].header));
                stack.extend(nest.loops[l].body.iter().rev().map(|&c| (c, inner.clone())));
            }
        }
    }
    order
}

#[test]
fn loops_nest_and_order_blocks() {
    for proc in procedures() {
        let cfg = Cfg::compute(&proc);
        let nest = LoopNest::compute(&proc);
        let order = flatten(&nest);
        assert_eq!(order.len(), cfg.rpo().len());
        let position = |b: Block| order.iter().position(|(x, _)| *x == b).unwrap();
        for (n, (block, loops)) in order.iter().enumerate() {
            assert_eq!(nest.innermost[*block], loops.last().copied());
            for l in nest.loops.keys() {
                assert_eq!(nest.contains(l, *block), loops.contains(&l));
            }
            for &target in cfg.succs(*block) {
                let back = loops.iter().any(|&l| nest.loops[l].header == target);
                assert!(back || position(target) > n, "{block} -> {target}");
            }
        }
        for l in nest.loops.values() {
            assert_eq!(l.depth, l.parent.map_or(0, |p| nest.loops[p].depth + 1));
        }
        assert_eq!(cut_points(&nest).len(), nest.loops.len());
    }
}

#[test]
fn natural_loops_have_their_headers() {
    for proc in procedures() {
        let cfg = Cfg::compute(&proc);
        let dom = Dominators::of(proc.entry, &cfg);
        let nest = LoopNest::of(&cfg);
        for (id, l) in nest.loops.iter() {
            let inside: Vec<Block> = cfg.rpo().iter().copied().filter(|&b| nest.contains(id, b)).collect();
            if let Some(&dominating) = inside.iter().find(|&&h| inside.iter().all(|&b| dom.dominates(h, b))) {
                assert_eq!(l.header, dominating);
            }
        }
    }
}
