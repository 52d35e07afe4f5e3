//! No text makes the reader panic, and printing what it accepted works.

use crate::{PRELUDE, Random};
use bolide_smtlib::{Command, Reader, Scope, print_term};
use bolide_term::Store;
use bolide_testkit::rounds;

/// A script that uses every command and most of the syntax.
const SCRIPT: &str = r#"
(set-info :source |quoted text|) (set-option :produce-interpolants true) (set-logic ALL)
(define-fun inc ((n Int) (k Bool)) Int (ite k (+ n 1) n)) (define-const two Int 2)
(define-sort Vec (T) (Array Int T)) (declare-sort Pair 2) (declare-const pr (Pair Int (Vec Bool)))
(declare-const vec (Vec (_ BitVec 8))) (push 1)
(assert (! (and (< x (inc y p)) (=> p q (h (not q) 3))) :named A))
(assert (! (let ((k (* 2 x)) (l (- y 1.5))) (or (distinct k 3 z) (<= r l (/ s 3)))) :named B))
(assert (forall ((i Int) (j U)) (! (exists ((i Bool)) (or i (= (g r j) c))) :pattern ((f i)))))
(assert (= (select (store a x (mod y 3)) (div z 0)) (select ((as const (Array Int Int)) 0) 1)))
(assert (bvult (bvadd u #x0f (bvsub v (_ bv3 8))) ((_ zero_extend 4) ((_ extract 5 2) u))))
(assert (= (concat w #b101) ((_ rotate_left 2) ((_ repeat 2) w)))) (assert ((_ divisible 3) (bv2nat u)))
(assert (= ((_ int2bv 8) (to_int (abs r))) (bvshl (bvneg u) (bvsdiv u v)))) (assert (is_int (to_real x)))
(check-sat) (check-sat-assuming (p (not q))) (get-value (x (+ x 1))) (get-interpolants A (B) (and A B))
(pop 1) (echo "say ""hi""") (declare-rel inv (Int)) (declare-var vv Int) (rule (=> (inv vv) p) name)
(query inv :k v) (get-info :name) (reset-assertions) (reset) (exit)
"#;

/// Reads a text to its end; prints what was asserted.
fn survive(text: &[u8]) {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let mut reader = Reader::new(text);
    while let Some(result) = reader.next_command(&mut store, &mut scope) {
        match result {
            Ok(located) => {
                if let Command::Assert { term, .. } = located.command {
                    print_term(&store, term).to_string();
                }
            }
            Err(error) => assert!(error.span.start <= text.len() && error.line > 0 && error.column > 0),
        }
    }
}

#[test]
fn the_script_is_accepted() {
    let (mut store, mut scope) = (Store::new(), Scope::new());
    let text = format!("{PRELUDE}{SCRIPT}");
    for result in crate::commands(&text, &mut store, &mut scope) {
        result.unwrap();
    }
}

#[test]
fn random_bytes() {
    let mut rng = Random::new(1);
    for _ in 0..rounds(20_000) {
        let text: Vec<u8> = (0..rng.below(60)).map(|_| rng.bits() as u8).collect();
        survive(&text);
    }
}

#[test]
fn random_tokens() {
    let tokens: Vec<&str> = PRELUDE.split_inclusive(' ').chain(SCRIPT.split_inclusive(' ')).collect();
    let mut rng = Random::new(2);
    for _ in 0..rounds(20_000) {
        let text: String = (0..rng.below(30)).map(|_| rng.pick(&tokens)).collect();
        survive(text.as_bytes());
    }
}

/// Byte ranges of the tokens and parenthesised groups of a text.
fn pieces(text: &[u8]) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut out = Vec::new();
    let mut token = None;
    for (i, &b) in text.iter().enumerate() {
        if matches!(b, b'(' | b')' | b' ' | b'\n') {
            out.extend(token.take().map(|from| (from, i)));
        } else if token.is_none() {
            token = Some(i);
        }
        match b {
            b'(' => open.push(i),
            b')' => out.extend(open.pop().map(|from| (from, i + 1))),
            _ => {}
        }
    }
    out
}

#[test]
fn mutated_scripts() {
    let original = format!("{PRELUDE}{SCRIPT}").into_bytes();
    for seed in 0..rounds(10_000) as u64 {
        let mut rng = Random::new(seed);
        let mut text = original.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(text.len());
            match rng.below(5) {
                0 => text[at] = rng.bits() as u8,
                1 => {
                    text.remove(at);
                }
                2 => text.insert(at, rng.pick(b"()|\";: #019xa-!_.\xff\r")),
                _ => {
                    // One token or group takes the place of another.
                    let all = pieces(&text);
                    let (from, to) = (rng.pick(&all), rng.pick(&all));
                    let piece = text[from.0..from.1].to_vec();
                    text.splice(to.0..to.1, piece);
                }
            }
        }
        survive(&text);
    }
}
