//! From bytes to the definitions of a file, without a look at how they hang together.

use super::Error;
use super::cursor::Cursor;

/// A latch as it is written: literals.
pub struct RawLatch {
    pub lit: u32,
    pub next: u32,
    pub reset: Option<bool>,
}

/// A gate as it is written: literals.
#[derive(Copy, Clone)]
pub struct RawGate {
    pub lit: u32,
    pub fanin: [u32; 2],
}

/// The definitions of a file. Literals are even for variables and odd for their negations; 0 and 1 are the constants.
#[derive(Default)]
pub struct Raw {
    pub inputs: Vec<u32>,
    pub latches: Vec<RawLatch>,
    pub bads: Vec<u32>,
    pub constraints: Vec<u32>,
    pub gates: Vec<RawGate>,
    /// Where the first line with a latch and with a gate is, to report what is wrong with one. The gates of a binary
    /// file have no lines, but nothing can be wrong with them either.
    pub latch_line: usize,
    pub gate_line: usize,
}

struct Header {
    binary: bool,
    max: u32,
    inputs: u32,
    latches: u32,
    outputs: u32,
    gates: u32,
    bads: u32,
    constraints: u32,
}

pub fn parse(bytes: &[u8]) -> Result<Raw, Error> {
    let mut cursor = Cursor::new(bytes);
    let header = header(&mut cursor)?;
    if header.binary && header.inputs as usize > (8 * bytes.len()).max(1 << 16) {
        return Err(cursor.error(format!("{} inputs in a file of {} bytes", header.inputs, bytes.len())));
    }
    let mut raw = Raw::default();
    if header.binary {
        raw.inputs.extend((1..=header.inputs).map(|var| 2 * var));
    } else {
        for _ in 0..header.inputs {
            raw.inputs.push(definition(&mut cursor, &header, "an input")?);
            cursor.end_line()?;
        }
    }
    raw.latch_line = cursor.line();
    for number in 0..header.latches {
        let lit = match header.binary {
            true => 2 * (header.inputs + 1 + number),
            false => definition(&mut cursor, &header, "a latch")?,
        };
        if !header.binary && !cursor.take(b' ') {
            return Err(cursor.error("expected a space and the latch's next state"));
        }
        raw.latches.push(latch(&mut cursor, &header, lit)?);
    }
    let outputs = literals(&mut cursor, &header, header.outputs, "an output")?;
    raw.bads = literals(&mut cursor, &header, header.bads, "a bad state")?;
    raw.constraints = literals(&mut cursor, &header, header.constraints, "a constraint")?;
    if raw.bads.is_empty() {
        raw.bads = outputs;
    }
    raw.gate_line = cursor.line();
    for number in 0..header.gates {
        raw.gates.push(match header.binary {
            true => binary_gate(&mut cursor, 2 * (header.inputs + header.latches + 1 + number))?,
            false => ascii_gate(&mut cursor, &header)?,
        });
    }
    trailer(&mut cursor)?;
    Ok(raw)
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, Error> {
    let magic: Vec<u8> = (0..3).map_while(|_| cursor.next()).collect();
    let binary = match magic.as_slice() {
        b"aig" => true,
        b"aag" => false,
        _ => return Err(Error { line: 1, column: 1, flaw: "expected `aig` or `aag`".into() }),
    };
    let max = cursor.spaced_number("the largest variable")?;
    if max > (1 << 30) {
        return Err(cursor.error("more than 2^30 variables"));
    }
    let inputs = cursor.spaced_number("the number of inputs")?;
    let latches = cursor.spaced_number("the number of latches")?;
    let outputs = cursor.spaced_number("the number of outputs")?;
    let gates = cursor.spaced_number("the number of gates")?;
    let mut optional = [0; 4];
    for (count, what) in
        optional.iter_mut().zip(["bad states", "constraints", "justice properties", "fairness"])
    {
        if cursor.peek() == Some(b' ') {
            *count = cursor.spaced_number(&format!("the number of {what}"))?;
        }
    }
    let [bads, constraints, justice, fairness] = optional;
    let variables = u64::from(inputs) + u64::from(latches) + u64::from(gates);
    if variables > u64::from(max) || binary && variables != u64::from(max) {
        return Err(cursor.error(format!("{variables} definitions for variables up to {max}")));
    }
    if justice > 0 || fairness > 0 {
        return Err(cursor.error("justice and fairness (liveness) are not supported, only bad states"));
    }
    cursor.end_line()?;
    Ok(Header { binary, max, inputs, latches, outputs, gates, bads, constraints })
}

/// A literal that is defined here: a variable.
fn definition(cursor: &mut Cursor<'_>, header: &Header, what: &str) -> Result<u32, Error> {
    let lit = literal(cursor, header, what)?;
    if lit < 2 || lit % 2 == 1 {
        Err(cursor.error(format!("{lit} is not {what}'s variable")))
    } else {
        Ok(lit)
    }
}

fn literal(cursor: &mut Cursor<'_>, header: &Header, what: &str) -> Result<u32, Error> {
    let lit = cursor.number(what)?;
    if lit / 2 > header.max {
        return Err(cursor.error(format!("literal {lit} is larger than the header allows")));
    }
    Ok(lit)
}

fn literals(cursor: &mut Cursor<'_>, header: &Header, count: u32, what: &str) -> Result<Vec<u32>, Error> {
    let mut lits = Vec::new();
    for _ in 0..count {
        lits.push(literal(cursor, header, what)?);
        cursor.end_line()?;
    }
    Ok(lits)
}

fn latch(cursor: &mut Cursor<'_>, header: &Header, lit: u32) -> Result<RawLatch, Error> {
    let next = literal(cursor, header, "the latch's next state")?;
    let reset = match cursor.take(b' ') {
        false => Some(false),
        true => match cursor.number("the latch's reset value")? {
            0 => Some(false),
            1 => Some(true),
            own if own == lit => None,
            other => {
                return Err(cursor.error(format!("latch {lit} is reset to {other}: neither 0, 1 nor itself")));
            }
        },
    };
    cursor.end_line()?;
    Ok(RawLatch { lit, next, reset })
}

fn ascii_gate(cursor: &mut Cursor<'_>, header: &Header) -> Result<RawGate, Error> {
    let lit = definition(cursor, header, "a gate")?;
    let mut fanin = [0; 2];
    for place in &mut fanin {
        if !cursor.take(b' ') {
            return Err(cursor.error("expected a space and a gate's fan-in"));
        }
        *place = literal(cursor, header, "a gate's fan-in")?;
    }
    cursor.end_line()?;
    Ok(RawGate { lit, fanin })
}

fn binary_gate(cursor: &mut Cursor<'_>, lit: u32) -> Result<RawGate, Error> {
    let first = delta(cursor, lit)?;
    if first == lit {
        return Err(cursor.error(format!("gate {lit} depends on itself")));
    }
    Ok(RawGate { lit, fanin: [first, delta(cursor, first)?] })
}

/// A literal as its distance from `from`: seven bits a byte, lowest first, the eighth set in all but the last.
fn delta(cursor: &mut Cursor<'_>, from: u32) -> Result<u32, Error> {
    let mut distance: u64 = 0;
    for shift in (0..35).step_by(7) {
        let byte = cursor.next().ok_or_else(|| cursor.error("the file ends within the gates"))?;
        distance |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            let lit = u64::from(from).checked_sub(distance);
            let lit = lit.and_then(|lit| u32::try_from(lit).ok());
            return lit.ok_or_else(|| cursor.error(format!("a distance of {distance} from literal {from}")));
        }
    }
    Err(cursor.error("a distance of more than five bytes"))
}

/// Symbols and comments, of which nothing is kept.
fn trailer(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    while let Some(byte) = cursor.peek() {
        match byte {
            b'i' | b'l' | b'o' | b'b' | b'j' | b'f' => {
                cursor.rest_of_line();
            }
            // A symbol of a constraint, or the beginning of the comments, which has a line of its own.
            b'c' => {
                if cursor.rest_of_line().len() <= 1 {
                    return Ok(());
                }
            }
            b'\r' | b'\n' => cursor.end_line()?,
            _ => return Err(cursor.error("expected a symbol, a comment or the end of the file")),
        }
    }
    Ok(())
}
