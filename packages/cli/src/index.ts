export { runCommand } from './run-command.ts';
export type { Terminal } from './terminal.ts';
