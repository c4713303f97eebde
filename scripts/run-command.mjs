import { spawn } from 'node:child_process';

/** Runs a command to its end; what it writes goes to standard error, since standard output belongs to the task. */
export function runCommand(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 2],
      ...options,
    });
    let output = '';
    child.stdout?.on('data', (data) => {
      output += data;
    });
    child.on('error', (error) => {
      console.error(`pinfold: ${command} could not be started: ${error.message}`);
      resolve({ succeeded: false, output });
    });
    child.on('close', (code) => resolve({ succeeded: code === 0, output }));
  });
}
