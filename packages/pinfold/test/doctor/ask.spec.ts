import { expect } from 'chai';
import { ask } from '../../src/doctor/ask.ts';
import { startStub } from '../servers/stub.ts';

describe('a request of doctor', () => {
  it('ends when the server switches to another protocol', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n';
    const { url } = await startStub(({ socket }) => void socket.write(answer));
    const error: unknown = await ask(new URL(url)).catch((reason: unknown) => reason);
    expect(String(error)).to.include('switched to another protocol');
  });
});
