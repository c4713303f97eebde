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

process.exit(await runCommand(process.argv.slice(2), processTerminal(process)));
