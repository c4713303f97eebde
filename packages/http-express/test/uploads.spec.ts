import type { IncomingMessage } from 'node:http';
import { accountId, DEFAULT_SCOPES, Fault, minutes, type Staging, seconds } from '@pinfold/core';
import { Uploads } from '@pinfold/http';
import { createManualClock, replacing } from '@pinfold/test-contracts/fixtures';
import { archivePart, openRawConnection, titlePart } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { askRaw, latestRequest, publicationBytes, publish, siteZip, until, untilTaken } from './client.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

describe('An upload', () => {
  let rig: Rig;
  let request: ReturnType<typeof latestRequest>;
  const open = async (options: RigOptions = {}) => {
    rig = await openRig(options);
    request = latestRequest(rig);
    return rig;
  };

  /** Sends a part of a publication, and waits until all of it has reached the staging. */
  async function sendHalf(size = 400_000) {
    const { head, body } = publicationBytes(rig, [archivePart(new Uint8Array(size))]);
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(head);
    await connection.send(body.subarray(0, size / 2));
    await until(async () => (await rig.uploads()).length === 1);
    const sent = head.length + size / 2;
    await untilTaken(request, sent);
    return { connection, sent, rest: body.subarray(size / 2) };
  }

  async function expectNothingLeft(): Promise<void> {
    await until(async () => (await rig.uploads()).length === 0);
    await until(async () => (await connections()) === 0);
    expect((await publish(rig, 'raw')).status, 'the key is free').to.equal(201);
    expect(await rig.uploads()).to.deep.equal([]);
  }

  function connections(): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    rig.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    return promise;
  }

  it('leaves no file, reservation or socket if its client breaks off', async () => {
    await open();
    const { connection } = await sendHalf();
    connection.destroy();
    await expectNothingLeft();
    expect(rig.log[0]).to.include({ status: 400, gone: true });
  });

  it('gets 408 after 30 seconds without a byte', async () => {
    await open();
    const { connection } = await sendHalf();
    rig.clock.advance(seconds(30));
    const { status, headers, body } = await connection.answer();
    expect(status).to.equal(408);
    expect(JSON.parse(body)).to.include({ code: 'request_timeout', retryable: true });
    expect(headers.get('cache-control')).to.equal('no-store');
    connection.destroy();
    await expectNothingLeft();
  });

  it('gets 408 after its maximum time in total, even if it arrives steadily', async () => {
    await open({ api: { timeouts: { total: minutes(1) } } });
    const { connection, sent, rest } = await sendHalf();
    const answer = connection.answer();
    for (let second = 0; second < 60; second += 1) {
      await connection.send(rest.subarray(second, second + 1));
      await untilTaken(request, sent + second + 1);
      rig.clock.advance(seconds(1));
    }
    expect((await answer).status).to.equal(408);
    connection.destroy();
    await expectNothingLeft();
  });

  it('is refused after its head while no upload can be received, and the key stays free', async () => {
    let isFull = true;
    const admit = (): void => {
      if (isFull) throw new Fault('staging_unavailable', 'no room');
    };
    await open({ api: { uploads: new Uploads({ clock: createManualClock(), admit }) } });
    const { head } = publicationBytes(rig);
    const { status, headers, body } = await askRaw(rig, head);
    expect(status).to.equal(503);
    expect(JSON.parse(body)).to.include({ code: 'unavailable', retryable: true });
    expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    isFull = false;
    await expectNothingLeft();
  });

  it('gets 503 if it cannot be stored, and can be sent again once the disk works', async () => {
    let broken = true;
    const receive: Staging['receive'] = async (body) => {
      for await (const _ of body) throw new Fault('staging_unavailable', 'the disk is full at /secret/place');
      throw new TypeError('no byte came');
    };
    await open({
      ports: ({ staging }) => ({
        staging: replacing(staging, {
          receive: (...inputs) => (broken ? receive : staging.receive.bind(staging))(...inputs),
        }),
      }),
    });
    const { head, body } = publicationBytes(rig, [archivePart(new Uint8Array(200_000))]);
    const { status, headers, body: text } = await askRaw(rig, head, body);
    expect(status).to.equal(503);
    expect(headers.get('retry-after')).to.equal('5');
    expect(text).not.to.include('secret');
    broken = false;
    const again = publicationBytes(rig);
    expect((await askRaw(rig, again.head, again.body)).status).to.equal(201);
  });

  it('publishes a complete body even if its client leaves before its key is checked', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    const mayContinue = Promise.withResolvers<void>();
    await open({
      api: {
        authenticate: async (request) => {
          arrived.resolve(request);
          await mayContinue.promise;
          return { account: accountId('first'), scopes: DEFAULT_SCOPES };
        },
      },
    });
    const { head, body } = publicationBytes(rig, [archivePart(siteZip())]);
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(head);
    await connection.send(body);
    connection.end();
    connection.destroy();
    const request = await arrived.promise;
    await until(() => request.destroyed);
    mayContinue.resolve();
    await until(() => rig.log.length === 1);
    expect(rig.log[0]).to.include({ status: 201, gone: true });
    expect((await publish(rig, 'raw')).status).to.equal(200);
    expect(await rig.uploads()).to.deep.equal([]);
  });

  it('may come in chunks, byte by byte', async () => {
    await open();
    const { head, body } = publicationBytes(rig, [archivePart(siteZip()), titlePart('日本')]);
    const chunked = head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked');
    const bytes = [...body].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10]));
    const { status, body: text } = await askRaw(rig, chunked, ...bytes, '0\r\n\r\n');
    expect(status).to.equal(201);
    expect(JSON.parse(text).pin.title).to.equal('日本');
  });

  it('is refused at once if a parser before the router has read its body', async () => {
    await open({
      api: {
        authenticate: async (request) => {
          for await (const _ of request);
          return { account: 'first' as never, scopes: ['pins:write'] };
        },
      },
    });
    const { head, body } = publicationBytes(rig);
    const { status, body: text } = await askRaw(rig, head, body);
    const { code, detail } = JSON.parse(text);
    expect(`${status} ${code}`).to.equal('400 invalid_request');
    expect(detail).to.include('before any parser of bodies');
  });
});
