// Without it a configuration that its own program refuses could lie in deploy/: no package of npm knows these
// languages whole. Each program that is missing is a failure, and so it is no part of `npm test`.
// `npm run check:deploy`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ProxyName, startProxy } from '../bench/lib/reverse-proxies.ts';
import { startDeployed } from './deployed-tree.ts';

const DEPLOY = join(import.meta.dirname, '..', 'deploy');
const SECRET = 'a-password-that-no-log-may-have';

const PROXIES: Readonly<Record<ProxyName, readonly string[]>> = {
  nginx: ['nginx.conf', 'nginx.nodes.conf'],
  HAProxy: ['haproxy.cfg'],
  Caddy: ['Caddyfile', 'Caddyfile.nodes'],
};
const SERVICES = ['pinfold.service', 'pinfold-backup.service'];

/** Sends a publication's head; any answer will do, since no server is behind the proxy. */
async function publish(port: number): Promise<void> {
  const headers = { 'Pinfold-Password': SECRET, 'Content-Length': '0', Host: 'share.example' };
  const proxy = { host: '127.0.0.1', port, servername: 'share.example', rejectUnauthorized: false };
  const sent = request({ ...proxy, path: '/api/v1/pins', method: 'POST', headers, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
}

/** Starts a proxy with its file and an access log: that must have a publication, and not its password. */
async function checkProxy(name: ProxyName, file: string): Promise<void> {
  const proxy = await startProxy(name, [9, 10, 11], { file, logsRequests: true });
  try {
    await publish(proxy.port);
    for (let tries = 0; tries < 50 && !proxy.log().includes('/api/v1/pins'); tries += 1) await pause(100);
    if (!proxy.log().includes('/api/v1/pins')) throw new Error(`no request in the log: ${proxy.log()}`);
    if (proxy.log().includes(SECRET)) throw new Error(`the password is in the log: ${proxy.log()}`);
  } finally {
    await proxy.stop();
  }
}

function run(command: string, ...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}\n${error?.message ?? `${stdout}${stderr}`}`);
}

async function report(what: string, check: () => unknown): Promise<void> {
  try {
    await check();
    console.log(`ok: ${what}`);
  } catch (error) {
    console.log(`FAILED: ${what}`);
    console.error(error);
    process.exitCode = 1;
  }
}

const work = mkdtempSync(join(tmpdir(), 'pinfold-deploy-'));
try {
  for (const [name, files] of Object.entries(PROXIES)) {
    for (const file of files) await report(`${name}, ${file}`, () => checkProxy(name as ProxyName, file));
  }
  for (const name of [...SERVICES, 'pinfold-backup.timer']) {
    const text = readFileSync(join(DEPLOY, name), 'utf8');
    writeFileSync(join(work, name), text.replace('ExecStart=pinfold', `ExecStart=${process.execPath}`));
  }
  for (const name of [...SERVICES, 'pinfold-backup.timer']) {
    await report(`systemd, ${name}`, () => run('systemd-analyze', 'verify', '--man=no', join(work, name)));
  }
  for (const name of SERVICES) {
    const security = ['security', '--offline=true', '--threshold=20', join(work, name)];
    await report(`the restrictions of ${name}`, () => run('systemd-analyze', ...security));
  }
  for (const [what, file] of [
    ['check', 'rules.yaml'],
    ['test', 'rules.test.yaml'],
  ] as const) {
    await report(`Prometheus, ${file}`, () =>
      run('promtool', what, 'rules', join(DEPLOY, 'prometheus', file)),
    );
  }
  await report('the tree of the image, started as deploy/compose.yaml does', () =>
    startDeployed(join(work, 'tree'), join(work, 'data')),
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
