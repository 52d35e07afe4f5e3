//! From the definitions of a file to a circuit: every literal is defined once, and no gate depends on itself.

use super::Error;
use super::parse::{Raw, RawGate};
use bolide_model::circuit::{Bit, Circuit};
use rustc_hash::FxHashMap;

pub fn build(raw: Raw) -> Result<Circuit, Error> {
    let mut builder = Builder { bits: FxHashMap::default(), gates: FxHashMap::default(), raw: &raw };
    let mut circuit = Circuit::new();
    for &lit in &raw.inputs {
        let input = circuit.add_input();
        builder.define(lit, input, 1)?;
    }
    for (number, latch) in raw.latches.iter().enumerate() {
        let bit = circuit.add_latch(latch.reset);
        builder.define(latch.lit, bit, raw.latch_line + number)?;
    }
    for (number, gate) in raw.gates.iter().enumerate() {
        let again = builder.gates.insert(gate.lit, number).is_some();
        if again || builder.bits.contains_key(&gate.lit) {
            return Err(defined_twice(gate.lit, raw.gate_line + number));
        }
    }
    for number in 0..raw.gates.len() {
        builder.add_gate(&mut circuit, number)?;
    }
    for (number, latch) in raw.latches.iter().enumerate() {
        circuit.latches[number].next = builder.bit(latch.next, raw.latch_line + number)?;
    }
    let bits =
        |lits: &[u32]| lits.iter().map(|&lit| builder.bit(lit, 1)).collect::<Result<Vec<Bit>, Error>>();
    circuit.bads = bits(&raw.bads)?;
    circuit.constraints = bits(&raw.constraints)?;
    Ok(circuit)
}

struct Builder<'a> {
    /// The bits of even literals that are done.
    bits: FxHashMap<u32, Bit>,
    /// The gates by their literal.
    gates: FxHashMap<u32, usize>,
    raw: &'a Raw,
}

impl Builder<'_> {
    fn define(&mut self, lit: u32, bit: Bit, line: usize) -> Result<(), Error> {
        match self.bits.insert(lit, bit) {
            Some(_) => Err(defined_twice(lit, line)),
            None => Ok(()),
        }
    }

    /// The bit of a literal, if it is done.
    fn done(&self, lit: u32) -> Option<Bit> {
        match lit {
            0 | 1 => Some(Bit::constant(lit == 1)),
            _ => Some(*self.bits.get(&(lit & !1))? ^ (lit % 2 == 1)),
        }
    }

    fn bit(&self, lit: u32, line: usize) -> Result<Bit, Error> {
        self.done(lit).ok_or_else(|| Error {
            line,
            column: 1,
            flaw: format!("literal {lit} is not defined").into(),
        })
    }

    /// Adds the gate after everything it depends on. Files written in order need no detour.
    fn add_gate(&mut self, circuit: &mut Circuit, number: usize) -> Result<(), Error> {
        let mut open = vec![(number, false)];
        // Gates whose fan-in is under way.
        let mut active: FxHashMap<u32, ()> = FxHashMap::default();
        while let Some((number, entered)) = open.pop() {
            let RawGate { lit, fanin } = self.raw.gates[number];
            if self.bits.contains_key(&lit) {
                continue;
            }
            let missing: Vec<u32> = fanin.into_iter().filter(|&lit| self.done(lit).is_none()).collect();
            if missing.is_empty() {
                let line = self.raw.gate_line + number;
                let bit = circuit.aig.and(self.bit(fanin[0], line)?, self.bit(fanin[1], line)?);
                self.bits.insert(lit, bit);
                active.remove(&lit);
                continue;
            }
            let line = self.raw.gate_line + number;
            if entered || active.insert(lit, ()).is_some() {
                return Err(Error { line, column: 1, flaw: format!("gate {lit} depends on itself").into() });
            }
            open.push((number, true));
            for lit in missing {
                match self.gates.get(&(lit & !1)) {
                    Some(&gate) => open.push((gate, false)),
                    None => {
                        return Err(self.bit(lit, line).err().unwrap_or_else(|| defined_twice(lit, line)));
                    }
                }
            }
        }
        Ok(())
    }
}

fn defined_twice(lit: u32, line: usize) -> Error {
    Error { line, column: 1, flaw: format!("literal {lit} is defined twice").into() }
}
