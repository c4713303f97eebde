import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PinfoldClient } from '@pinfold/client';
import { packFiles } from '@pinfold/client/zip';
import { expect } from 'chai';
import { type App, createApp, readSettings } from 'pinfold';
import { closed, listening } from 'pinfold-test-servers/service';
import { type Child, type ChildMessage, startChild } from '../service/child.ts';

const KILLS = 20;
const PAGE = join(import.meta.dirname, '../../docs/embedding/events.md');
/** Below this package, since documents may import only its dependencies; ignored by git. */
const work = join(import.meta.dirname, '../dist/relay');
const secret = `whsec_${randomBytes(32).toString('base64')}`;

/** The program of the document, and a call of it. */
async function writeRelay(): Promise<string> {
  const [, code] = /^```ts\n([\s\S]*?)^```$/m.exec(await readFile(PAGE, 'utf8')) ?? [];
  if (code === undefined) throw new Error('the document has no relay');
  const call = `
    import { PinfoldClient as Client } from '@pinfold/client';
    process.once('disconnect', () => process.exit());
    const { url, key, hook, secret, file } = JSON.parse(process.argv[2] ?? '');
    await relay(new Client({ url, key }), hook, secret, file);`;
  await mkdir(work, { recursive: true });
  const script = join(work, 'relay.ts');
  await writeFile(script, code + call);
  return script;
}

/** Receives webhooks; `decide` returns the answer to one. */
async function openReceiver(decide: (id: string) => 'ok' | 'failed' | 'cut') {
  const delivered: string[] = [];
  const unsigned: string[] = [];
  const server = await listening(async (request, response) => {
    const body = await buffer(request);
    const id = String(request.headers['webhook-id']);
    if (!isSigned(request, body)) unsigned.push(id);
    const answer = decide(id);
    if (answer === 'cut') {
      response.destroy();
      return;
    }
    if (answer === 'ok') delivered.push(id);
    response.writeHead(answer === 'ok' ? 204 : 503).end();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    delivered,
    unsigned,
    close: () => closed(server),
  };
}

/** Standard Webhooks 1.0.0, for a body of the type and the id that the headers name. */
function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers;
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  const expected = `v1,${hmac.update(`${id}.${time}.${body}`).digest('base64')}`;
  const { type, timestamp, data } = JSON.parse(body.toString());
  const isRecent = Math.abs(Number(time) - Date.now() / 1_000) < 300;
  return signature === expected && isRecent && data.id === id && data.type === type && data.at === timestamp;
}

describe('The webhook relay in the documents', () => {
  let folder: string;
  let app: App;
  let url: string;
  let key: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pinfold-relay-'));
    const env = { PINFOLD_DATA_DIR: join(folder, 'data'), PINFOLD_PORT: '0', PINFOLD_WELCOME: 'off' };
    app = await createApp(readSettings(env), { log: () => undefined });
    const { addresses, firstStart } = await app.listen();
    url = addresses.publicUrl;
    key = firstStart?.apiKey ?? '';
  });

  afterEach(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  it('loses no event in 20 kills, keeps their order, and signs each', async () => {
    const script = await writeRelay();
    const client = new PinfoldClient({ url, key });
    let relay: Child<ChildMessage> | undefined;
    let kills = 0;
    let requests = 0;
    const receiver = await openReceiver(() => {
      requests += 1;
      // The relay waits a second before it tries again.
      if (requests === 7 || requests === 14) return 'failed';
      if (requests % 2 === 1 || kills === KILLS) return 'ok';
      // Before the receiver has processed it, and after that: the relay cannot distinguish them.
      kills += 1;
      relay?.kill();
      return kills % 2 === 0 ? 'ok' : 'cut';
    });
    const orders = { url, key, hook: receiver.url, secret, file: join(folder, 'cursor') };
    try {
      const bytes = new TextEncoder().encode('<!doctype html><title>x</title>');
      const archive = (await packFiles([{ path: 'index.html', bytes }])).bytes;
      const { pin } = await client.publish(archive);
      const write = async (): Promise<void> => {
        for (let n = 0; n < 60; n += 1) await client.update(pin.id, { title: `Title ${n}` });
      };
      const writing = write();
      while (kills < KILLS) {
        relay = await startChild(script, orders);
        await relay.ended();
      }
      await writing;
      const events: string[] = [];
      for await (const { event } of client.events()) events.push(event.id);
      relay = await startChild(script, orders);
      while (!receiver.delivered.includes(events.at(-1) ?? '')) {
        const isEnded = await Promise.race([
          relay.ended(),
          new Promise((wake) => setTimeout(wake, 50, false)),
        ]);
        if (isEnded !== false) relay = await startChild(script, orders);
      }
      expect([...new Set(receiver.delivered)], 'each, in the order of the feed').to.deep.equal(events);
      expect(receiver.unsigned, 'not signed').to.deep.equal([]);
      expect(events).to.have.length.greaterThan(60);
    } finally {
      relay?.kill();
      await relay?.ended();
      await receiver.close();
    }
  });
});
