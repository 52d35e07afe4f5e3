//! A small checker of Alethe proofs, for the rules that Bolide writes and no others. It reads the texts of the problem and of the proof
//! and shares nothing with what wrote it but rational numbers. Rules are as strict as Carcara's.

use bolide_base::Rational;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A term: a symbol or a list.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Tree {
    Leaf(String),
    Node(Vec<T>),
}

/// A number of a term: equal terms have the same.
type T = usize;

/// What was checked.
#[derive(Debug, PartialEq, Eq, Default)]
pub struct Checked {
    /// The number of steps.
    pub steps: usize,
    /// Those that were believed.
    pub holes: usize,
}

/// Checks that a proof refutes the assertions of a problem.
pub fn check(problem: &str, proof: &str) -> Result<Checked, String> {
    let mut c = Checker::default();
    c.problem(problem)?;
    let mut checked = Checked::default();
    let mut is_refuted = false;
    let commands = c.read(proof)?;
    for command in commands {
        let parts = c.list(command)?;
        let kind = c.leaf(parts[0]).to_string();
        match kind.as_str() {
            "assume" => {
                let name = c.leaf(parts[1]).to_string();
                let t = c.proof_term(parts[2])?;
                if !c.assertions.contains(&t) {
                    return Err(format!("{name}: this is no assertion of the problem: {}", c.show(t)));
                }
                c.clauses.insert(name, vec![t]);
            }
            "anchor" => {
                let args = c.list(parts[4])?;
                let mut variables = Vec::new();
                for a in args {
                    let pair = c.list(a)?;
                    if c.leaf(pair[0]) != ":=" {
                        variables.push(a);
                    } else if c.list(pair[1])?[0] != pair[2] {
                        return Err("an anchor renames".into());
                    }
                }
                c.subproof = Some((c.leaf(parts[2]).to_string(), variables, None));
            }
            "step" => {
                checked.steps += 1;
                let name = c.leaf(parts[1]).to_string();
                let step = c.step(&parts)?;
                checked.holes += usize::from(step.rule == "hole");
                c.rule(&step).map_err(|e| format!("{name}: {}: {e}", step.rule))?;
                is_refuted |= step.clause.is_empty();
                match &mut c.subproof {
                    Some((end, _, last)) if *end != name => *last = Some(step.clause),
                    _ => {
                        c.subproof = None;
                        c.clauses.insert(name, step.clause);
                    }
                }
            }
            other => return Err(format!("unknown command {other}")),
        }
    }
    if is_refuted { Ok(checked) } else { Err("the proof has no empty clause".into()) }
}

struct Step {
    clause: Vec<T>,
    rule: String,
    premises: Vec<Vec<T>>,
    args: Vec<T>,
}

#[derive(Default)]
struct Checker {
    trees: Vec<Rc<Tree>>,
    numbers: HashMap<Rc<Tree>, T>,
    assertions: BTreeSet<T>,
    defined: HashMap<T, (Vec<T>, T)>,
    named: HashMap<T, T>,
    clauses: HashMap<String, Vec<T>>,
    /// The name of the step that ends it, its variables, and the clause of its step.
    subproof: Option<(String, Vec<T>, Option<Vec<T>>)>,
}

impl Checker {
    fn add(&mut self, tree: Tree) -> T {
        if let Some(&n) = self.numbers.get(&tree) {
            return n;
        }
        let tree = Rc::new(tree);
        self.trees.push(tree.clone());
        self.numbers.insert(tree, self.trees.len() - 1);
        self.trees.len() - 1
    }

    fn symbol(&mut self, s: &str) -> T {
        self.add(Tree::Leaf(s.into()))
    }

    fn make(&mut self, op: &str, args: &[T]) -> T {
        let mut all = vec![self.symbol(op)];
        all.extend(args);
        self.add(Tree::Node(all))
    }

    fn not(&mut self, t: T) -> T {
        self.make("not", &[t])
    }

    fn leaf(&self, t: T) -> &str {
        if let Tree::Leaf(s) = &*self.trees[t] { s } else { "" }
    }

    fn list(&self, t: T) -> Result<Vec<T>, String> {
        match &*self.trees[t] {
            Tree::Node(all) => Ok(all.clone()),
            Tree::Leaf(s) => Err(format!("`{s}` is no list")),
        }
    }

    fn show(&self, t: T) -> String {
        match &*self.trees[t] {
            Tree::Leaf(s) => s.clone(),
            Tree::Node(all) => {
                format!("({})", all.iter().map(|&a| self.show(a)).collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// The operator and the arguments of a list.
    fn op(&self, t: T) -> (&str, &[T]) {
        match &*self.trees[t] {
            Tree::Node(all) if !all.is_empty() => (self.leaf(all[0]), &all[1..]),
            _ => ("", &[]),
        }
    }

    fn read(&mut self, text: &str) -> Result<Vec<T>, String> {
        let mut stack: Vec<Vec<T>> = vec![Vec::new()];
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                ';' => rest.find('\n').unwrap_or(rest.len()),
                '|' | '"' => rest[1..].find(first).ok_or("an open quotation")? + 2,
                '(' | ')' => 1,
                c if c.is_whitespace() => 1,
                _ => rest.find(|c: char| c.is_whitespace() || "();|\"".contains(c)).unwrap_or(rest.len()),
            };
            let (token, after) = rest.split_at(length);
            rest = after;
            let done = match first {
                ';' => continue,
                c if c.is_whitespace() => continue,
                '(' => {
                    stack.push(Vec::new());
                    continue;
                }
                ')' => {
                    let all = stack.pop().ok_or("too many `)`")?;
                    self.add(Tree::Node(all))
                }
                '|' => {
                    let inner = &token[1..token.len() - 1];
                    let simple = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
                    let is_simple =
                        inner.chars().all(simple) && !inner.starts_with(|c: char| c.is_ascii_digit());
                    self.symbol(if is_simple && !inner.is_empty() { inner } else { token })
                }
                _ => self.symbol(token),
            };
            stack.last_mut().ok_or("too many `)`")?.push(done);
        }
        if stack.len() == 1 { Ok(stack.remove(0)) } else { Err("an open `(`".into()) }
    }

    /// Reads the assertions of a problem.
    fn problem(&mut self, text: &str) -> Result<(), String> {
        for command in self.read(text)? {
            let parts = self.list(command)?;
            match self.leaf(parts[0]) {
                "assert" => {
                    let t = self.expand(parts[1], &HashMap::new())?;
                    self.assertions.insert(t);
                }
                "define-fun" => {
                    let mut params = Vec::new();
                    for p in self.list(parts[2])? {
                        params.push(self.list(p)?[0]);
                    }
                    let body = self.expand(parts[4], &HashMap::new())?;
                    self.defined.insert(parts[1], (params, body));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A term with `let`, annotations and definitions expanded.
    fn expand(&mut self, t: T, bound: &HashMap<T, T>) -> Result<T, String> {
        if !self.leaf(t).is_empty() {
            let constant = self.defined.get(&t).filter(|d| d.0.is_empty()).map(|d| d.1);
            return Ok(bound.get(&t).copied().or(constant).unwrap_or(t));
        }
        let all = self.list(t)?;
        let head = all.first().map_or("", |&h| self.leaf(h)).to_string();
        match head.as_str() {
            "let" => {
                let mut inner = bound.clone();
                for binding in self.list(all[1])? {
                    let pair = self.list(binding)?;
                    inner.insert(pair[0], self.expand(pair[1], bound)?);
                }
                self.expand(all[2], &inner)
            }
            "!" => self.expand(all[1], bound),
            "forall" | "exists" => {
                let mut inner = bound.clone();
                for v in self.list(all[1])? {
                    inner.remove(&self.list(v)?[0]);
                }
                let body = self.expand(all[2], &inner)?;
                Ok(self.make(&head, &[all[1], body]))
            }
            "as" | "_" => Ok(t),
            _ => {
                let mut new = vec![all[0]];
                if head.is_empty() {
                    new[0] = self.expand(all[0], bound)?;
                }
                for &a in &all[1..] {
                    new.push(self.expand(a, bound)?);
                }
                match self.defined.get(&all[0]).cloned() {
                    Some((params, body)) if params.len() == new.len() - 1 => {
                        let by = params.into_iter().zip(new[1..].to_vec()).collect();
                        Ok(self.substitute(body, &by, &mut HashMap::new()))
                    }
                    _ => Ok(self.add(Tree::Node(new))),
                }
            }
        }
    }

    fn substitute(&mut self, t: T, by: &HashMap<T, T>, memo: &mut HashMap<T, T>) -> T {
        if let Some(&new) = by.get(&t).or_else(|| memo.get(&t)) {
            return new;
        }
        let Ok(all) = self.list(t) else { return t };
        // A quantifier hides what it binds.
        if matches!(self.op(t).0, "forall" | "exists") {
            let mut inner = by.clone();
            for v in self.list(all[1]).unwrap_or_default() {
                let name = self.list(v).map(|pair| pair[0]);
                name.into_iter().for_each(|name| _ = inner.remove(&name));
            }
            let body = self.substitute(all[2], &inner, &mut HashMap::new());
            return self.add(Tree::Node(vec![all[0], all[1], body]));
        }
        let new = all.iter().map(|&a| self.substitute(a, by, memo)).collect();
        let new = self.add(Tree::Node(new));
        memo.insert(t, new);
        new
    }

    /// A term of the proof with its names replaced.
    fn proof_term(&mut self, t: T) -> Result<T, String> {
        if let Some(&known) = self.named.get(&t) {
            return Ok(known);
        }
        if !self.leaf(t).is_empty() {
            return Ok(t);
        }
        let all = self.list(t)?;
        if all.first().is_some_and(|&h| self.leaf(h) == "!") {
            let term = self.proof_term(all[1])?;
            if self.leaf(all[2]) != ":named" || self.named.insert(all[3], term).is_some() {
                return Err("a bad name".into());
            }
            return Ok(term);
        }
        if all.first().is_some_and(|&h| self.leaf(h) == "let") {
            for binding in self.list(all[1])? {
                let pair = self.list(binding)?;
                let value = self.proof_term(pair[1])?;
                // Names that are bound again would have to be told apart.
                if self.named.insert(pair[0], value).is_some_and(|old| old != value) {
                    return Err("a name stands for two terms".into());
                }
            }
            return self.proof_term(all[2]);
        }
        let mut new = Vec::new();
        for &a in &all {
            new.push(self.proof_term(a)?);
        }
        Ok(self.add(Tree::Node(new)))
    }

    fn step(&mut self, parts: &[T]) -> Result<Step, String> {
        let mut clause = Vec::new();
        let literals = self.list(parts[2])?;
        if self.leaf(literals[0]) != "cl" {
            return Err("a step has no clause".into());
        }
        for &l in &literals[1..] {
            clause.push(self.proof_term(l)?);
        }
        let mut step = Step { clause, rule: String::new(), premises: Vec::new(), args: Vec::new() };
        for pair in parts[3..].chunks(2) {
            let &[key, value] = pair else { return Err("an attribute has no value".into()) };
            match self.leaf(key) {
                ":rule" => step.rule = self.leaf(value).into(),
                ":premises" => {
                    for p in self.list(value)? {
                        let clause = self.clauses.get(self.leaf(p));
                        step.premises.push(clause.ok_or(format!("no premise {}", self.leaf(p)))?.clone());
                    }
                }
                ":args" => step.args = self.list(value)?,
                other => return Err(format!("unknown attribute {other}")),
            }
        }
        Ok(step)
    }

    fn rule(&mut self, s: &Step) -> Result<(), String> {
        let ok = |b: bool| if b { Ok(()) } else { Err("does not follow".to_string()) };
        let c = &s.clause;
        let no_premises = s.premises.is_empty();
        if c.is_empty() && s.rule != "resolution" {
            return ok(false);
        }
        match s.rule.as_str() {
            "hole" => Ok(()),
            "true" => ok(c.len() == 1 && self.leaf(c[0]) == "true"),
            "false" => ok(c.len() == 1 && self.negated(c[0]).is_some_and(|t| self.leaf(t) == "false")),
            "resolution" => ok(self.resolves(&s.premises, c)),
            "or" => {
                let [premise] = &s.premises[..] else { return ok(false) };
                let ("or", args) = self.op(*premise.first().ok_or("an empty premise")?) else {
                    return ok(false);
                };
                ok(premise.len() == 1 && args == c)
            }
            "and_pos" | "and_neg" | "or_pos" | "or_neg" | "implies_pos" | "implies_neg1" | "implies_neg2"
            | "equiv_pos1" | "equiv_pos2" | "equiv_neg1" | "equiv_neg2" | "ite_pos1" | "ite_pos2"
            | "ite_neg1" | "ite_neg2" => {
                ok(no_premises && self.tautology(s).is_some_and(|expected| expected == *c))
            }
            "not_not" => {
                let inner = self.negated(c[0]).and_then(|t| self.negated(t)).and_then(|t| self.negated(t));
                ok(c.len() == 2 && inner == Some(c[1]))
            }
            "forall_inst" => self.forall_inst(s),
            "la_generic" => ok(c.len() == 1
                && s.args.len() == 1
                && self.leaf(s.args[0]) == "1"
                && self.holds(c[0]) == Some(true)),
            "la_disequality" => {
                let ("or", &[eq, below, above]) = self.op(c[0]) else { return ok(false) };
                let ("=", &[a, b]) = self.op(eq) else { return ok(false) };
                let (x, y) = (self.make("<=", &[a, b]), self.make("<=", &[b, a]));
                ok(c.len() == 1 && below == self.not(x) && above == self.not(y))
            }
            _ => {
                let (1, ("=", &[left, right])) = (c.len(), self.op(*c.first().ok_or("no literal")?)) else {
                    return ok(false);
                };
                self.equality(s, left, right).and_then(ok)
            }
        }
    }

    /// Rules whose conclusions are equalities.
    fn equality(&mut self, s: &Step, left: T, right: T) -> Result<bool, String> {
        let numbers = |c: &Checker, t: T| c.op(t).1.iter().map(|&a| c.number(a)).collect::<Option<Vec<_>>>();
        let (op, args) = self.op(left);
        let (op, args) = (op.to_string(), args.to_vec());
        Ok(match s.rule.as_str() {
            "refl" => left == right,
            "cong" => {
                let (other, new) = self.op(right);
                if op != other
                    || args.len() != new.len()
                    || self.list(left)?[0] != self.list(right)?[0]
                    || s.premises.is_empty()
                {
                    return Ok(false);
                }
                let new = new.to_vec();
                let mut premises = s.premises.iter();
                for (a, b) in args.into_iter().zip(new) {
                    if a != b {
                        let equality = self.make("=", &[a, b]);
                        if premises.next() != Some(&vec![equality]) {
                            return Ok(false);
                        }
                    }
                }
                premises.next().is_none()
            }
            "trans" => {
                let mut at = left;
                for p in &s.premises {
                    match (p.len(), self.op(p[0])) {
                        (1, ("=", &[a, b])) if a == at => at = b,
                        _ => return Ok(false),
                    }
                }
                at == right && !s.premises.is_empty()
            }
            "sum_simplify" => {
                op == "+" && numbers(self, left).map(|n| n.iter().sum::<Rational>()) == self.number(right)
            }
            "prod_simplify" => {
                let product = |n: Vec<Rational>| n.iter().fold(Rational::ONE, |a, b| &a * b);
                op == "*" && numbers(self, left).map(product).is_some_and(|p| Some(p) == self.number(right))
            }
            "div_simplify" | "mod_simplify" => {
                let Some([a, b]) = numbers(self, left).and_then(|n| <[Rational; 2]>::try_from(n).ok()) else {
                    return Ok(false);
                };
                let expected = match (s.rule.as_str(), op.as_str()) {
                    ("div_simplify", "/") => a.checked_div(&b),
                    ("div_simplify", "div") => a.div_euclid(&b),
                    ("mod_simplify", "mod") => a.rem_euclid(&b),
                    _ => None,
                };
                expected.is_some() && expected == self.number(right)
            }
            "ite_simplify" => match (op.as_str(), &args[..]) {
                ("ite", &[c, a, b]) => match self.leaf(c) {
                    "true" => a == right,
                    "false" => b == right,
                    _ => false,
                },
                _ => false,
            },
            "not_simplify" => self.negated(left).and_then(|t| self.negated(t)) == Some(right),
            "nary_elim" => {
                let expected = match op.as_str() {
                    "=>" => {
                        let (&last, before) = args.split_last().ok_or("no arguments")?;
                        before.iter().rev().fold(last, |head, &a| self.make("=>", &[a, head]))
                    }
                    "=" => {
                        let pairs: Vec<T> = args.windows(2).map(|w| self.make("=", w)).collect();
                        self.make("and", &pairs)
                    }
                    _ => return Ok(false),
                };
                expected == right
            }
            "distinct_elim" => {
                let mut pairs = Vec::new();
                for i in 0..args.len() {
                    for j in i + 1..args.len() {
                        let same = self.make("=", &[args[i], args[j]]);
                        pairs.push(self.not(same));
                    }
                }
                op == "distinct"
                    && right == if let [only] = pairs[..] { only } else { self.make("and", &pairs) }
            }
            "connective_def" => match (op.as_str(), &args[..]) {
                ("xor", &[a, b]) => {
                    let (na, nb) = (self.not(a), self.not(b));
                    let (x, y) = (self.make("and", &[na, b]), self.make("and", &[a, nb]));
                    right == self.make("or", &[x, y])
                }
                ("forall", &[variables, body]) => {
                    let denied = self.not(body);
                    let some = self.make("exists", &[variables, denied]);
                    right == self.not(some)
                }
                _ => false,
            },
            "bind" => {
                let Some((_, variables, Some(inner))) = self.subproof.take() else { return Ok(false) };
                let (other, new) = self.op(right);
                let is_quantifier =
                    matches!(op.as_str(), "forall" | "exists") && op == other && args.len() == 2;
                let (new, bound) = (new.to_vec(), self.add(Tree::Node(variables)));
                is_quantifier && new.len() == 2 && args[0] == bound && new[0] == bound && {
                    let expected = self.make("=", &[args[1], new[1]]);
                    inner == [expected]
                }
            }
            other => return Err(format!("unknown rule {other}")),
        })
    }

    fn negated(&self, t: T) -> Option<T> {
        match self.op(t) {
            ("not", &[a]) => Some(a),
            _ => None,
        }
    }

    /// Do the premises, resolved from left to right, give the clause?
    fn resolves(&mut self, premises: &[Vec<T>], clause: &[T]) -> bool {
        let Some((first, rest)) = premises.split_first() else { return false };
        let mut now: BTreeSet<T> = first.iter().copied().collect();
        for p in rest {
            let mut pivot = None;
            for &l in p {
                let opposite = self.not(l);
                if now.contains(&opposite) {
                    pivot = Some((opposite, l));
                } else if let Some(inner) = self.negated(l).filter(|i| now.contains(i)) {
                    pivot = Some((inner, l));
                }
            }
            let Some((mine, theirs)) = pivot else { return false };
            now.remove(&mine);
            now.extend(p.iter().copied().filter(|&l| l != theirs));
        }
        now == clause.iter().copied().collect()
    }

    /// The clause that a rule about a connective has for the formula that comes first.
    fn tautology(&mut self, s: &Step) -> Option<Vec<T>> {
        let first = *s.clause.first()?;
        let is_pos = s.rule.contains("_pos");
        let t = if is_pos { self.negated(first)? } else { first };
        let (op, args) = self.op(t);
        let name = match op {
            "=>" => "implies",
            "=" => "equiv",
            op => op,
        };
        if !s.rule.starts_with(&format!("{name}_")) {
            return None;
        }
        let args = args.to_vec();
        let index = || self.leaf(*s.args.first()?).parse::<usize>().ok().and_then(|n| args.get(n).copied());
        let part = index();
        let mut of = |signs: &[(T, bool)]| {
            signs.iter().map(|&(t, sign)| if sign { t } else { self.not(t) }).collect::<Vec<T>>()
        };
        let rest = match (s.rule.as_str(), &args[..]) {
            ("and_pos", _) => vec![part?],
            ("or_neg", _) => of(&[(part?, false)]),
            ("and_neg", all) => of(&all.iter().map(|&a| (a, false)).collect::<Vec<_>>()),
            ("or_pos", all) => all.to_vec(),
            ("implies_pos" | "equiv_pos2", &[a, b]) => of(&[(a, false), (b, true)]),
            ("implies_neg1", &[a, _]) => vec![a],
            ("implies_neg2", &[_, b]) => of(&[(b, false)]),
            ("equiv_pos1", &[a, b]) => of(&[(a, true), (b, false)]),
            ("equiv_neg1", &[a, b]) => of(&[(a, false), (b, false)]),
            ("equiv_neg2", &[a, b]) => vec![a, b],
            ("ite_pos1", &[c, _, b]) => vec![c, b],
            ("ite_pos2", &[c, a, _]) => of(&[(c, false), (a, true)]),
            ("ite_neg1", &[c, _, b]) => of(&[(c, true), (b, false)]),
            ("ite_neg2", &[c, a, _]) => of(&[(c, false), (a, false)]),
            _ => return None,
        };
        Some([vec![first], rest].concat())
    }

    fn forall_inst(&mut self, s: &Step) -> Result<(), String> {
        let wrong = || "does not follow".to_string();
        let ("or", &[denied, instance]) = self.op(*s.clause.first().ok_or("no literal")?) else {
            return Err(wrong());
        };
        let all = self.negated(denied).ok_or_else(wrong)?;
        let ("forall", &[variables, body]) = self.op(all) else { return Err(wrong()) };
        let mut by = HashMap::new();
        let variables = self.list(variables)?;
        if variables.len() != s.args.len() {
            return Err("not one value for each variable".into());
        }
        for (&v, &a) in variables.iter().zip(&s.args) {
            let (pair, argument) = (self.list(v)?, self.list(a)?);
            if argument.len() != 3 || self.leaf(argument[0]) != ":=" || argument[1] != pair[0] {
                return Err("a value for another variable".into());
            }
            let is_number = self.number(argument[2]).is_some();
            let has_sort = match self.leaf(pair[1]) {
                "Int" => is_number && !self.show(argument[2]).contains('.'),
                "Real" => is_number && self.show(argument[2]).contains('.'),
                "Bool" => matches!(self.leaf(argument[2]), "true" | "false"),
                _ => true,
            };
            if !has_sort {
                return Err("a value of another sort".into());
            }
            by.insert(pair[0], argument[2]);
        }
        let expected = self.substitute(body, &by, &mut HashMap::new());
        if s.clause.len() == 1 && expected == instance { Ok(()) } else { Err(wrong()) }
    }

    /// A number: a numeral, its negation, a quotient of numerals.
    fn number(&self, t: T) -> Option<Rational> {
        match self.op(t) {
            ("-", &[a]) => Some(-self.number(a)?),
            ("/", &[a, b]) => Rational::parse(self.leaf(a))?.checked_div(&Rational::parse(self.leaf(b))?),
            _ => Rational::parse(self.leaf(t)),
        }
    }

    /// The value of a linear term without variables.
    fn linear(&self, t: T) -> Option<Rational> {
        if let Some(n) = self.number(t) {
            return Some(n);
        }
        let (op, args) = self.op(t);
        let mut values = Vec::new();
        for &a in args {
            values.push(self.linear(a)?);
        }
        match (op, &values[..]) {
            ("+", [_, ..]) => Some(values.iter().sum()),
            ("-", [a]) => Some(-a),
            ("-", [a, rest @ ..]) => Some(a - &rest.iter().sum::<Rational>()),
            ("*", [a, b]) if args.iter().any(|&x| self.number(x).is_some()) => Some(a * b),
            _ => None,
        }
    }

    /// Does a literal of arithmetic hold?
    fn holds(&self, t: T) -> Option<bool> {
        let (t, sign) = self.negated(t).map_or((t, true), |inner| (inner, false));
        let (op, &[a, b]) = self.op(t) else { return None };
        let (a, b) = (self.linear(a)?, self.linear(b)?);
        let value = match op {
            "<" => a < b,
            "<=" => a <= b,
            ">" => a > b,
            ">=" => a >= b,
            // The rule derives no equality.
            "=" if !sign => a == b,
            _ => return None,
        };
        Some(value == sign)
    }
}
