//! The language server, driven over its pipes; and the extension for VS Code, where its packages are installed.

mod common;

use common::{Folder, command};
use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROOF: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int i = 0, n = __VERIFIER_nondet_int();
  while (i < n) i++;
  if (n > 0 && i != n) reach_error();
  return 0;
}
";
const LIBRARY: &str = "extern void reach_error(void);
int half(int x) { if (x == 7) reach_error(); return x / 2; }
";

/// A client of a server.
struct Client {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    requests: i32,
}

impl Client {
    fn start(options: &[&str]) -> Client {
        let mut command = command();
        command.arg("lsp").args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("a server");
        let (to, from) = (server.stdin.take().expect("a pipe"), server.stdout.take().expect("a pipe"));
        let mut client = Client { server, to, from: BufReader::new(from), requests: 0 };
        let answer = client.request("initialize", json!({ "capabilities": {} }));
        assert_eq!(answer["serverInfo"]["name"], "bolide");
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: impl Into<Message>) {
        message.into().write(&mut self.to).expect("a message is sent");
        self.to.flush().expect("a message is sent");
    }

    fn receive(&mut self) -> Message {
        Message::read(&mut self.from).expect("a message").expect("a message")
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(Notification::new(method.into(), parameters));
    }

    fn answer(&mut self, method: &str, parameters: Value) -> Response {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        self.send(Request::new(id.clone(), method.into(), parameters));
        loop {
            if let Message::Response(response) = self.receive()
                && response.id == id
            {
                return response;
            }
        }
    }

    fn request(&mut self, method: &str, parameters: Value) -> Value {
        let response = self.answer(method, parameters);
        assert!(response.error.is_none(), "{method}: {:?}", response.error);
        response.result.unwrap_or_default()
    }

    /// The next diagnostics for a file.
    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        loop {
            if let Message::Notification(note) = self.receive()
                && note.method == "textDocument/publishDiagnostics"
                && note.params["uri"] == uri
            {
                return note.params["diagnostics"].as_array().expect("diagnostics").clone();
            }
        }
    }

    fn open(&mut self, uri: &str) {
        let document = json!({ "uri": uri, "languageId": "c", "version": 1, "text": "" });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn end(mut self) {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.server.wait().expect("an end").code(), Some(0));
    }
}

#[test]
fn proofs_edits_and_errors_of_syntax() {
    let folder = Folder::new("lsp-proof");
    let path = folder.file("a.c", PROOF);
    let uri = format!("file://{path}");
    let mut client = Client::start(&[]);
    client.open(&uri);
    assert!(client.diagnostics(&uri).is_empty());
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let hints =
        client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }));
    assert_eq!(hints[0]["position"]["line"], 3, "{hints}");
    assert!(hints[0]["label"].as_str().is_some_and(|l| l.starts_with("invariant: ")), "{hints}");

    folder.file("a.c", &PROOF.replace("i != n", "i == n"));
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    let violations = client.diagnostics(&uri);
    assert_eq!((violations.len(), &violations[0]["severity"]), (1, &json!(1)));
    assert_eq!(violations[0]["range"]["start"]["line"], 4);
    assert!(violations[0]["relatedInformation"].as_array().is_some_and(|r| r.len() > 2), "{violations:?}");

    folder.file("a.c", &PROOF.replace("return 0;", "return 0"));
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.diagnostics(&uri)[0]["code"], "error");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert!(client.diagnostics(&uri).is_empty());
    client.end();
}

#[test]
fn functions_by_themselves() {
    let folder = Folder::new("lsp-functions");
    let uri = format!("file://{}", folder.file("lib.c", LIBRARY));
    let mut client = Client::start(&["--", "--timeout", "30"]);
    client.open(&uri);
    assert!(client.diagnostics(&uri).is_empty());
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(lenses[0]["range"]["start"]["line"], 1);
    let command = &lenses[0]["command"];
    assert_eq!(command["title"], "verify this function");
    client.request("workspace/executeCommand", command.clone());
    assert_eq!(client.diagnostics(&uri)[0]["range"]["start"]["line"], 1);
    let unknown =
        client.answer("workspace/executeCommand", json!({ "command": "bolide.fly", "arguments": [] }));
    assert!(unknown.error.is_some_and(|e| e.message.contains("bolide.fly")));
    let unknown = client.answer("textDocument/rename", json!({}));
    assert!(unknown.error.is_some());
    client.end();
}

#[test]
fn the_extension_works_where_its_packages_are_installed() {
    let extension = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    if !extension.join("node_modules").is_dir() {
        println!("skipped: run `npm install` in editors/vscode");
        return;
    }
    let mut node = Command::new("node");
    node.args(["--test", "test/"]).current_dir(extension).env("BOLIDE", env!("CARGO_BIN_EXE_bolide"));
    let output = node.output().expect("node runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
