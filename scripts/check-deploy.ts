// Without it deploy/ could have a configuration that its own program refuses: no npm package can fully check these
// languages. Each missing program is a failure, so it is not part of `npm test`.
// `npm run check:deploy`
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ProxyName, startProxy } from '../bench/lib/reverse-proxies.ts';
import { startDeployed } from './deployed-tree.ts';

const DEPLOY = join(import.meta.dirname, '..', 'deploy');
const SECRET = 'a-secret-that-no-log-may-have';

const PROXIES: Readonly<Record<ProxyName, readonly string[]>> = {
  nginx: ['nginx.conf', 'nginx.nodes.conf'],
  HAProxy: ['haproxy.cfg'],
  Caddy: ['Caddyfile', 'Caddyfile.nodes'],
};
const SERVICES = ['pinfold.service', 'pinfold-backup.service'];
const UNITS = [...SERVICES, 'pinfold-backup-failed.service', 'pinfold-backup.timer'];

/** Paths of viewing grants, hand-overs and sign-in links, and of a publication at the end. */
const SECRET_PATHS = [
  `/.pinfold:enter?grant=${SECRET}`,
  `/manage/sign-in?link=${SECRET}&x=?${SECRET}`,
  `/s/0e43e310-882e-448d-89dc-93eeb0df035d/~${SECRET}/a/index.html?b`,
  `/s/0e43e310-882e-448d-89dc-93eeb0df035d/%7e${SECRET}/`,
];

/** Sends a request with secrets in every possible place; any answer will do. */
async function send(port: number, path: string, method: string): Promise<void> {
  const headers = {
    'Pinfold-Password': SECRET,
    'Content-Length': '0',
    Host: 'share.example',
    Referer: `https://share.example/s/x/~${SECRET}/`,
  };
  const proxy = { host: '127.0.0.1', port, servername: 'share.example', rejectUnauthorized: false };
  const sent = request({ ...proxy, path, method, headers, agent: false });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
}

/** Answers like a hand-over: its Location has a grant. */
async function startNode(): Promise<Server> {
  const node = createServer((incoming, response) => {
    const isProbe = incoming.url?.startsWith('/readyz') ?? false;
    response.writeHead(isProbe ? 200 : 303, { location: `https://share.example/?grant=${SECRET}` }).end();
  });
  await once(node.listen(0, '127.0.0.1'), 'listening');
  return node;
}

/** Starts a proxy with its file and an access log, which must have each request, but no secret. */
async function checkProxy(name: ProxyName, file: string): Promise<void> {
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  const ports = nodes.map((node) => (node.address() as AddressInfo).port);
  // With a node that answers, and with none, which makes a proxy log more.
  for (const addresses of [ports, [9, 10, 11]]) {
    const proxy = await startProxy(name, addresses, { file, logsRequests: true });
    try {
      for (const path of SECRET_PATHS) await send(proxy.port, path, 'GET');
      await send(proxy.port, '/api/v1/pins', 'POST');
      for (let tries = 0; tries < 50 && !proxy.log().includes('/api/v1/pins'); tries += 1) await pause(100);
      for (const part of ['/.pinfold:enter', '/manage/sign-in', '/s/0e43e310', '/api/v1/pins'])
        if (!proxy.log().includes(part)) throw new Error(`${part} is not in the log: ${proxy.log()}`);
      if (proxy.log().includes(SECRET)) throw new Error(`a secret is in the log: ${proxy.log()}`);
    } finally {
      await proxy.stop();
    }
  }
  for (const node of nodes) node.close();
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
  for (const name of UNITS) {
    const text = readFileSync(join(DEPLOY, name), 'utf8');
    writeFileSync(join(work, name), text.replace('ExecStart=pinfold', `ExecStart=${process.execPath}`));
  }
  for (const name of UNITS) {
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
  await report('the tree of the image, started as the image does', () =>
    startDeployed(join(work, 'tree'), join(work, 'data')),
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
