// Runs nginx in the foreground as this process's child, with one worker and precompressed files.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const { ROOT, PORT, SCRATCH } = process.env;
mkdirSync(SCRATCH, { recursive: true });
const config = join(SCRATCH, 'nginx.conf');
const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
  (name) => `${name}_temp_path ${join(SCRATCH, name)};`,
);
writeFileSync(
  config,
  `daemon off; worker_processes 1; pid ${join(SCRATCH, 'pid')}; error_log stderr error;
events { worker_connections 4096; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; ${paths.join(' ')}
  types { text/html html; text/css css; text/javascript js; }
  open_file_cache max=1000; gzip_static on; gzip_vary on;
  server { listen 127.0.0.1:${PORT}; root ${ROOT}; }
}`,
);
const child = spawn('nginx', ['-c', config, '-p', SCRATCH], { stdio: ['ignore', 'ignore', 'inherit'] });
const poll = setInterval(async () => {
  const answer = await fetch(`http://127.0.0.1:${PORT}/`).catch(() => undefined);
  if (answer === undefined) return;
  await answer.body?.cancel();
  clearInterval(poll);
  console.log('ready');
}, 20);
child.on('exit', () => process.exit(0));
process.on('SIGTERM', () => child.kill('SIGTERM'));
