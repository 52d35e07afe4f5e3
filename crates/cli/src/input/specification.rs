//! Specifications of the software verification community (`.prp` files).
//!
//! A specification is a line such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`.

use crate::names::PropertyName;
use bolide_base::Message;
use std::path::Path;

/// What a specification asks for, or why Bolide cannot check it.
pub fn read(text: &str) -> Result<Vec<PropertyName>, Message> {
    let mut properties = Vec::new();
    for line in text.lines() {
        let line: String = line.split('#').next().unwrap_or("").split_whitespace().collect();
        if line.is_empty() {
            continue;
        }
        let formula =
            line.strip_prefix("CHECK(init(main()),").and_then(|rest| rest.strip_suffix(')')).ok_or_else(
                || format!("`{line}` is not a specification of the form CHECK( init(main()), ... )"),
            )?;
        properties.push(match formula {
            "LTL(G!call(reach_error()))" | "LTL(G!call(__VERIFIER_error()))" => PropertyName::Errors,
            "LTL(G!label(ERROR))" => PropertyName::Labels,
            "LTL(G!overflow)" => PropertyName::Overflow,
            "LTL(Gvalid-deref)" => PropertyName::Deref,
            "LTL(Gvalid-free)" => PropertyName::Free,
            "LTL(Gvalid-memtrack)" => PropertyName::Leak,
            "LTL(Gvalid-memcleanup)" => PropertyName::Cleanup,
            _ => return Err(format!("the property `{formula}` is not supported").into()),
        });
    }
    if properties.is_empty() { Err("the specification is empty".into()) } else { Ok(properties) }
}

/// Reads a file.
pub fn load(path: &Path) -> Result<Vec<PropertyName>, Message> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    read(&text).map_err(|reason| format!("{}: {reason}", path.display()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifications_of_competitions() {
        let reach = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n";
        assert_eq!(read(reach), Ok(vec![PropertyName::Errors]));
        assert_eq!(read("CHECK(init(main()), LTL(G ! overflow))"), Ok(vec![PropertyName::Overflow]));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )";
        assert_eq!(read(memory), Ok(vec![PropertyName::Free, PropertyName::Deref]));
        let rest =
            "CHECK( init(main()), LTL(G valid-memtrack) )\nCHECK( init(main()), LTL(G valid-memcleanup) )";
        assert_eq!(read(rest), Ok(vec![PropertyName::Leak, PropertyName::Cleanup]));
        assert!(read("CHECK( init(main()), LTL(F end) )").is_err());
        assert!(read("").is_err() && read("reach_error is not called").is_err());
    }
}
