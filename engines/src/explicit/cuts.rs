//! More cut points for the certificate than the search needs.
//!
//! A check of the certificate asks one question for each cut point, about everything between it and the next ones. Long
//! decision lists make that one hard question; cut into pieces, with the states that come to each piece, they are many
//! easy ones.

use cranelift_entity::EntityRef;
use syncline_ir::analysis::{Cfg, Dominators};
use syncline_ir::{Block, Procedure};

/// Instructions on the longest way between cut points, about.
const LENGTH: usize = 1000;
/// A block is worth a cut if it dominates this many.
const BEHIND: usize = LENGTH / 4;

/// The headers and blocks between them, no two too far apart; only blocks that can be named. `None` if the headers will
/// do.
pub(super) fn finer(
    body: &Procedure,
    cfg: &Cfg,
    headers: &[Block],
    is_named: impl Fn(Block) -> bool,
) -> Option<Vec<Block>> {
    let weight = |b: Block| body.blocks[b].insts.len() + 1;
    if headers.is_empty() || cfg.rpo().iter().map(|&b| weight(b)).sum::<usize>() < 2 * LENGTH {
        return None;
    }
    let dominators = Dominators::of(body.entry, cfg);
    let mut behind = vec![0; cfg.table_len()];
    for &block in cfg.rpo().iter().rev() {
        behind[block.index()] += weight(block);
        if let Some(above) = dominators.idom(block) {
            behind[above.index()] += behind[block.index()];
        }
    }
    let mut is_cut = vec![false; cfg.table_len()];
    headers.iter().for_each(|h| is_cut[h.index()] = true);
    let mut cuts = headers.to_vec();
    let mut way = vec![0; cfg.table_len()];
    for &block in cfg.rpo() {
        let before = if is_cut[block.index()] {
            0
        } else {
            // Ways back lead to headers, and have no length yet.
            cfg.preds(block).iter().map(|p| way[p.index()]).max().unwrap_or(0)
        };
        way[block.index()] = before + weight(block);
        if before > LENGTH && behind[block.index()] > BEHIND && is_named(block) {
            way[block.index()] = weight(block);
            cuts.push(block);
        }
    }
    (cuts.len() > headers.len()).then_some(cuts)
}
