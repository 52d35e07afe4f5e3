//! What came of the tasks of a run, as CSV (RFC 4180) and as JSON.

use serde_json::{Value, json};
use std::fmt::{self, Write};

/// The columns.
const HEADER: &str = "set,path,expected,verdict,status,seconds,cpu,memory,engine,reason";

/// What came of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The set of the task.
    pub set: String,
    /// Its name.
    pub path: String,
    /// The verdict that is known, or nothing.
    pub expected: String,
    /// The verdict that was given: `safe`, `unsafe`, `unknown` or `error`.
    pub verdict: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Seconds of processor time.
    pub cpu: Option<f64>,
    /// Peak memory in MiB.
    pub memory: Option<u64>,
    /// The engine that gave the verdict.
    pub engine: String,
    /// Why there is no verdict.
    pub reason: String,
}

/// A judgement of a verdict.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// As expected.
    Correct,
    /// The opposite of what was expected.
    Wrong,
    /// Nobody knows better.
    Unconfirmed,
    /// No verdict.
    Unknown,
    /// Not even a report.
    Error,
}

impl Status {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Status::Correct => "correct",
            Status::Wrong => "wrong",
            Status::Unconfirmed => "unconfirmed",
            Status::Unknown => "unknown",
            Status::Error => "error",
        }
    }
}

impl Record {
    /// Is the verdict right?
    pub fn status(&self) -> Status {
        match self.verdict.as_str() {
            "safe" | "unsafe" if self.expected.is_empty() => Status::Unconfirmed,
            "safe" | "unsafe" if self.verdict == self.expected => Status::Correct,
            "safe" | "unsafe" => Status::Wrong,
            "unknown" => Status::Unknown,
            _ => Status::Error,
        }
    }

    /// Is there a verdict that is not known to be wrong?
    pub fn is_solved(&self) -> bool {
        matches!(self.status(), Status::Correct | Status::Unconfirmed)
    }
}

/// The records as CSV.
pub fn csv(records: &[Record]) -> String {
    let mut out = format!("{HEADER}\r\n");
    for r in records {
        let cpu = r.cpu.map_or(String::new(), |c| format!("{c:.3}"));
        let memory = r.memory.map_or(String::new(), |m| m.to_string());
        let seconds = format!("{:.3}", r.seconds);
        let status = r.status().name();
        let cells =
            [&r.set, &r.path, &r.expected, &r.verdict, status, &seconds, &cpu, &memory, &r.engine, &r.reason];
        let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        let _ = write!(out, "{}\r\n", cells.join(","));
    }
    out
}

fn quoted(cell: &str) -> String {
    match cell.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into(),
    }
}

/// The records as JSON.
pub fn json(records: &[Record], timeout: f64) -> String {
    let one = |r: &Record| {
        json!({ "set": r.set, "path": r.path, "expected": r.expected, "verdict": r.verdict, "status": r.status().name(),
                "seconds": r.seconds, "cpu": r.cpu, "memory": r.memory, "engine": r.engine, "reason": r.reason })
    };
    let results: Vec<_> = records.iter().map(one).collect();
    let all =
        json!({ "schema": 1, "bolide": env!("CARGO_PKG_VERSION"), "timeout": timeout, "results": results });
    format!("{all:#}\n")
}

/// Why a text is not the results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

/// Reads the results of a run, which are JSON if they start with a brace, and CSV otherwise.
pub fn read(text: &str) -> Result<Vec<Record>, Unreadable> {
    match text.trim_start().starts_with('{') {
        true => read_json(text),
        false => read_csv(text),
    }
}

fn read_json(text: &str) -> Result<Vec<Record>, Unreadable> {
    let value: Value = serde_json::from_str(text).map_err(|error| Unreadable(error.to_string()))?;
    let record = |(n, r): (usize, &Value)| {
        let word = |name: &str| r[name].as_str().map(str::to_string);
        let flaw = |name: &str| Unreadable(format!("result {}: there is no {name}", n + 1));
        Ok(Record {
            set: word("set").ok_or_else(|| flaw("set"))?,
            path: word("path").ok_or_else(|| flaw("path"))?,
            expected: word("expected").unwrap_or_default(),
            verdict: word("verdict").ok_or_else(|| flaw("verdict"))?,
            seconds: r["seconds"].as_f64().ok_or_else(|| flaw("time"))?,
            cpu: r["cpu"].as_f64(),
            memory: r["memory"].as_u64(),
            engine: word("engine").unwrap_or_default(),
            reason: word("reason").unwrap_or_default(),
        })
    };
    let results = value["results"].as_array().ok_or_else(|| Unreadable("there are no results".into()))?;
    results.iter().enumerate().map(record).collect()
}

fn read_csv(text: &str) -> Result<Vec<Record>, Unreadable> {
    let mut rows = rows(text)?.into_iter();
    if rows.next().is_none_or(|row| row.join(",") != HEADER) {
        return Err(Unreadable(format!("the first line must be {HEADER}")));
    }
    let record = |(n, row): (usize, Vec<String>)| {
        let flaw = |what: &str| Unreadable(format!("row {}: {what}", n + 2));
        let [set, path, expected, verdict, _, seconds, cpu, memory, engine, reason] =
            <[String; 10]>::try_from(row).map_err(|_| flaw("there must be ten cells"))?;
        let seconds = seconds.parse().map_err(|_| flaw("the time is not a number"))?;
        let (cpu, memory) = (cpu.parse().ok(), memory.parse().ok());
        Ok(Record { set, path, expected, verdict, seconds, cpu, memory, engine, reason })
    };
    rows.enumerate().map(record).collect()
}

/// The cells of all rows.
fn rows(text: &str) -> Result<Vec<Vec<String>>, Unreadable> {
    let mut rows = vec![vec![String::new()]];
    let mut characters = text.chars().peekable();
    let mut in_quotes = false;
    while let Some(c) = characters.next() {
        let row = rows.last_mut().expect("there is a row");
        let cell = row.last_mut().expect("every row has a cell");
        match c {
            '"' if in_quotes && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => cell.push(c),
            ',' => row.push(String::new()),
            '\r' => {}
            '\n' => rows.push(vec![String::new()]),
            _ => cell.push(c),
        }
    }
    if in_quotes {
        return Err(Unreadable("a quoted cell does not end".into()));
    }
    rows.retain(|row| row.len() > 1 || !row[0].is_empty());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let record = |path: &str, expected: &str, verdict: &str| Record {
            set: "c/loops".into(),
            path: path.into(),
            expected: expected.into(),
            verdict: verdict.into(),
            seconds: 0.25,
            cpu: Some(0.5),
            memory: None,
            engine: "impact".into(),
            reason: "said \"no\",\nand left".into(),
        };
        let records =
            [record("a, b.c", "safe", "safe"), record("c.c", "safe", "unsafe"), record("d.c", "", "safe")];
        assert_eq!(read(&csv(&records)).as_deref(), Ok(records.as_slice()));
        assert_eq!(read(&json(&records, 10.0)).as_deref(), Ok(records.as_slice()));
        assert!(read("{}").is_err() && read(r#"{ "results": [{}] }"#).is_err());
        let statuses: Vec<Status> = records.iter().map(Record::status).collect();
        assert_eq!(statuses, [Status::Correct, Status::Wrong, Status::Unconfirmed]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(read("a,b\n").unwrap_err().to_string().contains("first line"));
        assert!(read(&format!("{HEADER}\n1,2\n")).unwrap_err().to_string().starts_with("row 2"));
        assert!(read(&format!("{HEADER}\n\"1,2\n")).unwrap_err().to_string().contains("does not end"));
        assert!(
            read(&format!("{HEADER}\na,b,c,d,e,soon,,,,\n"))
                .unwrap_err()
                .to_string()
                .contains("not a number")
        );
    }
}
