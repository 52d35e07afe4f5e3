//! Requests and notifications of the language server protocol.

use crate::documents::Documents;
use crate::findings::{Findings, findings, path, uri};
use crate::{Function, Verifier};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use lsp_types::notification::{
    DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, LogMessage, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    CodeLensRequest, ExecuteCommand, InlayHintRefreshRequest, InlayHintRequest, Request as _,
};
use lsp_types::{
    CodeLens, CodeLensOptions, CodeLensParams, Command, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions, ExecuteCommandParams,
    InitializeParams, InlayHintParams, LogMessageParams, MessageType, OneOf, Position,
    PublishDiagnosticsParams, Range, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread::Scope;

/// The command that verifies a file; its argument is the address of the file.
const VERIFY: &str = "bolide.verify";
/// The command that verifies a function; its arguments are the address of the file and the name of the function.
const VERIFY_FUNCTION: &str = "bolide.verifyFunction";

/// Serves a client until it says that this is the end.
pub fn serve(connection: &Connection, verifier: &dyn Verifier) -> Result<(), ProtocolError> {
    let (id, parameters) = connection.initialize_start()?;
    let parameters: InitializeParams = serde_json::from_value(parameters).unwrap_or_default();
    let capabilities = serde_json::to_value(capabilities()).unwrap_or_default();
    let server = json!({ "name": "bolide", "version": env!("CARGO_PKG_VERSION") });
    connection.initialize_finish(id, json!({ "capabilities": capabilities, "serverInfo": server }))?;
    let hints = parameters.capabilities.workspace.and_then(|w| w.inlay_hint);
    let server = Server {
        connection,
        verifier,
        documents: Mutex::new(Documents::default()),
        refreshes_hints: hints.and_then(|h| h.refresh_support).unwrap_or(false),
        requests: AtomicI32::new(0),
    };
    std::thread::scope(|scope| {
        let ended = server.listen(scope);
        server.documents().stop();
        ended
    })
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::NONE),
            save: Some(true.into()),
            ..TextDocumentSyncOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![VERIFY.into(), VERIFY_FUNCTION.into()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// A server and its client.
struct Server<'a> {
    connection: &'a Connection,
    verifier: &'a dyn Verifier,
    documents: Mutex<Documents>,
    /// Can the client be asked to fetch hints again?
    refreshes_hints: bool,
    /// How many requests have been sent to the client.
    requests: AtomicI32,
}

impl Server<'_> {
    fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A client that is gone needs no messages.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn log(&self, message: String) {
        let parameters = LogMessageParams { typ: MessageType::INFO, message };
        self.send(Notification::new(LogMessage::METHOD.into(), parameters));
    }

    fn listen<'s>(&'s self, scope: &'s Scope<'s, '_>) -> Result<(), ProtocolError> {
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    let answer = self.answer(request, scope);
                    self.send(answer);
                }
                Message::Notification(notification) => self.notice(notification, scope),
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn answer<'s>(&'s self, request: Request, scope: &'s Scope<'s, '_>) -> Response {
        let Request { id, method, params } = request;
        match method.as_str() {
            CodeLensRequest::METHOD => {
                reply(id, params, |p: CodeLensParams| Ok(self.lenses(&p.text_document.uri)))
            }
            InlayHintRequest::METHOD => reply(id, params, |p: InlayHintParams| {
                let shown = |at: &Position| p.range.start <= *at && *at <= p.range.end;
                let file = path(&p.text_document.uri).unwrap_or_default();
                let hints = self.documents().hints(&file);
                Ok(hints.into_iter().filter(|h| shown(&h.position)).collect::<Vec<_>>())
            }),
            ExecuteCommand::METHOD => reply(id, params, |p: ExecuteCommandParams| {
                let word = |n: usize| p.arguments.get(n).and_then(Value::as_str);
                let file = word(0).and_then(|a| a.parse::<Uri>().ok()).and_then(|a| path(&a));
                match (p.command.as_str(), file, word(1)) {
                    (VERIFY, Some(file), _) => self.verify(file, None, scope),
                    (VERIFY_FUNCTION, Some(file), Some(name)) => self.verify(file, Some(name.into()), scope),
                    (VERIFY | VERIFY_FUNCTION, ..) => {
                        return Err(BadRequest("the address of a file is missing".into()));
                    }
                    (other, ..) => return Err(BadRequest(format!("unknown command {other}"))),
                }
                Ok(Value::Null)
            }),
            other => {
                Response::new_err(id, ErrorCode::MethodNotFound as i32, format!("{other} is not supported"))
            }
        }
    }

    fn notice<'s>(&'s self, notification: Notification, scope: &'s Scope<'s, '_>) {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Ok(opened) = serde_json::from_value::<DidOpenTextDocumentParams>(params) {
                    self.verify_open(&opened.text_document.uri, scope);
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Ok(saved) = serde_json::from_value::<DidSaveTextDocumentParams>(params) {
                    self.verify_open(&saved.text_document.uri, scope);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    let file = path(&closed.text_document.uri).unwrap_or_default();
                    let changed = self.documents().close(&file);
                    changed.iter().for_each(|file| self.publish(file));
                }
            }
            _ => {}
        }
    }

    /// Verifies a document that was opened or saved, if it is a program: of a file without `main` only functions can be verified.
    fn verify_open<'s>(&'s self, address: &Uri, scope: &'s Scope<'s, '_>) {
        if let Some(file) = path(address) {
            self.verify(file, None, scope);
        }
    }

    /// Verifies a file or a function, beside everything else.
    fn verify<'s>(&'s self, file: PathBuf, function: Option<String>, scope: &'s Scope<'s, '_>) {
        let run = self.documents().begin(&file);
        scope.spawn(move || {
            let functions = self.verifier.functions(&file);
            let is_library =
                function.is_none() && !functions.is_empty() && functions.iter().all(|f| f.name != "main");
            let found = if is_library {
                Findings { summary: "no main: verify its functions".into(), ..Findings::default() }
            } else {
                let answer = self.verifier.verify(&file, function.as_deref(), &run);
                findings(&answer, &file, file.parent().unwrap_or(Path::new("")))
            };
            let of = function.map_or(String::new(), |f| format!(", {f}"));
            let summary = format!("{}{of}: {}", file.display(), found.summary);
            let Some(changed) = self.documents().end(&file, &run, found) else { return };
            changed.iter().for_each(|file| self.publish(file));
            self.log(summary);
            if self.refreshes_hints {
                let id = RequestId::from(self.requests.fetch_add(1, Ordering::Relaxed));
                self.send(Request::new(id, InlayHintRefreshRequest::METHOD.into(), Value::Null));
            }
        });
    }

    fn publish(&self, file: &Path) {
        let Some(uri) = uri(file) else { return };
        let diagnostics = self.documents().diagnostics(file);
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version: None };
        self.send(Notification::new(PublishDiagnostics::METHOD.into(), parameters));
    }

    /// A lens above each function of a file, and one for the whole program.
    fn lenses(&self, address: &Uri) -> Vec<CodeLens> {
        let Some(file) = path(address) else { return Vec::new() };
        let lens = |f: &Function| {
            let at = Position::new(f.line.saturating_sub(1), f.column.saturating_sub(1));
            let (title, command, arguments) = match f.name.as_str() {
                "main" => ("verify", VERIFY, vec![json!(address)]),
                name => ("verify this function", VERIFY_FUNCTION, vec![json!(address), json!(name)]),
            };
            let command =
                Command { title: title.into(), command: command.into(), arguments: Some(arguments) };
            CodeLens { range: Range::new(at, at), command: Some(command), data: None }
        };
        self.verifier.functions(&file).iter().map(lens).collect()
    }
}

/// Why a request cannot be answered.
struct BadRequest(String);

/// Answers a request with its parameters.
fn reply<P: DeserializeOwned, R: serde::Serialize>(
    id: RequestId,
    parameters: Value,
    answer: impl FnOnce(P) -> Result<R, BadRequest>,
) -> Response {
    match serde_json::from_value(parameters).map_err(|e| BadRequest(e.to_string())).and_then(answer) {
        Ok(result) => Response::new_ok(id, result),
        Err(BadRequest(message)) => Response::new_err(id, ErrorCode::InvalidParams as i32, message),
    }
}
