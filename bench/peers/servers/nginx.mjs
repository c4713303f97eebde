// Runs nginx in the foreground as this process's child, with one worker and precompressed files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runServer } from './child-server.mjs';

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
runServer(PORT, 'nginx', ['-c', config, '-p', SCRATCH], { stdio: ['ignore', 'ignore', 'inherit'] });
