import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { cutWhenSilent } from '../src/silent-client.ts';
import { openHttp2 } from './http2-stage.ts';
import { close, get, listen } from './pipelined-stage.ts';

const BODY = Buffer.alloc(64 * 1_048_576);
/** Milliseconds between two checks in these tests, and the time of nine checks. */
const CHECK = 100;
const LIMIT = 9 * CHECK;

describe('an answer', () => {
  let server: Server;
  let client: Socket;
  let response: ServerResponse;

  beforeEach(async () => {
    server = createServer({ keepAliveTimeout: 0 });
    client = connect(await listen(server), '127.0.0.1');
    client.on('error', () => {}).pause();
    client.write(get('first'));
    [, response] = await once(server, 'request');
  });

  afterEach(async () => {
    client.destroy();
    await close(server);
  });

  it('whose client receives nothing is cut off', async () => {
    response.end(BODY);
    cutWhenSilent(response, CHECK);
    await once(response, 'close');
    expect(response.writableFinished).to.equal(false);
  });

  it('whose client receives a little now and then continues', async () => {
    response.end(BODY);
    cutWhenSilent(response, CHECK);
    let taken = 0;
    client.on('data', (bytes: Buffer) => {
      taken += bytes.length;
    });
    for (let rounds = 1; rounds <= 6; rounds += 1) {
      client.resume();
      while (taken < rounds * 8 * 1_048_576) await setTimeout(1);
      client.pause();
      await setTimeout(LIMIT / 2);
    }
    expect(response.destroyed).to.equal(false);
  });

  it('that waits for its next piece is not cut off', async () => {
    response.write(BODY);
    cutWhenSilent(response, CHECK);
    client.resume();
    await once(response, 'drain');
    await setTimeout(1.5 * LIMIT);
    expect(response.destroyed).to.equal(false);
  });

  for (const before of [undefined, 7_654]) {
    it(`restores the connection's timeout: ${before ?? 'none'}`, async () => {
      const { socket } = response.req;
      if (before !== undefined) socket.setTimeout(before);
      response.end(BODY);
      cutWhenSilent(response, CHECK);
      client.resume();
      await once(response, 'close');
      expect(socket.timeout ?? 0).to.equal(before ?? 0);
    });
  }
});

describe('an answer over HTTP/2', () => {
  it('whose client receives nothing is cut off', async () => {
    const { server, client, close } = await openHttp2();
    client.request({ ':path': '/' }).on('error', () => {});
    const [, answer] = await once(server, 'request');
    answer.end(BODY);
    cutWhenSilent(answer, CHECK);
    await once(answer, 'close');
    expect(answer.writableFinished).to.equal(false);
    await close();
  });
});
