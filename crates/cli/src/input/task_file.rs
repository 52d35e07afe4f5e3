//! Task files of the software verification community: YAML, format 2.0, as BenchExec reads them.
//!
//! ```yaml
//! format_version: '2.0'
//! input_files: 'loop.c'
//! properties:
//!   - property_file: ../properties/unreach-call.prp
//!     expected_verdict: true
//! options:
//!   language: C
//!   data_model: ILP32
//! ```

use super::specification;
use crate::names::{DataModel, PropertyName};
use bolide_base::Message;
use saphyr::{LoadableYamlNode, Yaml};
use std::path::{Path, PathBuf};

/// A task file.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFile {
    /// The program.
    pub input: PathBuf,
    /// What is asked about it.
    pub properties: Vec<Asked>,
    /// Sizes of C's integer types.
    pub data_model: Option<DataModel>,
}

/// A property in a task file.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// What it says, or why it cannot be checked.
    pub property: Result<Vec<PropertyName>, Message>,
    /// Is it known to hold?
    pub expected: Option<bool>,
}

impl TaskFile {
    /// Reads a task file; the message says what is wrong with it.
    pub fn load(path: &Path) -> Result<TaskFile, Message> {
        let text = std::fs::read_to_string(path)?;
        TaskFile::read(&text, path.parent().unwrap_or(Path::new("")))
    }

    /// Reads the text of a task file in a folder.
    fn read(text: &str, folder: &Path) -> Result<TaskFile, Message> {
        let documents = Yaml::load_from_str(text).map_err(|error| error.to_string())?;
        let document = documents.first().ok_or("the file is empty")?;
        let version = document.as_mapping_get("format_version").and_then(scalar);
        match version.as_deref() {
            Some("1.0" | "2.0" | "2.1") => {}
            Some(other) => {
                return Err(
                    format!("format_version {other} is not supported; supported: 1.0, 2.0, 2.1").into()
                );
            }
            None => return Err("not a task file: there is no format_version".into()),
        }
        let files = document.as_mapping_get("input_files").map(strings).unwrap_or_default();
        let [input] = files.as_slice() else {
            return Err(format!("input_files must name one file, not {}", files.len()).into());
        };
        let options = document.as_mapping_get("options");
        let option = |name: &str| options.and_then(|o| o.as_mapping_get(name)).and_then(scalar);
        if let Some(language) = option("language").filter(|l| l != "C") {
            return Err(format!("the language is {language}, not C").into());
        }
        let data_model = match option("data_model").as_deref() {
            None => None,
            Some("ILP32") => Some(DataModel::Ilp32),
            Some("LP64") => Some(DataModel::Lp64),
            Some(other) => {
                return Err(format!("the data model {other} is not supported; supported: ILP32, LP64").into());
            }
        };
        let list = document.as_mapping_get("properties").and_then(|p| p.as_sequence());
        let properties = list.into_iter().flatten().map(|p| asked(p, folder)).collect::<Result<_, _>>()?;
        Ok(TaskFile { input: folder.join(input), properties, data_model })
    }

    /// The property to check if none was chosen: the first that can be.
    pub fn first_property(&self) -> Option<&Asked> {
        self.properties.iter().find(|p| p.property.is_ok()).or(self.properties.first())
    }
}

fn asked(property: &Yaml<'_>, folder: &Path) -> Result<Asked, Message> {
    let file = property
        .as_mapping_get("property_file")
        .and_then(scalar)
        .ok_or("a property has no `property_file`")?;
    let expected = match property.as_mapping_get("expected_verdict") {
        None => None,
        Some(value) => Some(value.as_bool().ok_or("expected_verdict is true or false")?),
    };
    Ok(Asked { property: specification::load(&folder.join(file)), expected })
}

/// A scalar as it was written.
fn scalar(value: &Yaml<'_>) -> Option<String> {
    let text = value.as_str().map(str::to_string);
    text.or_else(|| value.as_floating_point().map(|f| format!("{f:?}")))
}

/// A string or a list of strings.
fn strings(value: &Yaml<'_>) -> Vec<String> {
    match value.as_sequence() {
        Some(list) => list.iter().filter_map(scalar).collect(),
        None => scalar(value).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "format_version: '2.0'

# old file name: loop_true.c
input_files: 'loop.c'

properties:
  - property_file: no/such/termination.prp
    expected_verdict: false
  - property_file: no/such/unreach-call.prp

options:
  language: C
  data_model: ILP32
";

    #[test]
    fn task_files() {
        let task = TaskFile::read(TASK, Path::new("folder")).expect("a task");
        assert_eq!(task.input, Path::new("folder/loop.c"));
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        assert_eq!(task.properties.iter().map(|p| p.expected).collect::<Vec<_>>(), [Some(false), None]);
        assert!(task.first_property().is_some_and(|p| p.property.is_err()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let read = |text: String| TaskFile::read(&text, Path::new(""));
        let reason = |from: &str, to: &str| read(TASK.replace(from, to)).unwrap_err().to_string();
        assert!(reason("'2.0'", "'7.0'").contains("7.0"));
        assert!(reason("format_version", "version").contains("not a task file"));
        assert!(reason("'loop.c'", "['a.c', 'b.c']").contains("not 2"));
        assert!(reason("ILP32", "LLP64").contains("LLP64"));
        assert!(reason("language: C", "language: Java").contains("Java"));
        assert!(reason("false", "perhaps").contains("true or false"));
        assert!(!reason("options:", "options: [").is_empty());
    }
}
