import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { UntakenAnswers } from '../src/stalled-reader.ts';
import { close, listen } from './pipelined-stage.ts';

const BODY = Buffer.alloc(64 * 1_048_576);
/** Looks within 45 seconds. */
const LOOKS = 9;

/** Watches a connection without looks of its own: a test that takes five seconds would have one more. */
function watchUnlooked(untaken: UntakenAnswers, socket: Socket): void {
  const { setInterval: begin } = globalThis;
  globalThis.setInterval = (() => ({ unref: () => undefined })) as unknown as typeof setInterval;
  try {
    untaken.watch(socket);
  } finally {
    globalThis.setInterval = begin;
  }
}

describe('an answer', () => {
  let untaken: UntakenAnswers;
  let server: Server;
  let client: Socket;
  let response: ServerResponse;

  beforeEach(async () => {
    untaken = new UntakenAnswers();
    server = createServer();
    server.on('connection', (socket) => watchUnlooked(untaken, socket));
    client = connect(await listen(server), '127.0.0.1');
    client.on('error', () => {}).pause();
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    [, response] = await once(server, 'request');
  });

  afterEach(async () => {
    client.destroy();
    await close(server);
  });

  /** How much the client's system and ours have not taken. */
  const left = (): number =>
    (response.socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;

  /** Waits until no more is taken without the client. */
  async function standStill(): Promise<void> {
    for (let before = -1; before !== left(); ) {
      before = left();
      await setTimeout(20);
    }
  }

  function look(times: number): void {
    for (let time = 0; time < times; time += 1) untaken.look();
  }

  it('of which nothing is taken for 45 seconds is cut off', async () => {
    response.end(BODY);
    await standStill();
    look(LOOKS);
    expect(response.destroyed).to.equal(false);
    look(1);
    await once(response, 'close');
    expect(response.writableFinished).to.equal(false);
  });

  it('of which a little is taken now and then goes on, however long that takes', async () => {
    response.end(BODY);
    for (let round = 0; round < 4; round += 1) {
      await standStill();
      look(LOOKS);
      const before = left();
      while (left() === before) {
        client.read();
        await setTimeout(1);
      }
    }
    expect(response.destroyed).to.equal(false);
  });

  it('that is worked on is waited for without end, and so is the next request', async () => {
    look(3 * LOOKS);
    expect(response.destroyed).to.equal(false);
    client.resume();
    response.end('short');
    await once(response, 'close');
    look(3 * LOOKS);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
  });
});
