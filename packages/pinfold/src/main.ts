#!/usr/bin/env node
import { runCommand } from './command-line/run-command.ts';

process.exit(
  await runCommand(process.argv.slice(2), {
    env: process.env,
    out: (line) => process.stdout.write(`${line}\n`),
    err: (line) => process.stderr.write(`${line}\n`),
  }),
);
