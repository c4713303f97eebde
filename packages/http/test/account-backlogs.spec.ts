import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { accountId } from '@pinfold/core';
import { expect } from 'chai';
import { AccountBacklogs } from '../src/account-backlogs.ts';
import { close, listen } from './pipelined-stage.ts';

const MiB = 1_048_576;
/** More than the systems of both sides buffer. */
const LARGE = Buffer.alloc(16 * MiB);
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
