//! The scripts in `tools`, where Python is installed.

use std::path::Path;
use std::process::Command;

#[test]
fn the_module_for_benchexec_passes_its_tests() {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools");
    let run = Command::new("python3").arg("-B").arg(tools.join("benchexec/test_bolide.py")).output();
    if let Ok(output) = run {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
