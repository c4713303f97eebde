import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type Clock, type Duration, seconds } from '@pinfold/core';
import type { ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openScreen, type Screen, zipOf } from './open-screen.ts';
import type { Person } from './person.ts';

const FORM = 'Content-Type: application/x-www-form-urlencoded';
const MULTIPART = 'Content-Type: multipart/form-data; boundary=x';

/** 30 seconds of silence, counted from a look each 10 seconds, and 30 for the connection to close. */
const SILENT = 70;

/** A request that the server has begun with, and what has come back. */
interface Begun {
  readonly socket: Socket;
  readonly chunks: readonly Buffer[];
}

/** A clock on which time passes as soon as somebody waits for it, and the network has had its turn. */
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
  let screen: Screen;
  let person: Person;
  let form: string;
  beforeEach(async () => {
    screen = await openScreen({ ports: ({ clock }) => ({ clock: running(clock as ManualClock) }) });
    person = await screen.signedIn();
    form = (await person.get('/')).token;
  });

  /** Opens a request and waits until the server has begun with it. */
  async function begin(line: string, headers: readonly string[]): Promise<Begun> {
    const { port, hostname } = new URL(screen.base);
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const socket = connect(Number(port), hostname);
    const head = [`${line} HTTP/1.1`, 'Host: x', `Cookie: ${cookie}`, 'Expect: 100-continue', ...headers];
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    return { socket, chunks };
  }

  /** What is answered until the connection is closed, which is within so many seconds. */
  async function answerOf({ socket, chunks }: Begun, within: number, drip?: string): Promise<string> {
    const begun = screen.clock.now();
    const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip), 1);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(dripping);
    expect((screen.clock.now() - begun) / 1_000).to.be.at.most(within);
    return Buffer.concat(chunks).toString().replace('HTTP/1.1 100 Continue\r\n\r\n', '');
  }

  const leftBehind = () => screen.useCases.staging.sweep((screen.clock.now() + seconds(1)) as never);

  it('is answered with 408 when an upload by the script stands still', async () => {
    const headers = [`X-Pinfold-Form: ${form}`, 'Idempotency-Key: k', 'X-Pinfold-Filename: a.zip'];
    const begun = await begin('POST /manage/upload', [...headers, 'Content-Length: 1000']);
    begun.socket.write('PK');
    expect(await answerOf(begun, SILENT)).to.match(/^HTTP\/1\.1 408 /);
    expect(await leftBehind()).to.equal(0);
  });

  it('is answered with 408 when a form with a file stands still, wherever in it', async () => {
    const field = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const file = '--x\r\nContent-Disposition: form-data; name="archive"; filename="a.zip"\r\n\r\n';
    const fields = field('form', form) + field('key', 'k');
    const archive = Buffer.from(zipOf({ 'index.html': 'x' })).toString('latin1');
    for (const part of ['--x', fields, `${fields}${file}PK`, `${fields}${file}${archive}\r\n--x\r\n`]) {
      const begun = await begin('POST /manage/publish', [MULTIPART, 'Content-Length: 100000']);
      begun.socket.write(part, 'latin1');
      expect(await answerOf(begun, SILENT), part.slice(0, 200)).to.match(/^HTTP\/1\.1 408 /);
      expect(await leftBehind()).to.equal(0);
    }
  });

  it('is answered with 408 when a small form stands still or drips', async () => {
    for (const path of ['/manage/sign-in', '/manage/sign-out', '/manage/keys']) {
      const still = await begin(`POST ${path}`, [FORM, 'Content-Length: 50']);
      expect(await answerOf(still, SILENT), path).to.match(/^HTTP\/1\.1 408 /);
      const dripping = await begin(`POST ${path}`, [FORM, 'Content-Length: 5000']);
      expect(await answerOf(dripping, 90, 'a'), path).to.match(/^HTTP\/1\.1 408 /);
    }
  });

  it('is no fault of ours that the log would tell', async () => {
    await answerOf(await begin('POST /manage/sign-in', [FORM, 'Content-Length: 50']), SILENT);
    expect(screen.log.at(-1)).to.include({ status: 408 }).and.not.to.have.property('error');
  });

  it('is answered, and closed when its body goes on and nobody reads it', async () => {
    const chunked = 'Transfer-Encoding: chunked';
    for (const [line, status] of [
      ['GET /manage/', 200],
      ['GET /manage/nowhere', 404],
      ['POST /manage/nowhere', 404],
    ] as const) {
      const begun = await begin(line, [chunked]);
      const answer = await answerOf(begun, 30, '1\r\nx\r\n');
      expect(answer, line).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });
});
