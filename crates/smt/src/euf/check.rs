//! An independent checker of explanations and conflicts: it shares only the format with the closure.

use super::{
    Apart, ApartWhy, Claim, Conflict, Explanation, Func, Link, Node, PathId, Proof, Reason, Value, Why,
};

/// A fact that was asserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asserted {
    /// The two nodes are equal.
    Equal(Node, Node),
    /// The two nodes are different.
    Unequal(Node, Node),
}

/// What a proof may rely on.
pub trait Context {
    /// The function symbol and arguments of an application.
    fn app(&self, node: Node) -> Option<(Func, &[Node])>;
    /// The value of a distinguished constant.
    fn value(&self, node: Node) -> Option<Value>;
    /// The fact that was asserted with a reason, if it may be used.
    fn asserted(&self, reason: Reason) -> Option<Asserted>;
}

/// What is wrong with a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A step does not start where the one before it ends, or the path does not lead to its end.
    Broken(PathId),
    /// A step uses a reason that does not assert this equality.
    NotAsserted(PathId),
    /// A congruence step is between nodes that are not applications of the same function.
    NotCongruent(PathId),
    /// A congruence step refers to a path that does not come earlier.
    NotEarlier(PathId),
    /// A link does not prove the equality for which it is used.
    WrongLink(Link),
    /// Two nodes are not different for the given reason.
    NotApart(Apart),
}

/// Checks that the claim follows.
pub fn explanation(context: &impl Context, explanation: &Explanation) -> Result<(), Flaw> {
    let proof = &explanation.proof;
    paths(context, proof)?;
    match explanation.claim {
        Claim::Equal { a, b, path } => link(proof, path, a, b),
        Claim::Unequal { a, b, apart: nodes, left, right } => {
            apart(context, nodes)?;
            link(proof, left, a, nodes.left)?;
            link(proof, right, b, nodes.right)
        }
    }
}

/// Checks that the conflict is one.
pub fn conflict(context: &impl Context, conflict: &Conflict) -> Result<(), Flaw> {
    paths(context, &conflict.proof)?;
    apart(context, conflict.apart)?;
    link(&conflict.proof, conflict.path, conflict.apart.left, conflict.apart.right)
}

/// Checks every step of every path.
pub fn paths(context: &impl Context, proof: &Proof) -> Result<(), Flaw> {
    for path in proof.paths() {
        let (from, to) = proof.ends(path);
        let mut at = from;
        for edge in proof.edges(path) {
            if edge.from != at {
                return Err(Flaw::Broken(path));
            }
            at = edge.to;
            match edge.why {
                Why::Literal(reason) => match context.asserted(reason) {
                    Some(Asserted::Equal(a, b)) if same_pair((a, b), (edge.from, edge.to)) => {}
                    _ => return Err(Flaw::NotAsserted(path)),
                },
                Why::Congruence(id) => {
                    congruence(context, proof, path, proof.arguments(id), (edge.from, edge.to))?;
                }
            }
        }
        if at != to {
            return Err(Flaw::Broken(path));
        }
    }
    Ok(())
}

fn congruence(
    context: &impl Context,
    proof: &Proof,
    path: PathId,
    links: &[Link],
    (from, to): (Node, Node),
) -> Result<(), Flaw> {
    let (Some((f, from_args)), Some((g, to_args))) = (context.app(from), context.app(to)) else {
        return Err(Flaw::NotCongruent(path));
    };
    if f != g || from_args.len() != links.len() || to_args.len() != links.len() {
        return Err(Flaw::NotCongruent(path));
    }
    for (&argument, (&a, &b)) in links.iter().zip(from_args.iter().zip(to_args)) {
        if argument.is_some_and(|earlier| earlier >= path) {
            return Err(Flaw::NotEarlier(path));
        }
        link(proof, argument, a, b)?;
    }
    Ok(())
}

fn link(proof: &Proof, link: Link, a: Node, b: Node) -> Result<(), Flaw> {
    let fits = match link {
        None => a == b,
        Some(path) => same_pair(proof.ends(path), (a, b)),
    };
    if fits { Ok(()) } else { Err(Flaw::WrongLink(link)) }
}

fn apart(context: &impl Context, apart: Apart) -> Result<(), Flaw> {
    let nodes = (apart.left, apart.right);
    let holds = match apart.why {
        ApartWhy::Asserted(reason) => match context.asserted(reason) {
            Some(Asserted::Unequal(a, b)) => same_pair((a, b), nodes),
            _ => false,
        },
        ApartWhy::Values => match (context.value(apart.left), context.value(apart.right)) {
            (Some(left), Some(right)) => left != right,
            _ => false,
        },
    };
    if holds { Ok(()) } else { Err(Flaw::NotApart(apart)) }
}

fn same_pair((a, b): (Node, Node), (c, d): (Node, Node)) -> bool {
    (a, b) == (c, d) || (a, b) == (d, c)
}
