#!/usr/bin/env node
import { oldNode } from './command-line/old-node.ts';

const complaint = oldNode(process.versions.node);
if (complaint !== undefined) {
  console.error(complaint);
  process.exit(1);
}
// Not before: an old Node stops at what these import, in words that help nobody.
const { processTerminal } = await import('./command-line/process-terminal.ts');
const { runCommand } = await import('./command-line/run-command.ts');
const { followed } = await import('./command-line/pipe-errors.ts');

const args = process.argv.slice(2);
// A server ends also where nobody reads its log.
if (args[0] === 'serve') process.exit(await runCommand(args, processTerminal(process)));

const [out, err] = [followed(process.stdout), followed(process.stderr)];
const code = await runCommand(args, processTerminal(process));
const lost = await out();
// Who reads no further, as `head` does, has what they wanted.
if (lost !== undefined && code === 0 && !('code' in lost && lost.code === 'EPIPE')) {
  console.error(`pinfold: standard output cannot be written: ${lost.message}`);
}
await err();
process.exit(lost === undefined ? code : code || 1);
