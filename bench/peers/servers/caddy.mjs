// Runs Caddy in the foreground as this process's child, on one core, with precompressed files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runServer } from './child-server.mjs';

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
runServer(PORT, 'caddy', ['run', '--config', config, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
