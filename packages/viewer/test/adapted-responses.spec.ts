import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { createViewer } from '../src/index.ts';
import { openRig } from './rig.ts';

/** A response of an adapter of a serverless platform: it has no connection, and ignores the encoding of a text. */
class AdaptedResponse extends ServerResponse {
  #sent = '';

  constructor(request: IncomingMessage) {
    super(request);
    const write = (piece: string | Uint8Array): boolean => {
      this.#sent += Buffer.from(piece as string).toString('latin1');
      return true;
    };
    const none = (): void => {};
    const socket = { write, on: none, removeListener: none, destroy: none, cork: none, uncork: none };
    this.assignSocket({ ...socket, writable: true, _writableState: {} } as unknown as Socket);
  }

  get body(): string {
    return Buffer.from(this.#sent.slice(this.#sent.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  }
}

describe('the response of a serverless adapter', () => {
  it('gets the bytes of a small file', async () => {
    const rig = await openRig();
    const id = await rig.publish({ 'index.html': 'Fähre nach Ærø' });
    const viewer = createViewer({ useCases: rig.useCases, publicUrl: `http://localhost:${rig.port}` });
    for (const time of ['first', 'second']) {
      const request = Object.assign(new IncomingMessage(new Socket()), {
        method: 'GET',
        url: '/',
        headers: { host: rig.siteHost(id) },
        rawHeaders: ['Host', rig.siteHost(id)],
      });
      const response = new AdaptedResponse(request);
      viewer(request, response);
      while (!response.writableEnded) await setImmediate();
      expect([response.statusCode, response.body], time).to.deep.equal([200, 'Fähre nach Ærø']);
    }
  });
});
