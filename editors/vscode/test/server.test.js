// Drives `bolide lsp` with the protocol library that VS Code itself uses, with the command line that the extension makes.
// BOLIDE names the command under test.
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { spawn } = require('node:child_process');
const Module = require('node:module');

// The extension runs in the editor; only its settings are needed here.
const resolve = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? {} : name.startsWith('vscode-languageclient') ? { TransportKind: {} } : resolve(name, ...rest));
const { server } = require('../extension.js');
Module._load = resolve;
const rpc = require('vscode-languageserver-protocol/node');

const BOLIDE = process.env.BOLIDE || 'bolide';
const UNSAFE = `extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int twice(int x) { return x + x; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (twice(x) == 14) reach_error();
  return 0;
}
`;
const SAFE = `extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int i = 0, n = __VERIFIER_nondet_int();
  while (i < n) i++;
  if (n > 0 && i != n) reach_error();
  return 0;
}
`;

/** A client with some open file, and the diagnostics that come for it. */
async function open(text) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bolide-lsp-'));
  const file = path.join(folder, 'a file.c');
  fs.writeFileSync(file, text);
  const { command, args } = server({ get: (name, otherwise) => (name === 'path' ? BOLIDE : otherwise) });
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = rpc.createProtocolConnection(
    new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  const uri = pathToFileURL(file).toString();
  const published = [];
  let wake = () => {};
  connection.onNotification(rpc.PublishDiagnosticsNotification.type, (p) => { published.push(p); wake(); });
  connection.onNotification(rpc.LogMessageNotification.type, () => {});
  connection.listen();
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type, {
    processId: process.pid, rootUri: pathToFileURL(folder).toString(), capabilities: {},
  });
  await connection.sendNotification(rpc.InitializedNotification.type, {});
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: 'c', version: 1, text },
  });
  const next = async () => {
    while (!published.length) await new Promise((done) => { wake = done; });
    return published.shift();
  };
  const close = async () => {
    await connection.sendRequest(rpc.ShutdownRequest.type);
    await connection.sendNotification(rpc.ExitNotification.type);
    const code = await new Promise((done) => child.on('exit', done));
    connection.dispose();
    fs.rmSync(folder, { recursive: true });
    assert.strictEqual(code, 0);
  };
  return { connection, capabilities, uri, file, next, close };
}

test('a violation has its trace', async () => {
  const { connection, capabilities, uri, next, close } = await open(UNSAFE);
  assert.ok(capabilities.codeLensProvider && capabilities.inlayHintProvider);
  const { diagnostics } = await next();
  assert.strictEqual(diagnostics.length, 1);
  assert.strictEqual(diagnostics[0].range.start.line, 5);
  assert.ok(diagnostics[0].relatedInformation.some((step) => step.message.includes('gives')));
  const lenses = await connection.sendRequest(rpc.CodeLensRequest.type, { textDocument: { uri } });
  assert.deepStrictEqual(lenses.map((lens) => lens.command.title), ['verify this function', 'verify']);
  await connection.sendRequest(rpc.ExecuteCommandRequest.type, lenses[0].command);
  assert.deepStrictEqual((await next()).diagnostics, []);
  await close();
});

test('a proof has its invariants, and an edit that breaks it is found', async () => {
  const { connection, uri, file, next, close } = await open(SAFE);
  assert.deepStrictEqual((await next()).diagnostics, []);
  const range = { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } };
  const hints = await connection.sendRequest(rpc.InlayHintRequest.type, { textDocument: { uri }, range });
  assert.ok(hints.some((hint) => hint.label.startsWith('invariant: ')));
  fs.writeFileSync(file, SAFE.replace('i != n', 'i == n'));
  await connection.sendNotification(rpc.DidSaveTextDocumentNotification.type, { textDocument: { uri } });
  assert.strictEqual((await next()).diagnostics[0].range.start.line, 5);
  fs.writeFileSync(file, SAFE.replace('return 0;', 'return 0'));
  await connection.sendNotification(rpc.DidSaveTextDocumentNotification.type, { textDocument: { uri } });
  const rejected = await next();
  assert.strictEqual(rejected.diagnostics[0].severity, 1);
  await close();
});
