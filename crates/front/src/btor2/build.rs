//! From the lines of a file to bits, with all sorts checked.

use super::memory::{self, Memory};
use super::operators::{Value, binary, ternary, unary};
use super::words::Word;
use super::{Design, Error, Flaw, Input, Sort, State, constants};
use bolide_model::circuit::{Bit, Circuit};
use flussab_btor2::btor2::{
    Array, Assignment, AssignmentKind, BinaryOp, Const, Line, Node, NodeId, NodeVariant, Op, Output,
    SingleValueOutputKind, Sort as SortNode, TernaryOp, ValueVariant,
};
use flussab_btor2::{Config, InnerParseError, Parser};
use rustc_hash::FxHashMap;

/// Words must not have more bits than this; arrays with more are large.
pub const MAX_WIDTH: usize = 1 << 20;
/// The widest indices and elements of large arrays.
const MAX_INDEX: usize = 256;
const MAX_ELEMENT: usize = 1 << 14;
/// All values together must not have more bits than this, and the circuit not more gates.
const MAX_TOTAL: usize = 1 << 28;

/// Reads a file.
pub fn read(bytes: &[u8]) -> Result<Design, Error> {
    let mut builder = Builder {
        design: Design {
            circuit: Circuit::new(),
            states: Vec::new(),
            inputs: Vec::new(),
            memories: Vec::new(),
        },
        inits: FxHashMap::default(),
        sorts: FxHashMap::default(),
        values: FxHashMap::default(),
        states: FxHashMap::default(),
        first: None,
        total: 0,
    };
    each_node(bytes, |node| builder.note_init(node))?;
    each_node(bytes, |node| builder.add(node))?;
    builder.free_states();
    builder.link_bads();
    Ok(builder.design)
}

/// Hands out all nodes of the file; an error gets the position of its node.
fn each_node(bytes: &[u8], mut take: impl FnMut(&Node<'_>) -> Result<(), Flaw>) -> Result<(), Error> {
    let mut parser = Parser::from_read(bytes, Config::default()).map_err(|error| located(*error))?;
    while let Some(line) = parser.next_line().map_err(|error| located(*error))? {
        if let Line::Node(node) = line {
            take(&node).map_err(|flaw| Error {
                line: line_of(bytes, node.id),
                column: 1,
                flaw: of_node(node.id, flaw),
            })?;
        }
    }
    Ok(())
}

/// The flaw with the number of its node.
fn of_node(node: NodeId, flaw: Flaw) -> Flaw {
    let at = |what: String| format!("node {}: {what}", node.0);
    match flaw {
        Flaw::Malformed(what) => Flaw::Malformed(at(what)),
        Flaw::Unsupported(what) => Flaw::Unsupported(at(what)),
        Flaw::TooLarge(what) => Flaw::TooLarge(at(what)),
    }
}

fn located(error: InnerParseError) -> Error {
    match error {
        InnerParseError::SyntaxError(error) => {
            Error { line: error.location.line, column: error.location.column, flaw: error.msg.into() }
        }
        InnerParseError::IoError(error) => Error { line: 1, column: 1, flaw: error.to_string().into() },
    }
}

/// The line that defines a node.
fn line_of(bytes: &[u8], node: NodeId) -> usize {
    let number = node.0.to_string();
    let is_it = |line: &[u8]| {
        line.trim_ascii_start()
            .strip_prefix(number.as_bytes())
            .is_some_and(|rest| rest.first() == Some(&b' '))
    };
    bytes.split(|&byte| byte == b'\n').position(is_it).map_or(1, |line| line + 1)
}

struct Builder {
    design: Design,
    /// By state: the value that it starts with.
    inits: FxHashMap<NodeId, NodeId>,
    sorts: FxHashMap<NodeId, Sort>,
    values: FxHashMap<NodeId, Value>,
    /// The states by node: their number, and whether they have a next value.
    states: FxHashMap<NodeId, (usize, bool)>,
    /// A latch that is true in the first step only, once it is needed.
    first: Option<Bit>,
    /// How many bits all values have.
    total: usize,
}

impl Builder {
    fn note_init(&mut self, node: &Node<'_>) -> Result<(), Flaw> {
        if let NodeVariant::Assignment(Assignment { state, kind: AssignmentKind::Init, value, .. }) =
            node.variant
            && self.inits.insert(state, value).is_some()
        {
            return Err(format!("state {} is initialised twice", state.0).into());
        }
        Ok(())
    }

    fn add(&mut self, node: &Node<'_>) -> Result<(), Flaw> {
        if self.sorts.contains_key(&node.id) || self.values.contains_key(&node.id) {
            return Err("defined twice".into());
        }
        match node.variant {
            NodeVariant::Sort(sort) => {
                let sort = self.sort_of(sort)?;
                self.sorts.insert(node.id, sort);
            }
            NodeVariant::Value(value) => {
                let sort = self.sort(value.sort)?;
                let value = self.value_of(node, sort, &value.variant)?;
                if value.sort != sort {
                    return Err(format!("has sort {:?}, but {sort:?} is declared", value.sort).into());
                }
                self.total += value.bits.len();
                if self.total > MAX_TOTAL || self.design.circuit.aig.len() > MAX_TOTAL {
                    return Err(Flaw::TooLarge("the circuit becomes too large".into()));
                }
                self.values.insert(node.id, value);
            }
            NodeVariant::Assignment(assignment) => self.assign(assignment)?,
            NodeVariant::Output(output) => self.output(output)?,
        }
        Ok(())
    }

    fn sort(&self, node: NodeId) -> Result<Sort, Flaw> {
        self.sorts.get(&node).copied().ok_or_else(|| format!("{} is not a sort", node.0).into())
    }

    fn value(&self, node: NodeId) -> Result<&Value, Flaw> {
        self.values.get(&node).ok_or_else(|| format!("{} is not a value", node.0).into())
    }

    fn sort_of(&self, sort: SortNode) -> Result<Sort, Flaw> {
        match sort {
            SortNode::BitVec(width) => match usize::try_from(width.get()) {
                Ok(width) if width <= MAX_WIDTH => Ok(Sort::Word(width)),
                _ => Err(Flaw::TooLarge(format!("words of {width} bits are too wide"))),
            },
            SortNode::Array(Array(index, element)) => match (self.sort(index)?, self.sort(element)?) {
                (Sort::Word(index), Sort::Word(element)) => {
                    let elements = u32::try_from(index).ok().and_then(|index| 1usize.checked_shl(index));
                    match elements.and_then(|elements| elements.checked_mul(element)) {
                        Some(bits) if bits <= MAX_WIDTH => Ok(Sort::Array { index, element }),
                        _ if index <= MAX_INDEX && element <= MAX_ELEMENT => {
                            Ok(Sort::Memory { index, element })
                        }
                        _ => {
                            Err(Flaw::TooLarge(format!("arrays with indices of {index} bits are too large")))
                        }
                    }
                }
                _ => Err(Flaw::Unsupported("arrays of arrays are not supported".into())),
            },
        }
    }

    fn value_of(&mut self, node: &Node<'_>, sort: Sort, value: &ValueVariant<'_>) -> Result<Value, Flaw> {
        let name = node.symbol.map(|name| name.to_string());
        match *value {
            ValueVariant::Const(constant) => constant_value(sort, constant),
            ValueVariant::Input => {
                let Sort::Word(width) = sort else { return Err("inputs must be words".into()) };
                let start = self.design.circuit.inputs.len();
                let bits: Word = (0..width).map(|_| self.design.circuit.add_input()).collect();
                self.design.inputs.push(Input { name, bits: (start..start + width).collect() });
                Ok(Value { sort, bits })
            }
            ValueVariant::State => self.state(node.id, name, sort),
            ValueVariant::Op(Op::Unary(op, a)) => {
                let a = self.values.get(&a).ok_or_else(|| format!("{} is not a value", a.0))?;
                unary(&mut self.design.circuit.aig, op, a)
            }
            ValueVariant::Op(Op::Binary(BinaryOp::Read, [array, address]))
                if matches!(self.value(array)?.sort, Sort::Memory { .. }) =>
            {
                self.read_memory(array, address)
            }
            ValueVariant::Op(Op::Ternary(TernaryOp::Write, [array, address, word]))
                if matches!(self.value(array)?.sort, Sort::Memory { .. }) =>
            {
                self.write_memory(array, address, word)
            }
            ValueVariant::Op(Op::Binary(op, operands)) => {
                let [a, b] = operands.map(|node| self.values.get(&node).ok_or(node));
                let missing = |node: NodeId| format!("{} is not a value", node.0);
                binary(&mut self.design.circuit.aig, op, a.map_err(missing)?, b.map_err(missing)?)
            }
            ValueVariant::Op(Op::Ternary(op, operands)) => {
                let [a, b, c] = operands.map(|node| self.values.get(&node).ok_or(node));
                let missing = |node: NodeId| format!("{} is not a value", node.0);
                let operands = [a.map_err(missing)?, b.map_err(missing)?, c.map_err(missing)?];
                ternary(&mut self.design.circuit.aig, op, operands)
            }
        }
    }

    /// A state: its latches, read through a multiplexer where its first value is not constant.
    fn state(&mut self, node: NodeId, name: Option<String>, sort: Sort) -> Result<Value, Flaw> {
        let init = match self.inits.get(&node) {
            Some(&value) => Some(self.init_bits(sort, value)?),
            None => None,
        };
        let start = self.design.circuit.latches.len();
        let count = sort.bits();
        let reset = |at: usize| match (&init, sort) {
            (Some(bits), _) => bits[at].is_constant().then_some(bits[at] == Bit::TRUE),
            (None, Sort::Memory { element, .. }) => memory::any_start(at, element),
            (None, _) => None,
        };
        let latches: Word = (0..count).map(|at| self.design.circuit.add_latch(reset(at))).collect();
        let mut bits = latches;
        let is_reset = init.is_some();
        for (at, bit) in bits.iter_mut().enumerate() {
            if let Some(value) = init.as_ref().map(|bits| bits[at]).filter(|bit| !bit.is_constant()) {
                let first = self.first();
                *bit = self.design.circuit.aig.ite(first, value, *bit);
            }
        }
        self.states.insert(node, (self.design.states.len(), false));
        let latches = (start..start + count).collect();
        let value = bits.clone();
        if let Sort::Memory { index, element } = sort {
            let number = self.memory(index);
            self.design.memories[number].make_consistent(&mut self.design.circuit, &value, element);
        }
        self.design.states.push(State { name, sort, latches, value, is_reset, free: None });
        Ok(Value { sort, bits })
    }

    /// The first value of a state. An array may start with the same word everywhere.
    fn init_bits(&self, sort: Sort, value: NodeId) -> Result<Word, Flaw> {
        let value =
            self.value(value).map_err(|_| format!("is initialised with {}, which comes later", value.0))?;
        match (sort, value.sort) {
            (Sort::Array { index, element }, Sort::Word(width)) if element == width => {
                Ok(value.bits.iter().copied().cycle().take(element << index).collect())
            }
            (Sort::Memory { element, .. }, Sort::Word(width)) if element == width => {
                Ok(memory::filled(&value.bits))
            }
            _ if value.sort == sort => Ok(value.bits.clone()),
            _ => Err("is initialised with a value of another sort".into()),
        }
    }

    /// The number of the tracked addresses with so many bits.
    fn memory(&mut self, index: usize) -> usize {
        let found = self.design.memories.iter().position(|memory| memory.index == index);
        found.unwrap_or_else(|| {
            let memory = Memory::new(&mut self.design.circuit, index);
            self.design.memories.push(memory);
            self.design.memories.len() - 1
        })
    }

    /// A large array and an address in it: the bits of both, the number of the tracked addresses, and the width of an
    /// element.
    fn place(&mut self, array: NodeId, address: NodeId) -> Result<(Word, Word, usize, usize), Flaw> {
        let (array, address) = (self.value(array)?.clone(), self.value(address)?.clone());
        match array.sort {
            Sort::Memory { index, element } if address.sort == Sort::Word(index) => {
                Ok((array.bits, address.bits, self.memory(index), element))
            }
            _ => Err("the index does not have the width of the array's indices".into()),
        }
    }

    fn read_memory(&mut self, array: NodeId, address: NodeId) -> Result<Value, Flaw> {
        let (array, address, memory, element) = self.place(array, address)?;
        let Design { circuit, memories, .. } = &mut self.design;
        let bits = memories[memory].read(circuit, &array, element, &address);
        Ok(Value { sort: Sort::Word(element), bits })
    }

    fn write_memory(&mut self, array: NodeId, address: NodeId, word: NodeId) -> Result<Value, Flaw> {
        let sort = self.value(array)?.sort;
        let (array, address, memory, element) = self.place(array, address)?;
        let word = self.value(word)?.clone();
        if word.sort != Sort::Word(element) {
            return Err(format!("expected an element of {element} bits").into());
        }
        let Design { circuit, memories, .. } = &mut self.design;
        let bits = memories[memory].write(&mut circuit.aig, &array, &address, &word.bits);
        Ok(Value { sort, bits })
    }

    /// Where elements of large arrays are tracked, bad steps are those where the addresses are the ones that matter.
    fn link_bads(&mut self) {
        let Design { circuit, memories, .. } = &mut self.design;
        for memory in memories.iter() {
            for bad in &mut circuit.bads {
                *bad = circuit.aig.and(*bad, memory.is_linked);
            }
        }
    }

    /// The latch that is true in the first step only.
    fn first(&mut self) -> Bit {
        let circuit = &mut self.design.circuit;
        *self.first.get_or_insert_with(|| {
            let first = circuit.add_latch(Some(true));
            if let Some(latch) = circuit.latches.last_mut() {
                latch.next = Bit::FALSE;
            }
            first
        })
    }

    fn assign(&mut self, assignment: Assignment) -> Result<(), Flaw> {
        let sort = self.sort(assignment.sort)?;
        let Some((number, has_next)) = self.states.get_mut(&assignment.state) else {
            return Err(format!("{} is not a state", assignment.state.0).into());
        };
        let state = &self.design.states[*number];
        if state.sort != sort {
            return Err(format!("state {} has another sort", assignment.state.0).into());
        }
        // First values were taken care of when the state was made.
        if assignment.kind == AssignmentKind::Init {
            return Ok(());
        }
        if std::mem::replace(has_next, true) {
            return Err(format!("state {} has two next values", assignment.state.0).into());
        }
        let Some(value) = self.values.get(&assignment.value).filter(|value| value.sort == sort) else {
            return Err(format!("{} is not a value of the state's sort", assignment.value.0).into());
        };
        for (&latch, &bit) in state.latches.iter().zip(&value.bits) {
            self.design.circuit.latches[latch].next = bit;
        }
        Ok(())
    }

    fn output(&mut self, output: Output<'_>) -> Result<(), Flaw> {
        let output = match output {
            Output::SingleValue(output) => output,
            Output::Justice(_) => {
                return Err(Flaw::Unsupported("justice (liveness) is not supported, only bad states".into()));
            }
        };
        let value = self.value(output.value)?;
        let bit = match (output.kind, value.sort) {
            (SingleValueOutputKind::Output, _) => return Ok(()),
            (SingleValueOutputKind::Fair, _) => {
                return Err(Flaw::Unsupported("fairness (liveness) is not supported".into()));
            }
            (_, Sort::Word(1)) => value.bits[0],
            _ => return Err("expected a word of one bit".into()),
        };
        match output.kind {
            SingleValueOutputKind::Bad => self.design.circuit.bads.push(bit),
            _ => self.design.circuit.constraints.push(bit),
        }
        Ok(())
    }

    /// Gives inputs as next values to states that have none.
    fn free_states(&mut self) {
        let mut numbers: Vec<usize> =
            self.states.values().filter(|(_, has_next)| !has_next).map(|&(number, _)| number).collect();
        numbers.sort_unstable();
        let circuit = &mut self.design.circuit;
        for number in numbers {
            let state = &mut self.design.states[number];
            let start = circuit.inputs.len();
            for &latch in &state.latches {
                circuit.latches[latch].next = circuit.add_input();
            }
            if let (Sort::Memory { .. }, Some(&lost)) = (state.sort, state.latches.last()) {
                circuit.latches[lost].next = Bit::FALSE;
            }
            state.free = Some((start..circuit.inputs.len()).collect());
        }
    }
}

fn constant_value(sort: Sort, constant: Const<'_>) -> Result<Value, Flaw> {
    let Sort::Word(width) = sort else { return Err("constants must be words".into()) };
    let bits = match constant {
        Const::Zero => Some(vec![Bit::FALSE; width]),
        Const::Ones => Some(vec![Bit::TRUE; width]),
        Const::One => Some((0..width).map(|at| Bit::constant(at == 0)).collect()),
        Const::Binary(digits) => constants::binary(&digits.to_string(), width),
        Const::Hex(digits) => constants::hexadecimal(&digits.to_string(), width),
        Const::Decimal(digits) => constants::decimal(&digits.to_string(), width),
    };
    match bits {
        Some(bits) => Ok(Value { sort, bits }),
        None => Err(format!("the constant is not one of {width} bits").into()),
    }
}
