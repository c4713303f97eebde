#!/usr/bin/env node
import { unsupportedNodeMessage } from './command-line/old-node.ts';

const message = unsupportedNodeMessage(process.versions.node);
if (message !== undefined) {
  console.error(message);
  process.exit(1);
}
// Loaded after the check, because an old Node would fail in these modules with a message that does not help.
const { createProcessTerminal, trackWrites } = await import('./command-line/terminal.ts');
const { runCommand } = await import('./command-line/run-command.ts');

bypassProxy(process.env);

const args = process.argv.slice(2);
// A server must end even if no one reads its log.
if (args[0] === 'serve') process.exit(await runCommand(args, createProcessTerminal(process)));

const [flushOutput, flushErrors] = [trackWrites(process.stdout), trackWrites(process.stderr)];
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  // A second signal ends the process at once.
  process.once(signal, () => void endBySignal(code));
}
let publishedKey: string | undefined;
const reportKeyOnSignal = (idempotencyKey: string): void => {
  publishedKey = idempotencyKey;
};
const code = await runCommand(args, { ...createProcessTerminal(process), reportKeyOnSignal });
const writeError = await flushOutput();
// A closed pipe is not a failure: a reader such as `head` has enough.
if (writeError !== undefined && code === 0 && !('code' in writeError && writeError.code === 'EPIPE')) {
  console.error(`pinfold: standard output cannot be written: ${writeError.message}`);
}
await flushErrors();
process.exit(writeError === undefined ? code : code || 1);

async function endBySignal(exitCode: number): Promise<void> {
  const error = { code: 'interrupted', detail: 'a signal ended the command', idempotency_key: publishedKey };
  if (publishedKey !== undefined) {
    const { formatResumeHint } = await import('./commands/publish.ts');
    console.error(formatResumeHint(publishedKey, 'interrupted:'));
  } else if (args.includes('--json')) {
    console.error(`pinfold: ${error.detail}`);
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error })}\n`);
  await Promise.all([flushOutput(), flushErrors()]);
  process.exit(exitCode);
}

/**
 * Sends requests to this machine directly. With `NODE_USE_ENV_PROXY`, Node sends them to the proxy of `HTTP_PROXY`, and
 * with them the key of a server on this machine. Node reads the environment at each request.
 */
function bypassProxy(env: Record<string, string | undefined>): void {
  const loopback = 'localhost,127.0.0.1,[::1]';
  // Node uses the variable in lower case if both exist.
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  const exclusions = env[name]?.trim();
  if (exclusions !== '*') env[name] = exclusions ? `${exclusions},${loopback}` : loopback;
}
