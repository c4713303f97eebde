import { setTimeout } from 'node:timers/promises';
import { type Clock, type Duration, seconds } from '@pinfold/core';
import type { ManualClock } from '@pinfold/test-contracts/fixtures';
import { archivePart, multipart, type RawConnection } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openSignedIn, person, screen, zipOf } from './open-screen.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** 30 seconds without a byte, checked every 10 seconds, and 30 until the connection closes. */
const SILENT = 70;

/** A clock that advances as soon as something waits for it, after pending network events. */
function running(clock: ManualClock): Clock {
  const pass = async (length: Duration, signal?: AbortSignal) => {
    await setTimeout(5);
    if (signal?.aborted !== true) clock.advance(length);
  };
  return {
    now: () => clock.now(),
    sleep: (length, signal) => {
      void pass(length, signal);
      return clock.sleep(length, signal);
    },
  };
}

describe('a request to the screen that does not end', () => {
  let form: string;
  beforeEach(async () => {
    await openSignedIn({ ports: ({ clock }) => ({ clock: running(clock as ManualClock) }) });
    form = (await person.get('/')).token;
  });

  /** Opens a request and waits until the server has begun with it. */
  async function begin(line: string, ...headers: readonly string[]): Promise<RawConnection> {
    const connection = await person.begin(line, 'Expect: 100-continue', ...headers);
    expect((await connection.answer()).status).to.equal(100);
    return connection;
  }

  /** The status of the answer before the connection closes, which must happen within a number of seconds. */
  async function statusOf(connection: RawConnection, within: number, drip?: string): Promise<number> {
    const begun = screen.clock.now();
    const dripping = drip === undefined ? undefined : setInterval(() => void connection.send(drip), 1);
    const { status } = await connection.answer();
    await connection.untilClosed();
    clearInterval(dripping);
    expect((screen.clock.now() - begun) / 1_000).to.be.at.most(within);
    return status;
  }

  it('is answered with 408 if an upload stalls, anywhere in its form, and leaves nothing', async () => {
    const fields = [
      { name: 'form', body: form },
      { name: 'key', body: 'k' },
    ];
    const { contentType, body } = multipart([...fields, archivePart(zipOf({ 'index.html': 'x' }))]);
    const file = body.indexOf('filename');
    for (const length of [3, file - 60, file + 60, body.length - 4]) {
      const headers = [`Content-Type: ${contentType}`, `Content-Length: ${body.length}`];
      const begun = await begin('POST /manage/publish', ...headers);
      await begun.send(body.subarray(0, length));
      expect(await statusOf(begun, SILENT), `${length} bytes`).to.equal(408);
      expect(await screen.useCases.staging.sweep((screen.clock.now() + seconds(1)) as never)).to.equal(0);
    }
  });

  it('is answered with 408 if a small form stalls or arrives too slowly, which is not a fault in the log', async () => {
    for (const path of ['/manage/sign-in', '/manage/sign-out', '/manage/keys']) {
      const still = await begin(`POST ${path}`, FORM, 'Content-Length: 50');
      expect(await statusOf(still, SILENT), path).to.equal(408);
      const dripping = await begin(`POST ${path}`, FORM, 'Content-Length: 5000');
      expect(await statusOf(dripping, 90, 'a'), path).to.equal(408);
      expect(screen.log.at(-1)).to.include({ status: 408 }).and.not.to.have.property('error');
    }
  });

  it('is answered, and closed if its body continues unread', async () => {
    for (const [line, status] of [
      ['GET /manage/', 200],
      ['GET /manage/nowhere', 404],
      ['POST /manage/nowhere', 404],
    ] as const) {
      const begun = await person.begin(line, 'Transfer-Encoding: chunked');
      expect(await statusOf(begun, 30, '1\r\nx\r\n'), line).to.equal(status);
    }
  });
});
