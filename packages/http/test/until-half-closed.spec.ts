import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { untilHalfClosed } from '../src/internal.ts';
import { close, get, listen } from './pipelined-stage.ts';

describe('A wait for a client', () => {
  let server: Server;
  let client: Socket;
  let request: IncomingMessage;
  let response: ServerResponse;

  async function sendRequest(): Promise<AbortSignal> {
    client.write(get('waiting'));
    [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    return untilHalfClosed(request, response);
  }

  beforeEach(async () => {
    server = Object.assign(createServer(), { httpAllowHalfOpen: true });
    client = connect(await listen(server), '127.0.0.1').resume();
  });

  afterEach(async () => {
    client.destroy();
    await close(server);
  });

  it('ends when the client closes its side, though it can still read', async () => {
    const signal = await sendRequest();
    expect(signal.aborted).to.equal(false);
    const ended = once(signal, 'abort');
    client.end();
    await ended;
    const received = once(client, 'data');
    response.end('answered');
    expect(String(await received)).to.match(/answered$/);
    expect(untilHalfClosed(request, response).aborted, 'called afterwards').to.equal(true);
  });

  it('ends while the connection is not read', async () => {
    const signal = await sendRequest();
    request.socket.pause();
    expect(signal.aborted).to.equal(true);
    expect(untilHalfClosed(request, response).aborted, 'called afterwards').to.equal(true);
  });

  it('leaves no listener on a connection that stays open', async () => {
    const listeners = () => ['end', 'pause'].map((name) => request.socket.listenerCount(name));
    let before: readonly number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const signal = await sendRequest();
      const closed = once(response, 'close');
      response.end('answered');
      await closed;
      expect(signal.aborted).to.equal(false);
      if (n > 0) expect(listeners()).to.deep.equal(before);
      before = listeners();
      expect(request.socket.destroyed).to.equal(false);
    }
  });
});
