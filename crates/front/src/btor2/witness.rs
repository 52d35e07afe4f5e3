//! Runs as BTOR2 witnesses: the values of states that the file leaves open, and of all inputs.
//!
//! For a file with large arrays, of which only some elements are tracked, comments say which these are and what was read:
//! the bits of all latches and inputs of the circuit. Such a witness can only be read with them.

use super::{Design, Error, Flaw, Sort, memory};
use crate::aiger::Witness;
use bolide_model::circuit::{Lanes, Trace};
use std::fmt::Write;

/// How comments begin that have the bits of all latches of the first step, and of all inputs of a step.
const LATCHES: &str = "; latches ";
const INPUTS: &str = "; inputs ";

impl Design {
    /// The run into the property's bad state as text.
    pub fn write_witness(&self, property: usize, trace: &Trace) -> String {
        let mut text = format!("sat\nb{property}\n");
        let mut lanes = Lanes::new(&self.circuit.aig);
        for (latch, &value) in self.circuit.latches.iter().zip(&trace.initial) {
            lanes.set(latch.node, value as u64);
        }
        for (step, inputs) in trace.inputs.iter().enumerate() {
            if step > 0 {
                lanes.clock(&self.circuit);
            }
            let latch = |number: usize| lanes.get(self.circuit.latches[number].node.into()) & 1 == 1;
            let _ = writeln!(text, "#{step}");
            if !self.memories.is_empty() {
                if step == 0 {
                    let _ = writeln!(text, "{LATCHES}{}", binary(trace.initial.iter().copied()));
                }
                let _ = writeln!(text, "{INPUTS}{}", binary(inputs.iter().copied()));
            }
            for (number, state) in self.states.iter().enumerate() {
                // Later values follow from the first ones, unless the file gives no next value.
                if step == 0 && !state.is_reset || step > 0 && state.free.is_some() {
                    self.write_state(&mut text, number, step, latch);
                }
            }
            let _ = writeln!(text, "@{step}");
            for (number, input) in self.inputs.iter().enumerate() {
                let bits = input.bits.iter().map(|&bit| inputs[bit]);
                let name = input.name.as_deref().unwrap_or("input");
                let _ = writeln!(text, "{number} {} {name}@{step}", binary(bits));
            }
            for (&input, &value) in self.circuit.inputs.iter().zip(inputs) {
                lanes.set(input, value as u64);
            }
            lanes.settle(&self.circuit.aig);
        }
        text.push_str(".\n");
        text
    }

    /// The value of a state; of a large array the elements that are tracked.
    fn write_state(&self, text: &mut String, number: usize, step: usize, latch: impl Fn(usize) -> bool) {
        let state = &self.states[number];
        let name = state.name.as_deref().unwrap_or("state");
        let bits: Vec<bool> = state.latches.iter().map(|&number| latch(number)).collect();
        let mut write_element = |place: &str, bits: &[bool]| {
            let bits = binary(bits.iter().copied());
            let _ = writeln!(text, "{number} [{place}] {bits} {name}@{place}#{step}");
        };
        match state.sort {
            Sort::Word(_) => {
                let _ = writeln!(text, "{number} {} {name}#{step}", binary(bits.into_iter()));
            }
            Sort::Array { index, element } => {
                for (place, bits) in bits.chunks(element).enumerate() {
                    write_element(&binary((0..index).map(|bit| place >> bit & 1 == 1)), bits);
                }
            }
            Sort::Memory { index, element } => {
                let memories = self.memories.iter().filter(|memory| memory.index == index);
                let addresses = memories.flat_map(|memory| &memory.latches);
                let mut written: Vec<String> = Vec::new();
                for (address, bits) in addresses.zip(memory::cells(&bits, element)) {
                    let place = binary(address.iter().map(|&number| latch(number)));
                    if !written.contains(&place) {
                        write_element(&place, bits);
                        written.push(place);
                    }
                }
            }
        }
    }

    /// Reads a run into a bad state. What it leaves open is zero.
    pub fn read_witness(&self, bytes: &[u8]) -> Result<Witness, Error> {
        let text = String::from_utf8_lossy(bytes);
        let mut reader = Reader::new(self);
        for (number, line) in text.lines().enumerate() {
            let error = |flaw| Error { line: number + 1, column: 1, flaw };
            if reader.line(line.trim()).map_err(error)? {
                return reader.finish().map_err(error);
            }
        }
        let line = text.lines().count().max(1);
        Err(Error { line, column: 1, flaw: "the witness ends without a dot".into() })
    }
}

/// What the next lines of a witness are about.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Section {
    /// The word `sat`.
    Start,
    /// The properties that are reached.
    Properties,
    /// The states of a step.
    States(usize),
    /// The inputs of a step.
    Inputs(usize),
}

/// A witness as far as it has been read.
struct Reader<'a> {
    design: &'a Design,
    section: Section,
    property: Option<usize>,
    trace: Trace,
    /// Was there a comment with the bits of all latches?
    has_latches: bool,
}

impl<'a> Reader<'a> {
    fn new(design: &'a Design) -> Reader<'a> {
        let latches = &design.circuit.latches;
        let initial = latches.iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        let trace = Trace { initial, inputs: Vec::new() };
        Reader { design, section: Section::Start, property: None, trace, has_latches: false }
    }

    /// Takes a line; true if it is the last one.
    fn line(&mut self, line: &str) -> Result<bool, Flaw> {
        match (self.section, line.as_bytes().first()) {
            (Section::States(step), Some(b';')) if !self.design.memories.is_empty() => {
                self.comment(step, line)?;
            }
            (_, None | Some(b';')) => {}
            (Section::Start, _) if line == "sat" => self.section = Section::Properties,
            (Section::Start, _) => return Err("expected `sat`, as a witness begins".into()),
            (_, Some(b'.')) => return Ok(true),
            (_, Some(b'#')) => {
                let step = self.step(&line[1..])?;
                self.section = Section::States(step);
            }
            (_, Some(b'@')) => {
                let step = self.step(&line[1..])?;
                self.section = Section::Inputs(step);
            }
            (Section::Properties, _) => self.properties(line)?,
            (Section::States(step), _) => self.assign_state(step, line)?,
            (Section::Inputs(step), _) => self.assign_input(step, line)?,
        }
        Ok(false)
    }

    /// The number of a step: the last one that there is, or the next.
    fn step(&mut self, digits: &str) -> Result<usize, Flaw> {
        let step = digits.parse().map_err(|_| format!("`{digits}` is not the number of a step"))?;
        let len = self.trace.inputs.len();
        if step == len {
            self.trace.inputs.push(vec![false; self.design.circuit.inputs.len()]);
        } else if step + 1 != len {
            return Err(format!("step {step} where {len} is expected").into());
        }
        Ok(step)
    }

    /// Takes the bits of a comment, if that is what it has.
    fn comment(&mut self, step: usize, line: &str) -> Result<(), Flaw> {
        if let Some(digits) = line.strip_prefix(LATCHES) {
            self.trace.initial = bits(digits, self.design.circuit.latches.len())?.collect();
            self.has_latches = true;
        } else if let Some(digits) = line.strip_prefix(INPUTS) {
            self.trace.inputs[step] = bits(digits, self.design.circuit.inputs.len())?.collect();
        }
        Ok(())
    }

    fn properties(&mut self, line: &str) -> Result<(), Flaw> {
        let mut numbers = line.split_whitespace().filter_map(|word| word.strip_prefix('b')?.parse().ok());
        let number = numbers.next().ok_or("expected a property such as `b0`")?;
        self.property.get_or_insert(number);
        Ok(())
    }

    fn assign_state(&mut self, step: usize, line: &str) -> Result<(), Flaw> {
        let assignment = Assignment::of(line)?;
        let design = self.design;
        let state = design.states.get(assignment.number).ok_or("there is no such state")?;
        let (starts, width) = match state.sort {
            Sort::Word(width) => (vec![0], width),
            Sort::Array { index, element } => (vec![assignment.place(index)? * element], element),
            Sort::Memory { index, element } => {
                let cells = self.cells(index, &assignment)?;
                (cells.into_iter().map(|cell| cell * element).collect(), element)
            }
        };
        for start in starts {
            let values = bits(assignment.digits, width)?;
            for (at, value) in (start..start + width).zip(values) {
                if step == 0 {
                    let latch = state.latches[at];
                    self.trace.initial[latch] = value;
                } else if let Some(free) = &state.free {
                    self.trace.inputs[step - 1][free[at]] = value;
                }
            }
        }
        Ok(())
    }

    /// The numbers of the tracked elements of a large array that have the address of the assignment.
    fn cells(&self, index: usize, assignment: &Assignment<'_>) -> Result<Vec<usize>, Flaw> {
        let place = assignment.place.ok_or("expected an index in brackets")?;
        let place: Vec<bool> = bits(place, index)?.collect();
        let memories = self.design.memories.iter().filter(|memory| memory.index == index);
        let addresses = memories.flat_map(|memory| &memory.latches).enumerate();
        let is_there =
            |latches: &[usize]| latches.iter().zip(&place).all(|(&n, &bit)| self.trace.initial[n] == bit);
        let cells: Vec<usize> =
            addresses.filter(|(_, latches)| is_there(latches)).map(|(number, _)| number).collect();
        match cells.is_empty() {
            true => Err("this element of a large array is not tracked, as the comments have it".into()),
            false => Ok(cells),
        }
    }

    fn assign_input(&mut self, step: usize, line: &str) -> Result<(), Flaw> {
        let assignment = Assignment::of(line)?;
        let input = self.design.inputs.get(assignment.number).ok_or("there is no such input")?;
        let values = bits(assignment.digits, input.bits.len())?;
        for (&bit, value) in input.bits.iter().zip(values) {
            self.trace.inputs[step][bit] = value;
        }
        Ok(())
    }

    fn finish(self) -> Result<Witness, Flaw> {
        let property = self.property.ok_or("the witness names no property")?;
        if !self.design.memories.is_empty() && !self.has_latches {
            return Err("a run of a file with large arrays needs the comments that Bolide writes".into());
        }
        Ok(Witness { property, trace: self.trace })
    }
}

/// The number of a state or input, for arrays an index in brackets, and binary digits.
struct Assignment<'a> {
    number: usize,
    place: Option<&'a str>,
    digits: &'a str,
}

impl<'a> Assignment<'a> {
    fn of(line: &'a str) -> Result<Assignment<'a>, Flaw> {
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|word| word.parse().ok()).ok_or("expected a number")?;
        let mut digits = words.next().ok_or("expected binary digits")?;
        let place = digits.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if place.is_some() {
            digits = words.next().ok_or("expected binary digits")?;
        }
        Ok(Assignment { number, place, digits })
    }

    /// The index as a number of an element.
    fn place(&self, width: usize) -> Result<usize, Flaw> {
        let place = self.place.ok_or("expected an index in brackets")?;
        Ok(bits(place, width)?.enumerate().map(|(at, bit)| usize::from(bit) << at).sum())
    }
}

/// The values of so many digits, lowest first. An `x` may be anything, and is zero.
fn bits(digits: &str, width: usize) -> Result<impl Iterator<Item = bool> + '_, Flaw> {
    let is_digit = |digit: u8| matches!(digit, b'0' | b'1' | b'x');
    if digits.len() != width || !digits.bytes().all(is_digit) {
        return Err(format!("expected {width} binary digits").into());
    }
    Ok(digits.bytes().rev().map(|digit| digit == b'1'))
}

/// The digits, highest first.
fn binary(bits: impl DoubleEndedIterator<Item = bool>) -> String {
    bits.rev().map(|bit| if bit { '1' } else { '0' }).collect()
}
