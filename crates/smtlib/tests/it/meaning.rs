//! Random texts against an interpreter of SMT-LIB that shares nothing with the reader.

use crate::{Random, prelude};
use bolide_smtlib::{print_term, read_term};
use bolide_term::{Evaluator, Model, Value};
use bolide_testkit::rounds;
use std::collections::HashMap;

/// A random text together with its value.
struct Sample {
    text: String,
    /// Truth values are 0 and 1.
    value: i64,
}

struct Generator {
    rng: Random,
    /// Values of visible Int and Bool symbols, the innermost last.
    ints: Vec<(String, i64)>,
    bools: Vec<(String, bool)>,
}

impl Generator {
    fn visible<T: Copy>(&mut self, of: fn(&Generator) -> &Vec<(String, T)>) -> (String, T) {
        let latest: HashMap<String, T> = of(self).iter().cloned().collect();
        let i = self.rng.below(of(self).len());
        let name = of(self)[i].0.clone();
        let value = latest[&name];
        (name, value)
    }

    fn many(&mut self, n: usize, depth: usize, is_bool: bool) -> (String, Vec<i64>) {
        let samples: Vec<Sample> = (0..n).map(|_| self.term(depth, is_bool)).collect();
        let texts: Vec<&str> = samples.iter().map(|s| s.text.as_str()).collect();
        (texts.join(" "), samples.iter().map(|s| s.value).collect())
    }

    fn term(&mut self, depth: usize, is_bool: bool) -> Sample {
        if depth > 0 && self.rng.below(8) == 0 {
            return self.binding(depth - 1, is_bool);
        }
        if is_bool { self.formula(depth) } else { self.number(depth) }
    }

    /// `let` with one Int and one Bool binding, possibly of visible names.
    fn binding(&mut self, depth: usize, is_bool: bool) -> Sample {
        let (i, b) = (self.term(depth, false), self.term(depth, true));
        let (ni, nb) = (self.rng.pick(&["x", "y", "k"]), self.rng.pick(&["p", "q", "l"]));
        self.ints.push((ni.to_owned(), i.value));
        self.bools.push((nb.to_owned(), b.value != 0));
        let body = self.term(depth, is_bool);
        self.ints.pop();
        self.bools.pop();
        Sample {
            text: format!("(let (({ni} {}) ({nb} {})) {})", i.text, b.text, body.text),
            value: body.value,
        }
    }

    fn number(&mut self, depth: usize) -> Sample {
        if depth == 0 {
            return if self.rng.below(2) == 0 {
                let value = self.rng.below(5) as i64;
                Sample { text: value.to_string(), value }
            } else {
                let (text, value) = self.visible(|g| &g.ints);
                Sample { text, value }
            };
        }
        let n = 1 + self.rng.below(3);
        let d = depth - 1;
        let (head, args, value) = match self.rng.below(8) {
            0 => {
                let (t, v) = self.many(n, d, false);
                ("+", t, v.iter().sum())
            }
            1 => {
                let (t, v) = self.many(1, d, false);
                ("*", format!("{t} (- 2)"), -2 * v[0])
            }
            2 => {
                let (t, v) = self.many(1, d, false);
                (self.rng.pick(&["-", "~"]), t, -v[0])
            }
            3 => {
                let (t, v) = self.many(n + 1, d, false);
                ("-", t, v[0] - v[1..].iter().sum::<i64>())
            }
            4 => {
                let (t, v) = self.many(1, d, false);
                let k = self.rng.pick(&[1i64, 2, 3, 5]);
                ("div", format!("{t} {k}"), v[0].div_euclid(k))
            }
            5 => {
                let (t, v) = self.many(1, d, false);
                let k = self.rng.pick(&[1i64, 2, 3, 5]);
                ("mod", format!("{t} (- {k})"), v[0].rem_euclid(k))
            }
            6 => {
                let (t, v) = self.many(1, d, false);
                ("abs", t, v[0].abs())
            }
            _ => {
                let (c, t) = (self.term(d, true), self.many(2, d, false));
                ("ite", format!("{} {}", c.text, t.0), if c.value != 0 { t.1[0] } else { t.1[1] })
            }
        };
        Sample { text: format!("({head} {args})"), value }
    }

    fn formula(&mut self, depth: usize) -> Sample {
        if depth == 0 {
            let (text, value) = self.visible(|g| &g.bools);
            return Sample { text, value: value.into() };
        }
        let n = 2 + self.rng.below(2);
        let d = depth - 1;
        let pairs = |v: &[i64], holds: fn(i64, i64) -> bool| v.windows(2).all(|w| holds(w[0], w[1]));
        let (head, args, value) = match self.rng.below(12) {
            0 => {
                let (t, v) = self.many(1, d, true);
                ("not", t, v[0] == 0)
            }
            1 => {
                let (t, v) = self.many(n, d, true);
                ("and", t, v.iter().all(|&b| b != 0))
            }
            2 => {
                let (t, v) = self.many(n, d, true);
                ("or", t, v.iter().any(|&b| b != 0))
            }
            3 => {
                let (t, v) = self.many(n, d, true);
                ("xor", t, v.iter().sum::<i64>() % 2 == 1)
            }
            4 => {
                let (t, v) = self.many(n, d, true);
                ("=>", t, v[..n - 1].contains(&0) || v[n - 1] != 0)
            }
            5 => {
                let is_bool = self.rng.below(2) == 0;
                let (t, v) = self.many(n, d, is_bool);
                ("=", t, pairs(&v, |a, b| a == b))
            }
            6 => {
                let (t, v) = self.many(n, d, false);
                ("distinct", t, (0..n).all(|i| !v[..i].contains(&v[i])))
            }
            7 => {
                let (t, v) = self.many(n, d, false);
                ("<", t, pairs(&v, |a, b| a < b))
            }
            8 => {
                let (t, v) = self.many(n, d, false);
                ("<=", t, pairs(&v, |a, b| a <= b))
            }
            9 => {
                let (t, v) = self.many(n, d, false);
                (">", t, pairs(&v, |a, b| a > b))
            }
            10 => {
                let (t, v) = self.many(n, d, false);
                (">=", t, pairs(&v, |a, b| a >= b))
            }
            _ => {
                let (c, t) = (self.term(d, true), self.many(2, d, true));
                let chosen = if c.value != 0 { t.1[0] } else { t.1[1] };
                ("ite", format!("{} {}", c.text, t.0), chosen != 0)
            }
        };
        Sample { text: format!("({head} {args})"), value: value.into() }
    }
}

#[test]
fn random_texts_have_their_value() {
    let (mut store, mut scope) = prelude();
    for seed in 0..rounds(20_000) as u64 {
        let mut rng = Random::new(seed);
        let ints = ["x", "y", "z"].map(|n| (n.to_owned(), rng.below(7) as i64 - 3));
        let bools = ["p", "q", "b"].map(|n| (n.to_owned(), rng.below(2) == 1));
        let mut model = Model::new();
        for (name, value) in &ints {
            let sort = store.int_sort();
            let f = store.func(name, &[], sort);
            model.set(f, Value::Num((*value).into()));
        }
        for (name, value) in &bools {
            let sort = store.bool_sort();
            let f = store.func(name, &[], sort);
            model.set(f, Value::Bool(*value));
        }
        let is_bool = rng.below(2) == 0;
        let depth = rng.below(5);
        let mut generator = Generator { rng, ints: ints.to_vec(), bools: bools.to_vec() };
        let sample = generator.term(depth, is_bool);
        let t = read_term(&sample.text, &mut store, &mut scope).unwrap();
        let expected = if is_bool { Value::Bool(sample.value != 0) } else { Value::Num(sample.value.into()) };
        assert_eq!(Evaluator::new(&store, &model).eval(t).as_ref(), Ok(&expected), "{}", sample.text);
        let printed = print_term(&store, t).to_string();
        let again = read_term(&printed, &mut store, &mut scope).unwrap();
        assert_eq!(Evaluator::new(&store, &model).eval(again), Ok(expected), "{printed}");
    }
}
