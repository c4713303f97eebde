import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SECRET = 'a-password-that-no-log-may-have';
const DEPLOY = join(import.meta.dirname, '..', 'deploy');

/** One file with its access log turned on, listening on a port of this machine without TLS. */
interface LoggingProxy {
  readonly file: string;
  readonly command: (file: string) => readonly [string, ...string[]];
  readonly logging: (text: string, port: number) => string;
}

const onNginx = (text: string, port: number): string =>
  `daemon off; pid nginx.pid; error_log stderr info; events {} http { access_log access.log combined;\n${text
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replaceAll(/^ +(?:http2 on|ssl_certificate(?:_key)? .*);.*$/gm, '')} }`;

const onCaddy = (text: string, port: number): string =>
  text
    .replace('{\n\tlog {', '{\n\tadmin off\n\tlog {')
    .replace(/^share\.example.*\{$/m, `http://127.0.0.1:${port} {\n\tlog`)
    .replace(/^\ttls .*$/m, '');

const PROXIES: readonly LoggingProxy[] = [
  ...['nginx.conf', 'nginx.nodes.conf'].map((file) => ({
    file,
    command: (path: string) => ['nginx', '-p', join(path, '..'), '-c', path] as const,
    logging: onNginx,
  })),
  ...['Caddyfile', 'Caddyfile.nodes'].map((file) => ({
    file,
    command: (path: string) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', path] as const,
    logging: onCaddy,
  })),
  {
    file: 'haproxy.cfg',
    command: (path) => ['haproxy', '-db', '-f', path],
    logging: (text, port) =>
      text
        .replaceAll('/etc/haproxy/', `${DEPLOY}/`)
        .replace(/^ +bind :443.*$/m, `  bind 127.0.0.1:${port}`)
        .replace('  mode http\n', '  mode http\n  log stdout format raw local0\n  option httplog\n'),
  },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends a publication's head; any answer will do, since no server is behind the proxy. */
async function publish(port: number): Promise<boolean> {
  const headers = { 'Pinfold-Password': SECRET, 'Content-Length': '0', Host: 'share.example' };
  const sent = request({ host: '127.0.0.1', port, path: '/api/v1/pins', method: 'POST', headers });
  sent.end();
  try {
    const [response] = await once(sent, 'response');
    response.resume();
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs each proxy with its file in deploy/ and its access log turned on, and publishes with a password through it.
 *
 * @returns the files whose proxy wrote the password, or nothing about the request.
 */
export async function filesThatLogPasswords(folder: string): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { file, command, logging } of PROXIES) {
    const port = await freePort();
    const path = join(folder, `logging-${file}`);
    writeFileSync(path, logging(readFileSync(join(DEPLOY, file), 'utf8'), port));
    const [program, ...args] = command(path);
    const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const proxy = spawn(program, args, { cwd: folder, env });
    const closed = once(proxy, 'close');
    let written = '';
    for (const output of [proxy.stdout, proxy.stderr]) output.on('data', (text) => (written += text));
    for (let tries = 0; tries < 100 && !(await publish(port)); tries += 1) await pause(100);
    const accessLog = join(folder, 'access.log');
    const logged = (): string => written + (existsSync(accessLog) ? readFileSync(accessLog, 'utf8') : '');
    for (let tries = 0; tries < 50 && !logged().includes('/api/v1/pins'); tries += 1) await pause(100);
    proxy.kill();
    await closed;
    const text = logged();
    rmSync(accessLog, { force: true });
    const isRight = text.includes('/api/v1/pins') && !text.includes(SECRET);
    console.log(`${isRight ? 'ok' : 'FAILED'}: the access log of ${program}, ${file}`);
    if (!isRight) console.error(written);
    if (!isRight) wrong.push(file);
  }
  return wrong;
}
