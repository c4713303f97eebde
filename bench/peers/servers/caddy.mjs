// Runs Caddy in the foreground as this process's child, on one core, with precompressed files.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { ROOT, PORT, SCRATCH } = process.env;
mkdirSync(SCRATCH, { recursive: true });
const config = join(SCRATCH, 'Caddyfile');
writeFileSync(
  config,
  `{
  admin off
  auto_https off
}
http://:${PORT} {
  bind 127.0.0.1
  root * ${ROOT}
  file_server {
    precompressed gzip
  }
}
`,
);
const env = { ...process.env, GOMAXPROCS: '1', HOME: SCRATCH };
const child = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
const poll = setInterval(async () => {
  const answer = await fetch(`http://127.0.0.1:${PORT}/`).catch(() => undefined);
  if (answer === undefined) return;
  await answer.body?.cancel();
  clearInterval(poll);
  console.log('ready');
}, 20);
child.on('exit', () => process.exit(0));
process.on('SIGTERM', () => child.kill('SIGTERM'));
