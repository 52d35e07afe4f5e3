//! The directory of `--cache`: one file for each certificate, named by its key.

use crate::output::{make_directory, write_whole};
use crate::source::Refused;
use bolide::Cache;
use std::path::{Path, PathBuf};

/// A directory with certificates.
pub struct Directory(PathBuf);

impl Directory {
    /// The directory, which is made if need be.
    pub fn new(path: &Path) -> Result<Directory, Refused> {
        make_directory(path).map_err(Refused)?;
        Ok(Directory(path.into()))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.join(format!("{key}.cert"))
    }
}

impl Cache for Directory {
    fn load(&self, key: &str) -> Option<Vec<u8>> {
        std::fs::read(self.path(key)).ok()
    }

    fn keep(&self, key: &str, certificate: &str) {
        let path = self.path(key);
        if let Err(error) = write_whole(&path, certificate.as_bytes()) {
            eprintln!("{}: warning: not kept: {error}", path.display());
        }
    }

    fn ignored(&self, key: &str, reason: &str) {
        eprintln!("{}: warning: ignored: {reason}", self.path(key).display());
    }
}
