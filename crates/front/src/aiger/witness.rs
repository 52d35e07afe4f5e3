//! Witnesses: the stimulus format of the hardware model checking competitions.

use super::Error;
use super::cursor::Cursor;
use bolide_model::circuit::Trace;
use std::fmt::Write;

/// A run into a bad state of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The number of the bad state property.
    pub property: usize,
    /// The run.
    pub trace: Trace,
}

/// The witness as text: `1`, the property, the first state, the inputs of every step, a dot.
pub fn write_witness(witness: &Witness) -> String {
    let line = |bits: &[bool]| bits.iter().map(|&bit| if bit { '1' } else { '0' }).collect::<String>();
    let mut text = format!("1\nb{}\n{}\n", witness.property, line(&witness.trace.initial));
    for step in &witness.trace.inputs {
        let _ = writeln!(text, "{}", line(step));
    }
    text.push_str(".\n");
    text
}

/// Reads a witness. A value of `x` becomes 0: any value will do there.
pub fn read_witness(bytes: &[u8]) -> Result<Witness, Error> {
    let mut cursor = Cursor::new(bytes);
    while cursor.peek() == Some(b'c') {
        cursor.rest_of_line();
    }
    if cursor.number("`1`, as a witness begins")? != 1 {
        return Err(cursor.error("only witnesses of reachable bad states (`1`) are understood"));
    }
    cursor.end_line()?;
    if !cursor.take(b'b') {
        return Err(cursor.error("expected `b` and the number of a property"));
    }
    let property = cursor.number("the number of a property")? as usize;
    cursor.end_line()?;
    let initial = bits(&mut cursor)?;
    let mut inputs = Vec::new();
    while !cursor.take(b'.') {
        if cursor.is_at_end() {
            return Err(cursor.error("the witness ends without a dot"));
        }
        inputs.push(bits(&mut cursor)?);
    }
    Ok(Witness { property, trace: Trace { initial, inputs } })
}

fn bits(cursor: &mut Cursor<'_>) -> Result<Vec<bool>, Error> {
    let mut values = Vec::new();
    while let Some(byte @ (b'0' | b'1' | b'x')) = cursor.peek() {
        values.push(byte == b'1');
        cursor.next();
    }
    cursor.end_line()?;
    Ok(values)
}
