//! Errors that are only told.

use std::fmt;

/// What is wrong, in words for the user, where nobody tells one error from another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message(String);

impl Message {
    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Message {}

impl From<String> for Message {
    fn from(words: String) -> Message {
        Message(words)
    }
}

impl From<&str> for Message {
    fn from(words: &str) -> Message {
        Message(words.into())
    }
}

impl From<std::io::Error> for Message {
    fn from(error: std::io::Error) -> Message {
        Message(error.to_string())
    }
}

impl From<Message> for String {
    fn from(message: Message) -> String {
        message.0
    }
}
