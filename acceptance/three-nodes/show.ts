// `npm run many-nodes`: starts what several machines would be, shows what they promise, and ends everything.
import { once } from 'node:events';
import { constants } from 'node:os';
import { type Duration, duration, seconds } from '@pinfold/core';
import { startPostgres, startS3 } from 'pinfold-test-servers';
import { Client, type PinJson } from '../service/client.ts';
import { enter, tryPassword } from '../service/visitor.ts';
import { type Front, startFront } from './front.ts';
import { type Nodes, openNodes, type RunningNode } from './nodes.ts';

interface NamedNode extends RunningNode {
  readonly name: string;
}

/** Things to end, in the reverse order of their start. */
const endings: (() => Promise<unknown>)[] = [];
const stopped = new AbortController();
const PASSWORD = 'open sesame';
const TICK: Duration = duration(1_000);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // A terminal, npm and a wrapper may each send one: the first counts.
  process.on(signal, () => {
    process.exitCode ??= 128 + constants.signals[signal];
    stopped.abort();
  });
}
// The person's own settings would belong to another service.
for (const name of Object.keys(process.env)) if (name.startsWith('PINFOLD_')) delete process.env[name];

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function title(text: string): void {
  stopped.signal.throwIfAborted();
  say(`\n${text}`);
}

function claim(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(`this does not hold: ${sentence}`);
  say(`  ✓ ${sentence}`);
}

/** The nodes, the front before them, and a client that knows only the front. */
class Show {
  readonly #nodes: Nodes;
  readonly #front: Front;
  readonly #client: Client;
  /** The nodes behind the front. */
  readonly #running: NamedNode[];

  constructor(nodes: Nodes, front: Front, running: NamedNode[]) {
    this.#nodes = nodes;
    this.#front = front;
    this.#running = running;
    this.#client = new Client(front.url, nodes.key);
  }

  async run(): Promise<void> {
    title('Three nodes of the reference app, on one PostgreSQL and one S3 server');
    await Promise.all([1, 2, 3].map((n) => this.#start(`node ${n}`)));
    say(`    before them, a proxy gives each request to the next one: ${this.#front.url}`);
    await this.#everywhere('knows the key, though all started at once on an empty database', async () => {
      return (await this.#client.list()).length === 0;
    });

    title('A site is published, and every node shows it');
    const first = await this.#publish('first', 201);
    await this.#everywhere('shows it', async () => (await this.#client.view(first.id)) === 200);

    await this.#protect(first);
    const second = await this.#killAndRetry();

    title('What one node stops is stopped on the others');
    claim((await this.#client.stop(first.id)).status === 204, `${this.#latest} stopped the first site`);
    await this.#everywhere('no longer has it', async () => (await this.#client.view(first.id)) === 404);

    title('A new node takes the place of the killed one');
    await this.#start('node 5');
    await this.#everywhere('shows the second site', async () => (await this.#client.view(second.id)) === 200);
  }

  async #protect({ id }: PinJson): Promise<void> {
    const { url } = this.#front;
    title('A password that one node sets is in force on all at their next request');
    const { status } = await this.#client.patch(id, { password: PASSWORD });
    claim(status === 200, `${this.#latest} set the password`);
    const wrong = async (): Promise<boolean> => (await tryPassword(url, id, 'a guess')).status === 403;
    await this.#everywhere('asks for it', wrong);
    const visitor = await enter(url, id, PASSWORD);
    const shows = async (): Promise<boolean> => (await visitor.page(url)) === 200;
    await this.#everywhere('shows the site to a viewer who entered it once', shows);
  }

  async #killAndRetry(): Promise<PinJson> {
    title('A node is killed (kill -9) in the middle of a publication, and nothing is lost');
    const sound = this.#running.splice(0);
    const doomed = await this.#start('node 4', { hangs: 'commit' });
    const lost = this.#client.publish('second').catch(() => 'no answer');
    await doomed.process.nextMessage('hanging');
    doomed.process.kill();
    this.#running.splice(0, 1, ...sound);
    say('    node 4 had stored the archive and was committing the publication: killed');
    claim((await lost) === 'no answer', 'the client got no answer, and sends the same request again:');
    const early = await this.#client.publish('second');
    claim(early.status === 409, `409 from ${this.#latest}: it may still be running elsewhere`);
    await this.#nodes.advance(seconds(60));
    say('    a minute later by the clocks of the nodes, the lease of the dead one has lapsed:');
    const second = await this.#publish('second', 201);
    const again = await this.#publish('second', 200);
    claim(again.id === second.id, 'the same publication, if the request is sent once more');
    const ids = (await this.#client.list()).map(({ id }) => id);
    claim(ids.length === 2 && new Set(ids).size === 2, 'the list has two publications, each of them once');
    await this.#everywhere('shows the second site', async () => (await this.#client.view(second.id)) === 200);
    return second;
  }

  async #start(name: string, orders?: Parameters<Nodes['start']>[0]): Promise<NamedNode> {
    const node = { name, ...(await this.#nodes.start(orders)) };
    this.#running.push(node);
    say(`    ${name}: process ${node.process.pid}, 127.0.0.1:${node.port}`);
    return node;
  }

  async #publish(key: string, expected: number): Promise<PinJson> {
    const { status, pin } = await this.#client.publish(key);
    claim(status === expected, `${status} from ${this.#latest}: ${pin?.shared_url}`);
    return pin as PinJson;
  }

  /** Sends one request for each node; the front gives each to another node. */
  async #everywhere(sentence: string, isTrue: () => Promise<boolean>): Promise<void> {
    const asked = new Set<string | undefined>();
    for (const _ of this.#running) {
      claim(await isTrue(), `${this.#latest} ${sentence}`);
      asked.add(this.#latest);
    }
    if (asked.size !== this.#running.length) throw new Error('the front left a node out');
  }

  get #latest(): string | undefined {
    return this.#front.latest?.name;
  }
}

async function showAll(): Promise<void> {
  const postgres = await startPostgres();
  endings.push(() => postgres.stop());
  stopped.signal.throwIfAborted();
  const s3 = await startS3();
  endings.push(() => s3.stop());
  await s3.makeBucket('sites');
  const running: NamedNode[] = [];
  const front = await startFront(() => running);
  endings.push(() => front.close());
  const settings = { PINFOLD_PUBLIC_URL: front.url, PINFOLD_TRUST_PROXY: '127.0.0.1' };
  const nodes = await openNodes({ postgres: postgres.address, s3: s3.endpoint, bucket: 'sites', settings });
  endings.push(() => nodes.dispose());
  await new Show(nodes, front, running).run();
  say('\nNothing was lost.');
  if (process.argv.includes('--stay')) await stay(nodes, front);
}

async function stay(nodes: Nodes, front: Front): Promise<void> {
  say(`\nThe service continues at ${front.url} until Ctrl-C.`);
  const timer = setInterval(() => void nodes.advance(TICK), TICK);
  await once(stopped.signal, 'abort');
  clearInterval(timer);
}

try {
  say('Starting PostgreSQL, an S3 server and three nodes …');
  await Promise.race([showAll(), once(stopped.signal, 'abort')]);
} catch (error) {
  if (!stopped.signal.aborted) {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
} finally {
  say('Ending everything that was started …');
  for (const end of endings.reverse()) await end();
}
