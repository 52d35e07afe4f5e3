//! Executes a C program that needs no inputs and prints a static variable: FILE ENTRY VARIABLE [64].

use bolide_base::Budget;
use bolide_front::c::interp::Interpreter;
use bolide_front::c::{DataModel, Options, load};
use bolide_term::Store;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, entry, variable, rest @ ..] = &args[..] else {
        eprintln!("usage: run FILE ENTRY VARIABLE [64]");
        return;
    };
    let data_model = if rest.is_empty() { DataModel::Ilp32 } else { DataModel::Lp64 };
    let options = Options { data_model, entry: Some(entry.clone()), ..Options::default() };
    let text = std::fs::read_to_string(file).unwrap_or_default();
    match load(&mut Store::new(), file, &text, &options) {
        Ok(task) => {
            let mut interpreter = Interpreter::new(&task.unit);
            let end = interpreter.run(&mut |_| 0, &Budget::unlimited().with_steps(10_000_000));
            println!("{end:?} {:?}", interpreter.global(variable));
        }
        Err(e) => println!("{e}"),
    }
}
