//! The command line of Bolide.

fn main() {}
