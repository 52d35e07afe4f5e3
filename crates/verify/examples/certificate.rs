//! Checks a certificate without any solver: this needs the crate `bolide-cert` only.

use bolide_base::Budget;
use bolide_cert::{Certificate, check};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(task), Some(certificate)) = (arguments.next(), arguments.next()) else {
        println!("usage: certificate TASK CERTIFICATE");
        return Ok(());
    };
    let task = std::fs::read(task)?;
    let certificate = Certificate::read(&std::fs::read_to_string(certificate)?).map_err(|e| e.to_string())?;
    match check(&task, &certificate, &Budget::unlimited()) {
        Ok(()) => println!("accepted: {}", certificate.verdict),
        Err(rejection) => println!("rejected: {rejection}"),
    }
    Ok(())
}
