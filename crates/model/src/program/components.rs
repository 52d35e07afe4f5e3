//! Strongly connected components of graphs.

/// A number for each node, the same for two of them if each can be reached from the other (Tarjan's algorithm).
pub fn components(successors: &[Vec<usize>]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut component = vec![UNSEEN; successors.len()];
    let mut low = vec![UNSEEN; successors.len()];
    let (mut next, mut count) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    for root in 0..successors.len() {
        if low[root] != UNSEEN {
            continue;
        }
        // Each entry: a node, its number, and how many of its edges were followed.
        let mut stack: Vec<(usize, u32, usize)> = Vec::new();
        let mut visit = Some(root);
        loop {
            if let Some(n) = visit.take() {
                low[n] = next;
                stack.push((n, next, 0));
                open.push(n);
                next += 1;
            }
            let Some((n, number, done)) = stack.last_mut() else { break };
            let (n, number) = (*n, *number);
            if let Some(&to) = successors[n].get(*done) {
                *done += 1;
                if low[to] == UNSEEN {
                    visit = Some(to);
                } else if component[to] == UNSEEN {
                    low[n] = low[n].min(low[to]);
                }
                continue;
            }
            stack.pop();
            if low[n] == number {
                while let Some(member) = open.pop() {
                    component[member] = count;
                    if member == n {
                        break;
                    }
                }
                count += 1;
            }
            if let Some((parent, ..)) = stack.last() {
                low[*parent] = low[*parent].min(low[n]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn nodes_on_a_cycle_share_a_number() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3 -> 4 -> 3, 5
        let found = components(&[vec![1], vec![2], vec![1, 3], vec![4], vec![3], vec![]]);
        assert_eq!(found[1], found[2]);
        assert_eq!(found[3], found[4]);
        let mut different = vec![found[0], found[1], found[3], found[5]];
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 4);
    }
}
