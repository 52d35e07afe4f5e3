// The extension starts `bolide lsp` and leaves the rest to the protocol.
'use strict';

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

/** The command line of the server, from the user's settings. */
function server(settings) {
  const options = settings.get('arguments', []);
  const command = settings.get('path', 'bolide');
  return { command, args: ['lsp', ...(options.length ? ['--', ...options] : [])], transport: TransportKind.stdio };
}

async function start() {
  const run = server(vscode.workspace.getConfiguration('bolide'));
  const selector = [{ scheme: 'file', language: 'c' }];
  client = new LanguageClient('bolide', 'Bolide', run, { documentSelector: selector });
  await client.start();
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) await old.stop();
}

/** Verifies the file in the active editor. */
async function verifyFile() {
  const editor = vscode.window.activeTextEditor;
  if (!client || !editor) return;
  await editor.document.save();
  const argument = client.code2ProtocolConverter.asUri(editor.document.uri);
  await client.sendRequest('workspace/executeCommand', { command: 'bolide.verify', arguments: [argument] });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('bolide.restart', async () => { await stop(); await start(); }),
    vscode.commands.registerCommand('bolide.verifyFile', verifyFile),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration('bolide')) { await stop(); await start(); }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop, server };
