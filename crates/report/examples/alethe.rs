//! Checks an Alethe proof that Bolide wrote: `cargo run -p bolide-report --example alethe -- PROBLEM PROOF`.

#[path = "../tests/checker/mod.rs"]
mod checker;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [problem, proof] = &args[..] else {
        eprintln!("usage: alethe PROBLEM PROOF");
        std::process::exit(64);
    };
    let read = |path: &String| {
        std::fs::read_to_string(path).unwrap_or_else(|error| {
            eprintln!("{path}: error: {error}");
            std::process::exit(66);
        })
    };
    match checker::check(&read(problem), &read(proof)) {
        Ok(checked) => println!("valid: {} steps, {} holes", checked.steps, checked.holes),
        Err(error) => {
            println!("invalid: {error}");
            std::process::exit(1);
        }
    }
}
