import { type AccountId, seconds } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { archivePart, openRawConnection, type RawConnection } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ask, askRaw, latestRequest, publicationBytes, publish, turn, until, untilTaken } from './client.ts';
import { openRig, type Rig } from './rig.ts';

/** Records how many uploads requested a turn, and whose bodies were read. */
class CountedUploads extends Uploads {
  requested = 0;
  readonly read: AccountId[] = [];

  override take<Received>(
    ...[account, signal, receive]: Parameters<typeof Uploads.prototype.take<Received>>
  ) {
    const taken = super.take(account, signal, (follow) => {
      this.read.push(account);
      return receive(follow);
    });
    this.requested += 1;
    return taken;
  }
}

describe('An upload while another is received, with room for one at a time', () => {
  let rig: Rig;
  let uploads: CountedUploads;
  let first: RawConnection;
  let rest: Buffer;
  let connections: RawConnection[];

  /** Opens the service and starts an upload that lasts until the test sends its rest; it is not a ZIP. */
  async function open(queue: number): Promise<void> {
    const clock = createManualClock();
    uploads = new CountedUploads({ clock, places: 1, queue });
    rig = await openRig({ clock, api: { uploads } });
    const request = latestRequest(rig);
    const { head, body } = publicationBytes(rig, [archivePart(new Uint8Array(400_000))]);
    first = await connect(head);
    await first.send(body.subarray(0, 200_000));
    rest = body.subarray(200_000);
    await until(async () => (await rig.uploads()).length === 1);
    await untilTaken(request, head.length + 200_000);
  }

  beforeEach(() => {
    connections = [];
  });
  afterEach(async () => {
    for (const connection of connections) connection.destroy();
  });

  async function connect(head: string): Promise<RawConnection> {
    const connection = await openRawConnection(rig.baseUrl);
    connections.push(connection);
    await connection.send(head);
    return connection;
  }

  /** Starts a publication, and waits until it has requested its turn. */
  async function begin(key: string, account: string = rig.keys.first) {
    const { head, body } = publicationBytes(rig);
    const { requested } = uploads;
    const connection = await connect(
      head.replace(rig.keys.first, account).replace('Key: raw', `Key: ${key}`),
    );
    await until(() => uploads.requested > requested);
    return { connection, body };
  }

  /** Ends the first upload, which is refused as no ZIP, so that the next one gets its turn. */
  async function endFirst(): Promise<void> {
    await first.send(rest);
    expect((await first.answer()).status).to.equal(422);
  }

  it('begins after the one before it, of another account, was slow for ten seconds and got 408', async () => {
    await open(9);
    const { connection, body } = await begin('b1', rig.keys.second);
    for (let n = 0; n < 11; n += 1) {
      rig.clock.advance(seconds(1));
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
    const { status, body: text } = await first.answer();
    expect(status).to.equal(408);
    expect(JSON.parse(text)).to.include({ code: 'request_timeout', retryable: true });
    await connection.send(body);
    expect((await connection.answer()).status).to.equal(201);
  });

  it('does not count as silent while it waits', async () => {
    await open(9);
    const { connection, body } = await begin('second');
    rig.clock.advance(seconds(29));
    await endFirst();
    rig.clock.advance(seconds(29));
    await connection.send(body);
    expect((await connection.answer()).status).to.equal(201);
  });

  it('gets 503 after 30 seconds, or when too many wait, and can be sent again with its key', async () => {
    await open(1);
    const waiting = await begin('again');
    const tooMany = await begin('too many');
    for (const [answer, wait] of [
      [tooMany.connection.answer(), seconds(0)],
      [waiting.connection.answer(), seconds(30)],
    ] as const) {
      rig.clock.advance(wait);
      const { status, headers, body } = await answer;
      expect(status).to.equal(503);
      expect(headers.get('retry-after')).to.equal('5');
      expect(JSON.parse(body)).to.include({ code: 'unavailable', retryable: true });
      expect(JSON.parse(body).suggestion).to.include('the same Idempotency-Key');
    }
    // The first upload has sent nothing for the same time.
    expect((await first.answer()).status).to.equal(408);
    expect((await publish(rig, 'again')).status).to.equal(201);
  });

  it('frees its place in the queue when its client leaves', async () => {
    await open(1);
    const leaving = await begin('leaving');
    leaving.connection.destroy();
    await until(() => rig.log.length === 1);
    expect(rig.log[0]).to.include({ status: 499, gone: true, account: 'first' });
    expect(rig.log[0]).not.to.have.any.keys('outcome', 'error');
    const { connection, body } = await begin('next');
    await connection.send(body);
    await endFirst();
    expect((await connection.answer()).status).to.equal(201);
    expect(await rig.uploads()).to.deep.equal([]);
  });

  it('is refused for its headers without a turn, and for its form in its turn', async () => {
    await open(0);
    const { head, body } = publicationBytes(rig);
    const statusOf = async (changed: string) => (await askRaw(rig, changed, body)).status;
    expect(await statusOf(head.replace(rig.keys.first, 'wrong'))).to.equal(401);
    expect(await statusOf(head.replace('Idempotency-Key: raw\r\n', ''))).to.equal(400);
    expect(await statusOf(head.replace('multipart/form-data', 'text/plain'))).to.equal(415);
    expect(await statusOf(head.replace(/; boundary=[^\r]+/, ''))).to.equal(503);
    expect(await statusOf(head.replace('/pins', '/pins?dry_run=true'))).to.equal(503);
    expect((await ask(rig, '/api/v1/pins')).status).to.equal(200);
  });
});
