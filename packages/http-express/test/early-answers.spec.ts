import { seconds } from '@pinfold/core';
import { archivePart, ofEachTest, openRawConnection } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { publicationBytes, siteZip, until } from './client.ts';
import { openRig } from './rig.ts';

const MiB = 1_048_576;

describe('An answer before the end of the body', () => {
  const rig = ofEachTest(openRig);

  /** The head of a publication with a wrong key and a body of a given length. */
  const refusedHead = (length: number, ...headers: readonly string[]) =>
    publicationBytes(rig, [archivePart(siteZip())], headers)
      .head.replace(/Bearer \S+/, 'Bearer wrong')
      .replace(/Content-Length: \d+/, `Content-Length: ${length}`);

  it('drains the rest for 30 seconds, and then closes the connection', async () => {
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(refusedHead(10 * MiB));
    expect((await connection.answer()).status).to.equal(401);
    rig.clock.advance(seconds(29));
    await connection.send(Buffer.alloc(MiB));
    expect(connection.closed).to.equal(false);
    rig.clock.advance(seconds(1));
    await connection.untilClosed();
  });

  it('drains at most 64 MiB, and then closes the connection', async () => {
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(refusedHead(1_000 * MiB));
    expect((await connection.answer()).status).to.equal(401);
    const chunk = Buffer.alloc(MiB);
    let sent = 0;
    for (; !connection.closed && sent < 1_000; sent += 1) await connection.send(chunk);
    expect(sent).to.be.within(64, 200);
  });

  it('reaches a client that waits for 100 Continue', async () => {
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(refusedHead(MiB, 'Expect: 100-continue'));
    expect((await connection.answer()).status).to.equal(100);
    expect((await connection.answer()).status).to.equal(401);
    connection.destroy();
    const { head, body } = publicationBytes(rig, [archivePart(siteZip())], ['Expect: 100-continue']);
    const second = await openRawConnection(rig.baseUrl);
    await second.send(head);
    expect((await second.answer()).status).to.equal(100);
    await second.send(body);
    expect((await second.answer()).status).to.equal(201);
    second.destroy();
  });

  it('is logged with its own time, without that of draining the body', async () => {
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(refusedHead(MiB));
    expect((await connection.answer()).status).to.equal(401);
    rig.clock.advance(seconds(20));
    connection.destroy();
    await until(() => rig.log.length > 0);
    expect(rig.log[0]).to.include({ status: 401, milliseconds: 0 });
  });
});
