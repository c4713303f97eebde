#!/usr/bin/env node
import { processTerminal } from './command-line/process-terminal.ts';
import { runCommand } from './command-line/run-command.ts';

process.exit(await runCommand(process.argv.slice(2), processTerminal(process)));
