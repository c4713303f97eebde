import { once } from 'node:events';
import { createServer, get, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { untilGone } from '../src/internal.ts';
import { close, listen } from './pipelined-stage.ts';

describe('The client', () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    server = createServer();
    port = await listen(server);
  });

  afterEach(() => close(server));

  async function request(): Promise<{ readonly response: ServerResponse; readonly leave: () => void }> {
    const requested = once(server, 'request');
    const sent = get({ port, host: '127.0.0.1' });
    sent.on('error', () => {}).on('response', (answer) => answer.resume());
    const [, response] = (await requested) as [unknown, ServerResponse];
    return { response, leave: () => sent.destroy() };
  }

  it('has left if the connection closes before the answer is sent', async () => {
    const { response, leave } = await request();
    const signal = untilGone(response);
    expect(signal.aborted).to.equal(false);
    const closed = once(response, 'close');
    leave();
    await closed;
    expect(signal.aborted).to.equal(true);
    expect(untilGone(response).aborted, 'called afterwards').to.equal(true);
  });

  it('has not left once the answer is sent', async () => {
    const { response } = await request();
    const signal = untilGone(response);
    const closed = once(response, 'close');
    response.end('whole');
    await closed;
    expect(signal.aborted).to.equal(false);
  });
});
