import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { zipOf } from 'pinfold/testing';
import { quietPort } from 'pinfold-test-servers';
import { root } from './documents/pages.ts';
import { Client, siteOf } from './service/client.ts';
import { tryPassword } from './service/visitor.ts';

/** Below this package, since these programs import only its dependencies; ignored by git. */
const work = join(import.meta.dirname, 'dist', 'other-servers');

const PROGRAMS: readonly (readonly [page: string, host: string, which: number])[] = [
  ['docs/embedding/other-servers.md', 'bare node:http', 0],
  ['docs/embedding/fastify.md', 'Fastify, by @fastify/express', 0],
  ['docs/embedding/fastify.md', 'Fastify, by @fastify/middie', 1],
  ['docs/embedding/hono.md', 'Hono', 0],
];

/**
 * A download and a WebSocket of the host itself, and timers a hundred times as fast: 45 seconds without a reader pass
 * in half a second. Loaded before the program.
 */
const HOST = `
import http from 'node:http';
import net from 'node:net';
const faster = (milliseconds) => (milliseconds >= 1_000 ? milliseconds / 100 : milliseconds);
const { setInterval: repeat } = globalThis;
globalThis.setInterval = (work, time, ...more) => repeat(work, faster(time), ...more);
const { setTimeout: expire } = net.Socket.prototype;
net.Socket.prototype.setTimeout = function (time, ...more) {
  // Except the time after which a server closes idle connections.
  return expire.call(this, time === 5_000 || time === 45_000 ? faster(time) : time, ...more);
};
const body = Buffer.alloc(40_000_000, 'x');
const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, request, response) {
  if (event === 'request' && request.url === '/report.bin') response.end(body);
  else if (event === 'upgrade') {
    response.on('error', () => {});
    response.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: mine\\r\\n\\r\\n');
    response.write(body);
  } else return emit.apply(this, arguments);
  return true;
};
http.Server.prototype.listenerCount = function (event) {
  return event === 'upgrade' ? 1 : net.Server.prototype.listenerCount.call(this, event);
};
`;
const OWN_BYTES = 40_000_000;

/** An option for the log entries. */
const SEND_AN_ENTRY = '({ route, status }) => void process.send?.({ route, status })';

/** The key with which a test publishes, which a page cannot show. */
const SEND_A_KEY = `
const { OPERATOR } = await import('pinfold');
const { text } = await pinfold.useCases.keys.create({ by: OPERATOR, account: 'ada' as never });
process.send?.(text);
`;

describe('the programs for other servers', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  /** The log entries of the program. */
  const entries: { readonly route: string }[] = [];

  before(() => mkdir(work, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-other-'));
    entries.length = 0;
  });
  afterEach(async () => {
    if (child?.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true });
  });

  /** Runs the program of a page on a port of its own; returns its address and a key for it. */
  async function start(page: string, which: number): Promise<{ readonly url: string; readonly key: string }> {
    const written = await readFile(join(root, page), 'utf8');
    const [, program = ''] = [...written.matchAll(/^```ts\n([\s\S]*?)^```$/gm)][which] ?? [];
    const port = await quietPort();
    const file = join(work, `${port}.ts`);
    const logged = program.replace(/publicUrl: '[^']+'/, `$&, onRequest: ${SEND_AN_ENTRY}`);
    await writeFile(file, logged.replaceAll('8080', String(port)) + SEND_A_KEY);
    const host = join(folder, 'host.mjs');
    await writeFile(host, HOST);
    const execArgv = [
      ...['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'],
      `--import=${pathToFileURL(host)}`,
    ];
    child = fork(file, { cwd: folder, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [key] = await once(child, 'message');
    child.on('message', (entry: { readonly route: string }) => entries.push(entry));
    await rm(file);
    await untilConnectable(port);
    return { url: `http://localhost:${port}`, key: String(key) };
  }

  for (const [page, host, which] of PROGRAMS) {
    it(`publish, show and manage beside a page of one's own with ${host}`, async () => {
      const { url, key } = await start(page, which);
      expect(await (await fetch(url)).text()).to.equal('My own page');
      expect((await fetch(`${url}/manage/`, { redirect: 'manual' })).status).to.equal(303);

      expect((await new Client(url, 'nobody').publish('once')).status).to.equal(401);
      const client = new Client(url, key);
      const { status, pin } = await client.publish('once', siteOf('harbour'));
      if (pin === undefined) throw new Error(`the answer was ${status}`);
      expect(String(await bytesAt(await siteAt(pin.shared_url)))).to.include('<p>harbour');

      const large = randomBytes(3 * 1_048_576);
      const archive = await zipOf({ 'index.html': 'large', 'large.bin': large });
      const site = await siteAt((await client.publish('large', archive)).pin?.shared_url ?? '');
      entries.length = 0;
      const file = await bytesAt(new URL('/large.bin', site));
      expect(file.equals(large), 'a file in pieces').to.equal(true);
      const views = (): unknown[] => entries.filter(({ route }) => route === 'site');
      await until(() => views().length > 0);
      expect(views()).to.deep.equal([{ route: 'site', status: 200 }]);
      expect(
        await reachesSlowReader(url, 'GET /report.bin HTTP/1.1\r\nHost: x\r\n\r\n'),
        'a download',
      ).to.equal(true);
      expect(
        await reachesSlowReader(
          url,
          'GET /chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: mine\r\n\r\n',
        ),
        'a connection of another protocol',
      ).to.equal(true);

      const change = { password: 'harbour lights' };
      expect((await client.patch(pin.id, change)).status).to.equal(200);
      expect((await tryPassword(url, pin.id, 'wrong')).status).to.equal(403);
      expect((await tryPassword(url, pin.id, change.password)).status).to.equal(303);
    });
  }
});

/** The address on its own host to which the link of a site leads. */
async function siteAt(sharedUrl: string): Promise<URL> {
  const { headers } = await fetch(sharedUrl, { redirect: 'manual' });
  return new URL(headers.get('location') ?? '');
}

/** A file at its address, for which no DNS is needed. */
async function bytesAt({ port, host, pathname }: URL): Promise<Buffer> {
  const address = { host: '127.0.0.1', port, path: pathname };
  const [answer] = await once(get({ ...address, headers: { host }, agent: false }), 'response');
  return await buffer(answer);
}

/** Whether everything that the host sends reaches a client that pauses for minutes, by the program's clock, before it reads. */
async function reachesSlowReader(url: string, head: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(head);
  await once(socket, 'readable');
  await pause(1_000);
  let received = 0;
  for await (const bytes of socket) {
    received += bytes.length;
    if (received > OWN_BYTES) break;
  }
  return received > OWN_BYTES;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

/** `listen` resolves its host first, so a program may print its key before clients can connect. */
async function untilConnectable(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      socket.destroy();
      return;
    } catch {
      await pause(20);
    }
  }
}
