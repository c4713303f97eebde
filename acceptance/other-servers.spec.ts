import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { quietPort } from 'pinfold-test-servers';
import { root } from './documents/pages.ts';
import { Client, siteOf } from './service/client.ts';
import { tryPassword } from './service/visitor.ts';

/** Below this package, whose dependencies are all that these programs import; not kept by git. */
const work = join(import.meta.dirname, 'dist', 'other-servers');

const PROGRAMS: readonly (readonly [page: string, host: string, which: number])[] = [
  ['docs/embedding/other-servers.md', 'bare node:http', 0],
  ['docs/embedding/fastify.md', 'Fastify, by @fastify/express', 0],
  ['docs/embedding/fastify.md', 'Fastify, by @fastify/middie', 1],
  ['docs/embedding/hono.md', 'Hono', 0],
];

/** What a page cannot show: the key that a test publishes with. */
const TELL_A_KEY = `
const { OPERATOR } = await import('pinfold');
const { text } = await pinfold.useCases.keys.create({ by: OPERATOR, account: 'ada' as never });
process.send?.(text);
`;

describe('the programs for other servers', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  before(() => mkdir(work, { recursive: true }));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-other-'));
  });
  afterEach(async () => {
    if (child?.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true });
  });

  /** Runs the program of a page on a port of its own, and gives where it is and a key for it. */
  async function start(page: string, which: number): Promise<{ readonly url: string; readonly key: string }> {
    const written = await readFile(join(root, page), 'utf8');
    const [, program = ''] = [...written.matchAll(/^```ts\n([\s\S]*?)^```$/gm)][which] ?? [];
    const port = await quietPort();
    const file = join(work, `${port}.ts`);
    await writeFile(file, program.replaceAll('8080', String(port)) + TELL_A_KEY);
    const execArgv = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'];
    child = fork(file, { cwd: folder, execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const [key] = await once(child, 'message');
    await rm(file);
    await takesConnections(port);
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
      const way = (await fetch(pin.shared_url, { redirect: 'manual' })).headers.get('location') ?? '';
      expect(await pageAt(new URL(way))).to.include('<p>harbour');

      const change = { password: 'harbour lights' };
      expect((await client.patch(pin.id, change)).status).to.equal(200);
      expect((await tryPassword(url, pin.id, 'wrong')).status).to.equal(403);
      expect((await tryPassword(url, pin.id, change.password)).status).to.equal(303);
    });
  }
});

/** What is shown on a site's own host, which no resolver has to know. */
async function pageAt({ port, host, pathname }: URL): Promise<string> {
  const [answer] = await once(
    get({ host: '127.0.0.1', port, path: pathname, headers: { host }, agent: false }),
    'response',
  );
  return await text(answer);
}

/** `listen` looks its host up first, so a program may tell its key before anybody can connect. */
async function takesConnections(port: number): Promise<void> {
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
