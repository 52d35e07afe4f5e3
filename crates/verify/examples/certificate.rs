//! Checks a certificate without any solver: this needs the crate `bolide-cert` only.

use bolide_base::Budget;
use bolide_cert::{Certificate, Claim, Text, check};
use bolide_front::c;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(task), Some(certificate)) = (arguments.next(), arguments.next()) else {
        println!("usage: certificate TASK CERTIFICATE");
        return Ok(());
    };
    // What is claimed is up to us: here that no error is reached from `main`, with integers of 32 and 64 bits.
    let claim = match task.rsplit('.').next() {
        Some("smt2") => Claim::Horn,
        Some("aag" | "aig") => Claim::Aiger,
        Some("btor2") => Claim::Btor2,
        _ => Claim::C(c::Options { data_model: c::DataModel::Lp64, ..c::Options::default() }),
    };
    let task = std::fs::read(task)?;
    let certificate = Certificate::read(&std::fs::read_to_string(certificate)?).map_err(|e| e.to_string())?;
    match check(&Text::new(&task), &claim, &certificate, &Budget::unlimited()) {
        Ok(()) => println!("accepted: {}", certificate.verdict),
        Err(rejection) => println!("rejected: {rejection}"),
    }
    Ok(())
}
