import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { accountId } from '@pinfold/core';
import { expect } from 'chai';
import { AccountBacklogs, OutgoingBytes } from '../src/outgoing-bytes.ts';
import { UnavailableError } from '../src/unavailable-error.ts';
import { close, listen } from './pipelined-stage.ts';

const MiB = 1_048_576;
/** More than the systems of both sides buffer. */
const LARGE = Buffer.alloc(16 * MiB);
const SMALL_PIECE = 16_384;
const LARGEST_SMALL = 65_536;

/** An answer whose client reads as much as a test lets it. */
class Answer {
  writableLength = 0;
  destroyed = false;
  readonly closed: (() => void)[] = [];

  once(_event: 'close', closed: () => void): void {
    this.closed.push(closed);
  }

  destroy(): void {
    this.destroyed = true;
    for (const closed of this.closed) closed();
  }
}

describe('the bytes that are not sent yet', () => {
  let outgoing: OutgoingBytes;
  beforeEach(() => {
    outgoing = new OutgoingBytes(16 * MiB);
  });

  /** Writes a number of bytes to a client that reads none of them. */
  function writeUnread(bytes: number, client = 'a') {
    const answer = new Answer();
    const followed = outgoing.follow(answer as unknown as ServerResponse, client);
    const writeMore = (written: number, received: number): void => {
      answer.writableLength += written - received;
      followed.countWritten(written);
    };
    writeMore(bytes, 0);
    return { answer, followed, writeMore };
  }

  const ticks = (count: number): void => {
    for (let tick = 0; tick < count; tick += 1) outgoing.tick();
  };

  it('are counted once each, while they are loaded and until they are sent', () => {
    const { answer, followed, writeMore } = writeUnread(1_000);
    followed.countLoaded(5_000);
    expect(outgoing.bytes).to.equal(6_000);
    followed.countLoaded(-5_000);
    writeMore(5_000, 2_000);
    expect(outgoing.bytes).to.equal(4_000);
    answer.writableLength = 0;
    outgoing.tick();
    expect(outgoing.bytes).to.equal(0);
    writeMore(3_000, 0);
    answer.destroy();
    followed.countLoaded(7_000);
    expect(outgoing.bytes).to.equal(0);
  });

  it('are also counted if loaded for no single answer, and never for one that has ended', () => {
    outgoing.countLoaded(5_000);
    expect(outgoing.bytes).to.equal(5_000);
    outgoing.countLoaded(-5_000);
    const ended = new Answer();
    ended.destroyed = true;
    outgoing.follow(ended as unknown as ServerResponse, 'a').countLoaded(5_000);
    expect(outgoing.bytes).to.equal(0);
    expect(ended.closed).to.deep.equal([]);
  });

  it('make pieces smaller beyond a sixteenth of the memory', () => {
    writeUnread(MiB - 65_536);
    expect(outgoing.piece).to.equal(65_536);
    writeUnread(1);
    expect(outgoing.piece).to.equal(SMALL_PIECE);
  });

  it('keep large answers from beginning beyond an eighth of the memory, until some are sent', () => {
    const { answer } = writeUnread(2 * MiB);
    outgoing.admit(LARGEST_SMALL + 1);
    const { writeMore } = writeUnread(1);
    outgoing.admit(LARGEST_SMALL);
    expect(() => outgoing.admit(LARGEST_SMALL + 1))
      .to.throw(UnavailableError)
      .with.property('seconds', 1);
    writeMore(0, 1);
    outgoing.admit(LARGEST_SMALL + 1);
    expect(answer.destroyed).to.equal(false);
  });

  it('keep large answers from beginning if too many are being sent, and end slow ones', () => {
    outgoing.maxAnswers = 2;
    const [first, second] = [writeUnread(1), writeUnread(1)];
    expect(() => outgoing.admit(LARGEST_SMALL + 1)).to.throw(UnavailableError);
    outgoing.admit(LARGEST_SMALL);
    for (let tick = 0; tick < 6; tick += 1) {
      second.writeMore(SMALL_PIECE, SMALL_PIECE);
      outgoing.tick();
    }
    expect([first, second].map(({ answer }) => answer.destroyed)).to.deep.equal([true, false]);
    outgoing.admit(LARGEST_SMALL + 1);
  });

  it('end slow answers after five seconds, as few as necessary', () => {
    const old = [writeUnread(MiB), writeUnread(MiB), writeUnread(MiB)];
    ticks(5);
    expect(old.map(({ answer }) => answer.destroyed)).to.deep.equal([false, false, false]);
    const recent = writeUnread(MiB / 2);
    ticks(1);
    expect(old.filter(({ answer }) => answer.destroyed)).to.have.length(2);
    expect(recent.answer.destroyed).to.equal(false);
    expect(outgoing.bytes).to.equal(1.5 * MiB);
  });

  it('make room for a new answer at once if an answer is slow', () => {
    const slow = writeUnread(2 * MiB);
    ticks(6);
    expect(slow.answer.destroyed).to.equal(false);
    writeUnread(MiB);
    outgoing.admit(LARGEST_SMALL + 1);
    expect(slow.answer.destroyed).to.equal(true);
  });

  it('end no answer that an app wrote later and whose client reads it', () => {
    const { answer } = writeUnread(0);
    ticks(3);
    answer.writableLength = 4 * MiB;
    ticks(1);
    answer.writableLength = 3 * MiB;
    ticks(2);
    expect(outgoing.refusal(LARGEST_SMALL + 1)).to.be.instanceOf(UnavailableError);
    expect(answer.destroyed).to.equal(false);
  });

  it('end no answer of a client that receives 16 KiB in five seconds', () => {
    const [steady, slower] = [writeUnread(1.5 * MiB), writeUnread(1.5 * MiB)];
    for (let second = 0; second < 20; second += 1) {
      steady.writeMore(4_000, 4_000);
      slower.writeMore(3_000, 3_000);
      outgoing.tick();
    }
    expect([steady.answer.destroyed, slower.answer.destroyed]).to.deep.equal([false, true]);
  });

  it('end the slowest answers first', () => {
    const answers = [3_000, 1, 2_000, 0].map((speed) => ({ speed, ...writeUnread(0.6 * MiB) }));
    for (let second = 0; second < 6; second += 1) {
      for (const { speed, writeMore } of answers) writeMore(speed, speed);
      outgoing.tick();
    }
    expect(answers.map(({ answer }) => answer.destroyed)).to.deep.equal([false, false, false, true]);
    writeUnread(0.5 * MiB);
    outgoing.tick();
    expect(answers.map(({ answer }) => answer.destroyed)).to.deep.equal([false, true, false, true]);
  });

  it('end, among answers of one speed, those of the client with the most bytes', () => {
    const few = [writeUnread(0.5 * MiB, 'few'), writeUnread(0.5 * MiB, 'few')];
    const many = Array.from({ length: 8 }, () => writeUnread(0.25 * MiB, 'many'));
    ticks(6);
    expect(few.map(({ answer }) => answer.destroyed)).to.deep.equal([false, false]);
    expect(many.filter(({ answer }) => answer.destroyed)).to.have.length(4);
  });

  describe('of a real connection', () => {
    let server: Server;
    const clients: Socket[] = [];
    beforeEach(() => {
      server = createServer();
    });
    afterEach(async () => {
      for (const client of clients.splice(0)) client.destroy();
      await close(server);
    });

    async function answerTo(
      body: Buffer | string,
      write = (response: ServerResponse, written: Buffer | string): unknown => response.end(written),
    ): Promise<{ client: Socket; response: ServerResponse }> {
      const client = connect(await listen(server), '127.0.0.1');
      clients.push(client.on('error', () => {}).pause());
      client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
      write(response, body);
      outgoing.followWritten(response, () => 'a');
      return { client, response };
    }

    it('are counted while its client reads nothing, until it has read', async () => {
      const { client, response } = await answerTo(LARGE);
      expect(outgoing.bytes).to.be.greaterThan(LARGE.length / 2);
      expect(response.listenerCount('timeout'), 'cut off when its client is silent').to.equal(1);
      client.resume();
      await once(response, 'close');
      expect(outgoing.bytes).to.equal(0);
    });

    it('are also counted if an app writes them later, for example after it stored a session', async () => {
      const { response } = await answerTo(
        LARGE,
        (written, body) => void setImmediate(() => written.end(body)),
      );
      await once(response, 'prefinish');
      outgoing.tick();
      expect(outgoing.bytes).to.be.greaterThan(LARGE.length / 2);
      expect(response.listenerCount('timeout'), 'cut off when its client is silent').to.equal(1);
    });

    it('are zero if the system accepts all at once', async () => {
      const { response } = await answerTo('tide');
      expect(outgoing.bytes).to.equal(0);
      expect(response.listenerCount('timeout'), 'cut off when its client is silent').to.equal(0);
    });
  });
});

const [ADA, BEN] = [accountId('ada'), accountId('ben')];

describe('unsent answers of an account', () => {
  let server: Server;
  let port: number;
  let backlogs: AccountBacklogs;
  const clients: Socket[] = [];

  beforeEach(async () => {
    backlogs = new AccountBacklogs(40 * MiB);
    server = createServer();
    port = await listen(server);
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await close(server);
  });

  /** Sends an answer to a client that reads nothing. */
  async function answerUnread(account: typeof ADA, body: Buffer = LARGE): Promise<ServerResponse> {
    const client = connect(port, '127.0.0.1');
    clients.push(client.on('error', () => {}).pause());
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    response.end(body);
    backlogs.follow(account, response);
    return response;
  }

  it('are bounded: the oldest is cut off, and those of other accounts stay', async () => {
    const other = await answerUnread(BEN);
    const own = [await answerUnread(ADA), await answerUnread(ADA)];
    expect(own.map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
    own.push(await answerUnread(ADA));
    expect(own.map(({ destroyed }) => destroyed)).to.deep.equal([true, false, false]);
    own.push(await answerUnread(ADA));
    expect(own.map(({ destroyed }) => destroyed)).to.deep.equal([true, true, false, false]);
    expect(other.destroyed).to.equal(false);
  });

  it('no longer count once they are sent or their client has left', async () => {
    const ended = [await answerUnread(ADA), await answerUnread(ADA)];
    const closed = ended.map((response) => once(response, 'close'));
    clients[0]?.resume();
    clients[1]?.destroy();
    await Promise.all(closed);
    const own = [await answerUnread(ADA), await answerUnread(ADA)];
    expect(own.map(({ destroyed }) => destroyed)).to.deep.equal([false, false]);
  });
});
