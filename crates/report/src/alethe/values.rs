//! Values of terms without variables: numbers and Booleans are computed here, everything else by the evaluator of the store.

use super::Flaw;
use super::terms::{Id, Node, Terms, number};
use bolide_base::Rational;
use bolide_smtlib::{Command, Reader, Scope, print_value, read_term};
use bolide_term::{Evaluator, Model, Sort, Store, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a term is worth.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Worth {
    Bool(bool),
    Number(Rational),
    /// Anything else, as a term that is its own value.
    Other(Id),
}

impl Worth {
    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Worth::Bool(b) = self { Some(*b) } else { None }
    }
}

/// Evaluates terms of a text.
pub(super) struct Values {
    store: Store,
    scope: Scope,
    memo: FxHashMap<Id, Option<Worth>>,
    /// A value of each sort that one was asked for.
    defaults: FxHashMap<Id, Option<Id>>,
}

impl Values {
    /// Knows what a text declares.
    pub(super) fn new(text: &[u8]) -> Result<Values, Flaw> {
        let (mut store, mut scope, mut reader) = (Store::new(), Scope::new(), Reader::new(text));
        while let Some(command) = reader.next_command(&mut store, &mut scope) {
            command.map_err(|_| Flaw::Unread)?;
        }
        Ok(Values { store, scope, memo: FxHashMap::default(), defaults: FxHashMap::default() })
    }

    /// The value of a term without variables and predicates.
    pub(super) fn of(&mut self, terms: &mut Terms, t: Id) -> Option<Worth> {
        if let Some(known) = self.memo.get(&t) {
            return known.clone();
        }
        let value = self.compute(terms, t);
        self.memo.insert(t, value.clone());
        value
    }

    fn compute(&mut self, terms: &mut Terms, t: Id) -> Option<Worth> {
        let (op, args) = terms.parts(t);
        if args.is_empty() {
            return match &*op {
                "true" => Some(Worth::Bool(true)),
                "false" => Some(Worth::Bool(false)),
                _ if is_numeral(&op) => Rational::parse(&op).map(Worth::Number),
                _ => self.by_store(terms, t),
            };
        }
        if !is_known(&op) {
            return self.by_store(terms, t);
        }
        if &*op == "ite" && args.len() == 3 {
            let condition = self.of(terms, args[0])?.as_bool()?;
            return self.of(terms, args[if condition { 1 } else { 2 }]);
        }
        let mut values = Vec::with_capacity(args.len());
        for &a in args.iter() {
            values.push(self.of(terms, a)?);
        }
        applied(&op, &values).or_else(|| self.by_store(terms, t))
    }

    /// The value of a term that has other operators than those of numbers and Booleans.
    fn by_store(&mut self, terms: &mut Terms, t: Id) -> Option<Worth> {
        let read = read_term(&terms.print(t), &mut self.store, &mut self.scope).ok()?;
        let sort = self.store.sort_of(read);
        let value = Evaluator::strict(&self.store, &Model::new()).eval(read).ok()?;
        self.worth(terms, &value, sort)
    }

    fn worth(&self, terms: &mut Terms, value: &Value, sort: Sort) -> Option<Worth> {
        match value {
            Value::Bool(b) => Some(Worth::Bool(*b)),
            Value::Num(n) => Some(Worth::Number(n.clone())),
            _ => {
                let text = print_value(&self.store, value, sort).to_string();
                terms.read(&text).ok()?.first().map(|&(id, _)| Worth::Other(id))
            }
        }
    }

    /// Some value of a sort.
    pub(super) fn default_of(&mut self, terms: &mut Terms, sort: Id) -> Option<Id> {
        match terms.text(sort) {
            "Int" => return Some(terms.atom("0")),
            "Real" => return Some(terms.atom("0.0")),
            "Bool" => return Some(terms.atom("false")),
            _ => {}
        }
        if let Some(&known) = self.defaults.get(&sort) {
            return known;
        }
        let text = format!("(declare-const @value.{} {})", self.defaults.len(), terms.print(sort));
        let command = Reader::new(text.as_bytes()).next_command(&mut self.store, &mut self.scope);
        let declared = command.and_then(Result::ok).and_then(|located| match located.command {
            Command::DeclareFun(f) => Some(self.store.decl(f).result),
            _ => None,
        });
        let value = declared.and_then(|sort| {
            let value = Value::default_of(&self.store, sort);
            match self.worth(terms, &value, sort)? {
                Worth::Other(id) => Some(id),
                Worth::Number(n) => Some(number(terms, &n, sort != Sort::INT)),
                Worth::Bool(b) => Some(terms.atom(if b { "true" } else { "false" })),
            }
        });
        self.defaults.insert(sort, value);
        value
    }
}

/// Is this a constant for a number?
pub(super) fn is_numeral(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Is this a number that checkers read as one: a numeral, its negation, a quotient of two?
pub(super) fn is_constant(terms: &Terms, t: Id) -> bool {
    let (op, args) = terms.parts(t);
    match (&*op, &*args) {
        (_, []) => matches!(terms.node(t), Node::Atom(_)) && is_numeral(&op),
        ("-", &[a]) => is_constant(terms, a) && &*terms.parts(a).0 != "-",
        ("/", &[a, b]) => is_numeral(terms.text(a)) && is_numeral(terms.text(b)),
        _ => false,
    }
}

/// Is a numeric term of sort Real?
pub(super) fn is_real(terms: &Terms, t: Id) -> bool {
    let (mut todo, mut seen) = (vec![t], FxHashSet::default());
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        let (op, args) = terms.parts(t);
        match (&*op, &*args) {
            ("/" | "to_real", _) => return true,
            ("+" | "-" | "*", args) if !args.is_empty() => todo.extend(args),
            ("ite", args) if args.len() == 3 => todo.extend(&args[1..]),
            (op, []) if is_numeral(op) && op.contains('.') => return true,
            _ => {}
        }
    }
    false
}

fn is_known(op: &str) -> bool {
    matches!(
        op,
        "not"
            | "and"
            | "or"
            | "=>"
            | "xor"
            | "ite"
            | "="
            | "distinct"
            | "+"
            | "-"
            | "*"
            | "/"
            | "div"
            | "mod"
            | "abs"
            | "<"
            | "<="
            | ">"
            | ">="
            | "to_real"
            | "to_int"
            | "is_int"
    )
}

/// An operator of numbers and Booleans applied to values.
fn applied(op: &str, args: &[Worth]) -> Option<Worth> {
    let bools: Option<Vec<bool>> = args.iter().map(Worth::as_bool).collect();
    let numbers: Option<Vec<&Rational>> =
        args.iter().map(|a| if let Worth::Number(n) = a { Some(n) } else { None }).collect();
    if let Some(b) = &bools {
        let value = match op {
            "not" => !*b.first()?,
            "and" => b.iter().all(|&x| x),
            "or" => b.iter().any(|&x| x),
            "=>" => b[..b.len() - 1].iter().any(|&x| !x) || *b.last()?,
            "xor" => b.iter().fold(false, |x, &y| x != y),
            "=" => b.windows(2).all(|w| w[0] == w[1]),
            "distinct" => b.len() == 2 && b[0] != b[1],
            _ => return None,
        };
        return Some(Worth::Bool(value));
    }
    if let Some(n) = &numbers {
        let chain = |holds: fn(&Rational, &Rational) -> bool| n.windows(2).all(|w| holds(w[0], w[1]));
        let fold = |f: fn(&Rational, &Rational) -> Option<Rational>| {
            let (first, rest) = n.split_first()?;
            rest.iter().try_fold((*first).clone(), |a, b| f(&a, b))
        };
        let value = match op {
            "=" => return Some(Worth::Bool(chain(|a, b| a == b))),
            "<" => return Some(Worth::Bool(chain(|a, b| a < b))),
            "<=" => return Some(Worth::Bool(chain(|a, b| a <= b))),
            ">" => return Some(Worth::Bool(chain(|a, b| a > b))),
            ">=" => return Some(Worth::Bool(chain(|a, b| a >= b))),
            "distinct" => {
                let differ = n.iter().enumerate().all(|(i, a)| n[..i].iter().all(|b| a != b));
                return Some(Worth::Bool(differ));
            }
            "is_int" => return Some(Worth::Bool(n.first()?.is_integer())),
            "-" if n.len() == 1 => Some(-n[0]),
            "+" => fold(|a, b| Some(a + b)),
            "-" => fold(|a, b| Some(a - b)),
            "*" => fold(|a, b| Some(a * b)),
            "/" => fold(|a, b| a.checked_div(b)),
            "div" => fold(|a, b| a.div_euclid(b)),
            "mod" => fold(|a, b| a.rem_euclid(b)),
            "abs" => n.first().map(|a| a.abs()),
            "to_real" => n.first().map(|&a| a.clone()),
            "to_int" => n.first().map(|a| a.floor()),
            _ => None,
        };
        return value.map(Worth::Number);
    }
    match (op, args) {
        ("=", [Worth::Other(a), Worth::Other(b)]) if a == b => Some(Worth::Bool(true)),
        _ => None,
    }
}
