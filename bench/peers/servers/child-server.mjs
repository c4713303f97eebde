// Runs a server as this process's child, says when it answers, and ends it with this process.
import { spawn } from 'node:child_process';

export function runServer(port, program, args, options) {
  const child = spawn(program, args, options);
  const poll = setInterval(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer === undefined) return;
    await answer.body?.cancel();
    clearInterval(poll);
    console.log('ready');
  }, 20);
  child.on('exit', () => process.exit(0));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
}
