//! Layered drawing of directed graphs, after Sugiyama, Tagawa and Toda (*Methods for visual understanding of hierarchical
//! system structures*, 1981).
//!
//! Edges that close cycles are turned round, nodes get layers by their longest path from above, edges that pass layers
//! get a bend on each of them, the layers are ordered by barycentres to avoid crossings, and places within a layer are the
//! ones nearest to the neighbours' that keep the order and the distances (isotonic regression, which is exact).
//! Everything is deterministic, and nothing recurses.

use std::collections::VecDeque;

/// The distance between layers, between nodes, and between bends.
const LAYER_GAP: f64 = 46.0;
const NODE_GAP: f64 = 26.0;
const BEND_GAP: f64 = 14.0;
/// How far apart edges meet a node.
const PORT_GAP: f64 = 16.0;
/// How often layers are ordered, and how often places are improved.
const ORDER_SWEEPS: usize = 12;
const PLACE_SWEEPS: usize = 16;

/// A point; y grows downwards.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// The size of a node.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Size {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// Where everything is.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The centre of each node.
    pub nodes: Vec<Point>,
    /// For each edge the points it goes through, from its start to its end; none for an edge from a node to itself.
    pub routes: Vec<Vec<Point>>,
    /// The size of the whole.
    pub size: Size,
}

/// Draws a graph. Edges lead downwards where that is possible; their ends must be nodes.
pub fn layered(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
    let down = without_cycles(sizes.len(), edges);
    let layer = layers(sizes.len(), &down);
    let mut net = Net::new(sizes, &down, &layer);
    net.order();
    net.place();
    net.finish(edges)
}

/// An edge that was given, or turned round.
#[derive(Copy, Clone, Debug)]
struct Downward {
    from: usize,
    to: usize,
    turned: bool,
}

/// The edges without loops, those that close a cycle turned round: the ones that lead to a node on the path of the
/// depth-first search.
fn without_cycles(count: usize, edges: &[(usize, usize)]) -> Vec<Option<Downward>> {
    #[derive(Copy, Clone, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (n, &(from, _)) in edges.iter().enumerate() {
        leaving[from].push(n);
    }
    let mut state = vec![State::New; count];
    let mut turned = vec![false; edges.len()];
    for root in 0..count {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        let mut stack = vec![(root, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(&e) = leaving[*node].get(*next) else {
                state[*node] = State::Done;
                stack.pop();
                continue;
            };
            *next += 1;
            let to = edges[e].1;
            match state[to] {
                State::New => {
                    state[to] = State::Open;
                    stack.push((to, 0));
                }
                State::Open => turned[e] = true,
                State::Done => {}
            }
        }
    }
    let downward = |(n, &(from, to)): (usize, &(usize, usize))| {
        let turned = turned[n];
        let (from, to) = if turned { (to, from) } else { (from, to) };
        (from != to).then_some(Downward { from, to, turned })
    };
    edges.iter().enumerate().map(downward).collect()
}

/// The layer of each node: one more than the lowest of its predecessors.
fn layers(count: usize, edges: &[Option<Downward>]) -> Vec<usize> {
    let mut layer = vec![0; count];
    let mut waiting = vec![0; count];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for e in edges.iter().flatten() {
        waiting[e.to] += 1;
        leaving[e.from].push(e.to);
    }
    let mut ready: VecDeque<usize> = (0..count).filter(|&n| waiting[n] == 0).collect();
    while let Some(n) = ready.pop_front() {
        for &to in &leaving[n] {
            layer[to] = layer[to].max(layer[n] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push_back(to);
            }
        }
    }
    layer
}

/// A node or a bend.
#[derive(Clone, Debug)]
struct Item {
    layer: usize,
    size: Size,
    is_bend: bool,
    /// Neighbours in the layer above and in the layer below.
    above: Vec<usize>,
    below: Vec<usize>,
    x: f64,
}

/// The graph in layers: nodes first, bends after them.
struct Net {
    items: Vec<Item>,
    rows: Vec<Vec<usize>>,
    /// The items along each edge from top to bottom, and whether it was turned.
    chains: Vec<Option<(Vec<usize>, bool)>>,
    nodes: usize,
}

impl Net {
    fn new(sizes: &[Size], edges: &[Option<Downward>], layer: &[usize]) -> Net {
        let item = |(&size, &layer): (&Size, &usize)| Item {
            layer,
            size,
            is_bend: false,
            above: Vec::new(),
            below: Vec::new(),
            x: 0.0,
        };
        let mut items: Vec<Item> = sizes.iter().zip(layer).map(item).collect();
        let mut chains = Vec::with_capacity(edges.len());
        for e in edges {
            let Some(e) = e else {
                chains.push(None);
                continue;
            };
            let mut chain = vec![e.from];
            for layer in layer[e.from] + 1..layer[e.to] {
                chain.push(items.len());
                items.push(Item {
                    layer,
                    size: Size { width: 0.0, height: 0.0 },
                    is_bend: true,
                    above: Vec::new(),
                    below: Vec::new(),
                    x: 0.0,
                });
            }
            chain.push(e.to);
            for pair in chain.windows(2) {
                items[pair[0]].below.push(pair[1]);
                items[pair[1]].above.push(pair[0]);
            }
            chains.push(Some((chain, e.turned)));
        }
        let mut net = Net { items, rows: Vec::new(), chains, nodes: sizes.len() };
        net.rows = net.first_rows();
        net
    }

    /// The layers in the order in which a depth-first search from above meets their items: trees have no crossings.
    fn first_rows(&self) -> Vec<Vec<usize>> {
        let depth = self.items.iter().map(|i| i.layer + 1).max().unwrap_or(0);
        let mut rows = vec![Vec::new(); depth];
        let mut seen = vec![false; self.items.len()];
        for root in 0..self.items.len() {
            if !self.items[root].above.is_empty() {
                continue;
            }
            let mut stack = vec![root];
            while let Some(n) = stack.pop() {
                if !std::mem::replace(&mut seen[n], true) {
                    rows[self.items[n].layer].push(n);
                    stack.extend(self.items[n].below.iter().rev());
                }
            }
        }
        rows
    }

    /// Orders the layers by the barycentres of their neighbours, downwards and upwards in turn; the best order wins.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for sweep in 0..ORDER_SWEEPS {
            if best.0 == 0 {
                break;
            }
            let downwards = sweep % 2 == 0;
            let position = &mut vec![0.0; self.items.len()];
            for n in 0..self.rows.len() {
                let r = if downwards { n } else { self.rows.len() - 1 - n };
                let key = |&i: &usize| {
                    let next = if downwards { &self.items[i].above } else { &self.items[i].below };
                    mean(next.iter().map(|&j| position[j]))
                };
                let mut keyed: Vec<(f64, usize)> = Vec::with_capacity(self.rows[r].len());
                for (at, i) in self.rows[r].iter().enumerate() {
                    keyed.push((key(i).unwrap_or(at as f64), *i));
                }
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (at, &(_, i)) in keyed.iter().enumerate() {
                    position[i] = at as f64;
                }
                self.rows[r] = keyed.into_iter().map(|(_, i)| i).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
    }

    /// How many pairs of edges between neighbouring layers cross, counted with a tree of partial sums.
    fn crossings(&self) -> u64 {
        let mut position = vec![0; self.items.len()];
        for row in &self.rows {
            for (at, &i) in row.iter().enumerate() {
                position[i] = at;
            }
        }
        let mut total = 0;
        for pair in self.rows.windows(2) {
            let mut sums = vec![0u64; pair[1].len() + 1];
            let mut count = 0;
            for &i in &pair[0] {
                let mut ends: Vec<usize> = self.items[i].below.iter().map(|&j| position[j]).collect();
                ends.sort_unstable();
                for &end in &ends {
                    let (mut at, mut before) = (end + 1, 0);
                    while at > 0 {
                        before += sums[at];
                        at &= at - 1;
                    }
                    total += count - before;
                }
                for end in ends {
                    let mut at = end + 1;
                    while at < sums.len() {
                        sums[at] += 1;
                        at += at & at.wrapping_neg();
                    }
                    count += 1;
                }
            }
        }
        total
    }

    fn gap(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.items[a], &self.items[b]);
        let between = if a.is_bend && b.is_bend { BEND_GAP } else { NODE_GAP };
        (a.size.width + b.size.width) / 2.0 + between
    }

    /// Chooses x for all items: near their neighbours above, then near those below, and so on; both count in between.
    fn place(&mut self) {
        for r in 0..self.rows.len() {
            let mut x = 0.0;
            for n in 0..self.rows[r].len() {
                let i = self.rows[r][n];
                if n > 0 {
                    x += self.gap(self.rows[r][n - 1], i);
                }
                self.items[i].x = x;
            }
        }
        for sweep in 0..PLACE_SWEEPS {
            // The last sweep goes upwards and puts nodes above the middle of what is below them.
            let both = (4..=1 + PLACE_SWEEPS / 2).contains(&(PLACE_SWEEPS - sweep));
            for n in 0..self.rows.len() {
                let (r, upper, lower) = match sweep % 2 {
                    0 => (n, true, both),
                    _ => (self.rows.len() - 1 - n, both, true),
                };
                let wanted: Vec<(f64, f64)> =
                    self.rows[r].iter().map(|&i| self.wish(i, upper, lower)).collect();
                self.settle(r, &wanted);
            }
        }
    }

    /// Where an item would like to be, and how much: bends want to be straight below one another.
    fn wish(&self, i: usize, upper: bool, lower: bool) -> (f64, f64) {
        let item = &self.items[i];
        let none: &[usize] = &[];
        let above = if upper { item.above.as_slice() } else { none };
        let below = if lower { item.below.as_slice() } else { none };
        match mean(above.iter().chain(below).map(|&j| self.items[j].x)) {
            Some(x) => (x, if item.is_bend { 4.0 } else { 1.0 }),
            None => (item.x, 0.1),
        }
    }

    /// Moves a row as near to the wishes as its order and distances allow: the least weighted sum of squares.
    fn settle(&mut self, r: usize, wanted: &[(f64, f64)]) {
        let row = self.rows[r].clone();
        // Blocks of items at their least distances: start of the row's block, weight, weighted sum.
        let mut blocks: Vec<(usize, f64, f64)> = Vec::new();
        let mut offsets = Vec::with_capacity(row.len());
        let mut offset = 0.0;
        for (n, &(x, weight)) in wanted.iter().enumerate() {
            if n > 0 {
                offset += self.gap(row[n - 1], row[n]);
            }
            offsets.push(offset);
            let mut block = (n, weight, weight * (x - offset));
            while let Some(&(start, w, sum)) = blocks.last() {
                if sum / w <= block.2 / block.1 {
                    break;
                }
                blocks.pop();
                block = (start, w + block.1, sum + block.2);
            }
            blocks.push(block);
        }
        for (b, &(start, weight, sum)) in blocks.iter().enumerate() {
            let end = blocks.get(b + 1).map_or(row.len(), |next| next.0);
            for n in start..end {
                self.items[row[n]].x = sum / weight + offsets[n];
            }
        }
    }

    /// Points from places.
    fn finish(mut self, edges: &[(usize, usize)]) -> Layout {
        let left = |i: &Item| i.x - i.size.width / 2.0;
        let start = self.items.iter().map(left).fold(f64::INFINITY, f64::min);
        let start = if start.is_finite() { start } else { 0.0 };
        self.items.iter_mut().for_each(|i| i.x -= start);
        let width = self.items.iter().map(|i| i.x + i.size.width / 2.0).fold(0.0, f64::max);
        let mut middle = Vec::with_capacity(self.rows.len());
        let mut y = 0.0;
        for row in &self.rows {
            let height = row.iter().map(|&i| self.items[i].size.height).fold(0.0, f64::max);
            middle.push(y + height / 2.0);
            y += height + LAYER_GAP;
        }
        let height = (y - LAYER_GAP).max(0.0);
        let nodes: Vec<Point> =
            self.items[..self.nodes].iter().map(|i| Point { x: i.x, y: middle[i.layer] }).collect();
        let ports = self.ports();
        let routes = (0..edges.len()).map(|n| self.route(n, &middle, &ports[n])).collect();
        Layout { nodes, routes, size: Size { width, height } }
    }

    /// Where each edge leaves its upper and enters its lower node, from their centres: side by side, in the order of
    /// where they lead.
    fn ports(&self) -> Vec<(f64, f64)> {
        let mut ports = vec![(0.0, 0.0); self.chains.len()];
        let mut lower: Vec<Vec<(f64, usize)>> = vec![Vec::new(); self.nodes];
        let mut upper = lower.clone();
        for (n, chain) in self.chains.iter().enumerate() {
            if let Some((chain, _)) = chain {
                let (first, last) = (chain[0], chain[chain.len() - 1]);
                lower[first].push((self.items[chain[1]].x, n));
                upper[last].push((self.items[chain[chain.len() - 2]].x, n));
            }
        }
        let mut spread = |lists: Vec<Vec<(f64, usize)>>, is_upper: bool| {
            for (node, mut list) in lists.into_iter().enumerate() {
                list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let gap = PORT_GAP.min(self.items[node].size.width / (list.len() as f64 + 1.0));
                let first = -gap * (list.len() as f64 - 1.0) / 2.0;
                for (at, (_, n)) in list.into_iter().enumerate() {
                    let x = first + gap * at as f64;
                    if is_upper { ports[n].1 = x } else { ports[n].0 = x }
                }
            }
        };
        spread(lower, false);
        spread(upper, true);
        ports
    }

    fn route(&self, edge: usize, middle: &[f64], ports: &(f64, f64)) -> Vec<Point> {
        let Some((chain, turned)) = &self.chains[edge] else { return Vec::new() };
        let (first, last) = (&self.items[chain[0]], &self.items[chain[chain.len() - 1]]);
        let mut points =
            vec![Point { x: first.x + ports.0, y: middle[first.layer] + first.size.height / 2.0 }];
        points.extend(
            chain[1..chain.len() - 1]
                .iter()
                .map(|&i| Point { x: self.items[i].x, y: middle[self.items[i].layer] }),
        );
        points.push(Point { x: last.x + ports.1, y: middle[last.layer] - last.size.height / 2.0 });
        if *turned {
            points.reverse();
        }
        points
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Size = Size { width: 60.0, height: 30.0 };

    /// Every node has room, and every edge starts and ends at the border of its nodes.
    fn check(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
        let layout = layered(sizes, edges);
        for (a, p) in layout.nodes.iter().enumerate() {
            let (w, h) = (sizes[a].width, sizes[a].height);
            assert!(p.x - w / 2.0 >= -1e-6 && p.x + w / 2.0 <= layout.size.width + 1e-6, "{p:?}");
            assert!(p.y - h / 2.0 >= -1e-6 && p.y + h / 2.0 <= layout.size.height + 1e-6, "{p:?}");
            for (b, q) in layout.nodes.iter().enumerate().skip(a + 1) {
                let apart_x = (p.x - q.x).abs() >= (w + sizes[b].width) / 2.0 + NODE_GAP - 1e-6;
                let apart_y = (p.y - q.y).abs() >= (h + sizes[b].height) / 2.0;
                assert!(apart_x || apart_y, "nodes {a} and {b} overlap");
            }
        }
        for (&(from, to), route) in edges.iter().zip(&layout.routes) {
            if from == to {
                assert!(route.is_empty());
                continue;
            }
            for (node, point) in [(from, route[0]), (to, route[route.len() - 1])] {
                let centre = layout.nodes[node];
                assert!(((centre.y - point.y).abs() - sizes[node].height / 2.0).abs() < 1e-6);
                assert!((centre.x - point.x).abs() <= sizes[node].width / 2.0);
            }
        }
        layout
    }

    #[test]
    fn small_graphs() {
        assert_eq!(check(&[], &[]).size, Size { width: 0.0, height: 0.0 });
        check(&[BOX], &[(0, 0)]);
        let diamond = check(&[BOX; 4], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        assert!((diamond.nodes[0].x - diamond.nodes[3].x).abs() < 1.0);
        assert_eq!(diamond.nodes[1].y, diamond.nodes[2].y);
        let round = check(&[BOX; 2], &[(0, 1), (1, 0)]);
        assert!(round.nodes[0].y < round.nodes[1].y);
        assert_ne!(round.routes[0][0].x, round.routes[1][1].x);
    }

    #[test]
    fn trees_have_no_crossings_and_parents_are_above_the_middle_of_their_children() {
        let edges: Vec<(usize, usize)> = (1..31).map(|n| ((n - 1) / 2, n)).collect();
        let layout = check(&[BOX; 31], &edges);
        for n in 0..15 {
            let middle = (layout.nodes[2 * n + 1].x + layout.nodes[2 * n + 2].x) / 2.0;
            assert!((layout.nodes[n].x - middle).abs() < 20.0, "{n}");
            assert!(layout.nodes[2 * n + 1].x < layout.nodes[2 * n + 2].x);
        }
    }

    #[test]
    fn crossings_are_removed() {
        // Drawn in the order of the nodes, both edges cross.
        let edges = [(0, 3), (1, 2)];
        let layout = check(&[BOX; 4], &edges);
        assert!((layout.nodes[0].x < layout.nodes[1].x) == (layout.nodes[3].x < layout.nodes[2].x));
    }

    #[test]
    fn long_chains_need_no_stack() {
        let edges: Vec<(usize, usize)> = (1..20_000).map(|n| (n - 1, n)).collect();
        let layout = layered(&vec![BOX; 20_000], &edges);
        assert!(layout.nodes.iter().all(|p| (p.x - 30.0).abs() < 1e-6));
    }

    #[test]
    fn random_graphs() {
        let mut state = 0x1234_5678_9abc_def1_u64;
        let mut random = |n: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % n as u64) as usize
        };
        for _ in 0..300 {
            let count = 1 + random(30);
            let sizes: Vec<Size> = (0..count)
                .map(|_| Size { width: 20.0 + random(100) as f64, height: 10.0 + random(60) as f64 })
                .collect();
            let edges: Vec<(usize, usize)> =
                (0..random(2 * count + 1)).map(|_| (random(count), random(count))).collect();
            let layout = check(&sizes, &edges);
            assert_eq!(layout, layered(&sizes, &edges));
        }
    }
}
