import type { Socket } from 'node:net';
import { accountId, OPERATOR, seconds } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { archivePart, openRawConnection, type RawConnection } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { publicationBytes, turn, until } from './client.ts';
import { openRig, type Rig } from './rig.ts';

/** An upload of which a test sends a part now and then. */
interface Drip {
  readonly connection: RawConnection;
  readonly body: Buffer;
  sent: number;
}

describe('Uploads that come slowly, where four at a time are received', () => {
  let rig: Rig;
  let uploads: Uploads;
  let drips: Drip[];
  let sockets: Set<Socket>;
  let sent: number;

  beforeEach(async () => {
    const clock = createManualClock();
    uploads = new Uploads({ clock, places: 4 });
    rig = await openRig({ clock, api: { uploads } });
    [drips, sockets, sent] = [[], new Set(), 0];
    rig.server.on('connection', (socket) => sockets.add(socket));
  });
  afterEach(async () => {
    for (const { connection } of drips) connection.destroy();
    await rig.close();
  });

  async function send({ connection }: Pick<Drip, 'connection'>, bytes: string | Uint8Array): Promise<void> {
    sent += bytes.length;
    await connection.send(bytes);
  }

  /** Begins an upload of 700,000 bytes that brings no byte of its own accord. */
  async function begin(key: string): Promise<Drip> {
    const { head, body } = publicationBytes(rig, [archivePart(new Uint8Array(700_000))]);
    const drip = { connection: await openRawConnection(rig.baseUrl), body, sent: 0 };
    drips.push(drip);
    await send(drip, head.replace(rig.keys.first, key).replace('Key: raw', `Key: ${drips.length}`));
    return drip;
  }

  /** Lets a second pass in which each of these uploads brings so many bytes. */
  async function second(bytes: number, those: readonly Drip[]): Promise<void> {
    for (const drip of those) {
      await send(drip, drip.body.subarray(drip.sent, drip.sent + bytes));
      drip.sent += bytes;
    }
    await until(() => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0) === sent);
    for (let n = 0; n < 5; n += 1) await turn();
    rig.clock.advance(seconds(1));
    for (let n = 0; n < 5; n += 1) await turn();
  }

  const inside = (running: number, waiting: number) =>
    until(() => uploads.queue.running === running && uploads.queue.waiting === waiting);

  async function fill(): Promise<{ readonly slow: readonly Drip[]; readonly waiting: Drip }> {
    const slow = [await begin(rig.keys.first), await begin(rig.keys.first), await begin(rig.keys.first)];
    await begin(rig.keys.first);
    await inside(3, 1);
    await begin(rig.keys.second);
    await inside(4, 1);
    const third = await rig.manageKeys.create({ by: OPERATOR, account: accountId('third') });
    const waiting = await begin(third.text);
    await inside(4, 2);
    return { slow, waiting };
  }

  it('leave a quarter of the places to other accounts', async () => {
    for (let n = 0; n < 4; n += 1) await begin(rig.keys.first);
    await inside(3, 1);
    const other = await begin(rig.keys.second);
    await send(other, other.body);
    // No ZIP, but received and judged while the others hold their places.
    expect((await other.connection.answer()).status).to.equal(422);
    await inside(3, 1);
  });

  it('of 8 bytes a second are 408 while another account waits, as many as wait, and make room', async () => {
    const { slow, waiting } = await fill();
    for (let n = 0; n < 11; n += 1) await second(8, slow);
    await inside(4, 1);
    const { status, body } = await Promise.race(slow.map(({ connection }) => connection.answer()));
    expect(status).to.equal(408);
    expect(JSON.parse(body)).to.include({ code: 'request_timeout', retryable: true });
    await send(waiting, waiting.body);
    expect((await waiting.connection.answer()).status).to.equal(422);
    await inside(4, 0);
  });

  it('of 20 KiB a second are received, and who waits is 503 after 30 seconds', async () => {
    const { slow, waiting } = await fill();
    for (let n = 0; n < 30; n += 1) await second(20_480, slow);
    expect((await waiting.connection.answer()).status).to.equal(503);
    // The second account's, which brought nothing, has stalled; none has ended for its pace.
    await inside(3, 0);
  });
});
