//! The graph of shared bodies against the definition: all ways to a node, two by two.

use super::calltree::{CallId, CallTree, NodeId};
use super::dag::{Graph, Strategy};
use super::opt;
use super::region::{Key, Regions};
use std::fmt::Write;
use std::time::{Duration, Instant};
use syncline_ir::{read, Block, Procedure, Program};

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Procedures that call later ones, from blocks that lead to later ones.
fn program(random: &mut Random) -> Program {
    let mut text = String::from("in0 = site \"x\": bool\nprop0 = assertion \"a\" \"\"\nentry p0\n");
    let procs = 3 + random.below(3);
    for p in 0..procs {
        let _ = writeln!(text, "proc p{p} {{");
        let blocks = 3 + random.below(5);
        for b in 0..blocks {
            let _ = writeln!(text, "block{b}:");
            let calls = if p + 1 < procs { random.below(3) } else { 0 };
            for _ in 0..calls {
                let _ = writeln!(text, "call p{}()", p + 1 + random.below(procs - p - 1));
            }
            if p + 1 == procs && b == 0 {
                let _ = writeln!(text, "v9{b}: bool = havoc in0\nassert prop0, v9{b}");
            }
            if b + 1 == blocks {
                let _ = writeln!(text, "return");
            } else {
                let (one, other) = (b + 1 + random.below(blocks - b - 1), b + 1 + random.below(blocks - b - 1));
                let _ = writeln!(text, "v{b}: bool = havoc in0\nbranch v{b}, block{one}, block{other}");
            }
        }
        let _ = writeln!(text, "}}");
    }
    read::well_formed(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether control can get from one block to the other.
fn leads(body: &Procedure, from: Block, to: Block) -> bool {
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if block == to {
            return true;
        }
        work.extend(body.successors(block).map(|t| t.block));
    }
    false
}

type Way = Vec<(NodeId, Key)>;

/// All ways from the entry to each node, with one edge more.
fn ways(graph: &Graph, more: Option<(NodeId, Key, NodeId)>) -> Vec<Vec<Way>> {
    let mut all: Vec<Vec<Way>> = vec![Vec::new(); graph.region.len()];
    let mut work: Vec<(NodeId, Way)> = vec![(NodeId(0), Vec::new())];
    while let Some((node, way)) = work.pop() {
        let mut edges = graph.down[node.0 as usize].clone();
        edges.extend(more.filter(|(from, _, _)| *from == node).map(|(_, key, to)| (key, to)));
        for (key, to) in edges {
            let mut longer = way.clone();
            longer.push((node, key));
            work.push((to, longer));
        }
        all[node.0 as usize].push(way);
    }
    all
}

/// Whether no run takes two ways to one node.
fn is_consistent(regions: &Regions, graph: &Graph, more: Option<(NodeId, Key, NodeId)>) -> bool {
    let block = |body: &Procedure, key: Key| match key {
        Key::Call(inst) => body.layout.iter().copied().find(|&b| body.blocks[b].insts.contains(&inst)),
        Key::Loop(header) => Some(header),
    };
    let excluded = |a: &Way, b: &Way| {
        let Some((x, y)) = a.iter().zip(b).find(|(x, y)| x != y) else { return false };
        assert_eq!(x.0, y.0, "ways part at a call");
        let body = regions.body(regions.get(graph.region[x.0 .0 as usize]));
        match (block(body, x.1), block(body, y.1)) {
            (Some(p), Some(q)) => !leads(body, p, q) && !leads(body, q, p),
            (None, _) | (_, None) => false,
        }
    };
    let pairs = |ways: &Vec<Way>| ways.iter().enumerate().all(|(n, a)| ways[..n].iter().all(|b| excluded(a, b)));
    ways(graph, more).iter().all(pairs)
}

#[test]
fn the_graph_stays_consistent_and_no_chance_is_missed() {
    let mut random = Random(77);
    let (mut shared, mut refused) = (0, 0);
    for round in 0..500 {
        let program = program(&mut random);
        let strategy = [Strategy::First, Strategy::MaxC, Strategy::RandomPick, Strategy::Opt][round % 4];
        let Ok(regions) = Regions::new(&program, &program) else { panic!("the program has no loops") };
        let entry = regions.id(program.entry.expect("there is an entry"), None);
        let graph = Graph::new(strategy, &regions);
        let mut tree = CallTree::new(regions, graph, 0, Instant::now() + Duration::from_secs(60));
        tree.start(entry);
        for _ in 0..25 {
            let Some(call) = tree.open_calls().next() else { break };
            let (from, key, callee) = (tree.call(call).from, tree.call(call).key, tree.call(call).callee);
            let above = tree.graph.ancestors(&[from]);
            for n in (0..tree.nodes.len()).filter(|&n| tree.graph.region[n] == callee && !above[n]) {
                let to = NodeId(n as u32);
                let said = tree.graph.stays_consistent(from, key, to, &above);
                let is = is_consistent(&tree.regions, &tree.graph, Some((from, key, to)));
                assert_eq!(said, is, "round {round}");
                refused += u32::from(!is);
            }
            let before = tree.shared;
            tree.open(call);
            shared += tree.shared - before;
            assert!(is_consistent(&tree.regions, &tree.graph, None), "round {round}");
        }
    }
    assert!(shared > 100 && refused > 100, "{shared} shared, {refused} refused");
}

fn tree<'p>(program: &'p Program, strategy: Strategy) -> CallTree<'p> {
    let Ok(regions) = Regions::new(program, program) else { panic!("the program has no loops") };
    let entry = regions.id(program.entry.expect("there is an entry"), None);
    let graph = Graph::new(strategy, &regions);
    let mut tree = CallTree::new(regions, graph, 0, Instant::now() + Duration::from_secs(60));
    tree.start(entry);
    tree
}

/// Figure 5 of the DAG paper: calls A or B, then C or D behind A, D behind B.
const FIGURE_5: &str = "in0 = site \"x\": bool
    prop0 = assertion \"a\" \"\"
    entry main
    proc p {
    block0:
        v0: bool = havoc in0
        assert prop0, v0
        return
    }
    proc main {
    block0:
        v0: bool = havoc in0
        branch v0, block1, block2
    block1:
        call p()
        branch v0, block3, block4
    block2:
        call p()
        jump block4
    block3:
        call p()
        jump block5
    block4:
        call p()
        jump block5
    block5:
        return
    }";

#[test]
fn opt_does_not_merge_the_wrong_calls_first() {
    let program = read::well_formed(FIGURE_5).unwrap_or_else(|e| panic!("{e}"));
    let main = &program.procs[program.entry.expect("there is an entry")];
    let call = |block: usize| Key::Call(main.blocks[main.layout[block]].insts[0]);
    let [a, b, c, d] = [1, 2, 3, 4].map(call);
    for (strategy, nodes) in [(Strategy::First, 4), (Strategy::Opt, 3), (Strategy::Tree, 5)] {
        let mut tree = tree(&program, strategy);
        for key in [b, c, a, d] {
            let id = (0..4).map(CallId).find(|&id| tree.call(id).key == key).expect("it is there");
            tree.open(id);
        }
        assert_eq!(tree.nodes.len(), nodes, "{strategy:?}");
    }
}

/// All calls are opened; the graph has the nodes of the best one, and no more.
#[test]
fn opt_is_never_larger_than_the_best_graph() {
    let mut random = Random(5);
    let (mut opt, mut first) = (0, 0);
    for round in 0..100 {
        let program = program(&mut random);
        let count = |strategy: Strategy| {
            let mut tree = tree(&program, strategy);
            loop {
                let Some(call) = tree.open_calls().next() else { break };
                if tree.nodes.len() > 3_000 {
                    return None;
                }
                tree.open(call);
            }
            let best = tree.graph.best_len();
            assert!(best.is_none_or(|best| best == tree.nodes.len()), "round {round}");
            Some(tree.nodes.len())
        };
        let (Some(best), Some(oldest)) = (count(Strategy::Opt), count(Strategy::First)) else { continue };
        (opt, first) = (opt + best, first + oldest);
    }
    println!("{opt} nodes with OPT, {first} with FIRST");
    assert!(opt <= first);
}

#[test]
fn colours_are_as_few_as_can_be() {
    let mut random = Random(9);
    for _ in 0..300 {
        let n = 1 + random.below(6) as usize;
        let mut edges = vec![vec![false; n]; n];
        for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let edge = random.below(2) == 1;
            (edges[a][b], edges[b][a]) = (edge, edge);
        }
        let proper = |colours: &[usize]| (0..n).all(|a| (0..a).all(|b| !edges[a][b] || colours[a] != colours[b]));
        let found = opt::colour(&edges);
        assert!(proper(&found));
        let used = found.iter().max().map_or(0, |&c| c + 1);
        let fewer = (0..(used - 1).pow(n as u32)).map(|code| {
            let digits = (0..n as u32).map(|v| code / (used - 1).pow(v) % (used - 1));
            digits.collect::<Vec<usize>>()
        });
        assert!(used == 1 || !fewer.into_iter().any(|colours| proper(&colours)), "{edges:?}");
    }
}
