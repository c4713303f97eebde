import { duration, isFault } from '@pinfold/core';
import { anArchiveId, someBytes } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { faultOf, type Handler, ranged, refuse, type Stub, startStub } from './stub.ts';

const WHOLE = someBytes(100_000, 1);
const id = anArchiveId(1);

/** Breaks each answer off in the middle. */
const breakOff: Handler = (request, response) => {
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers.range)) ?? [];
  const length = Number(to) - Number(from) + 1;
  const range = `bytes ${from}-${to}/${WHOLE.length}`;
  response.writeHead(206, { 'content-range': range, 'content-length': length });
  response.write(WHOLE.subarray(0, length >> 1), () => response.socket?.resetAndDestroy());
};

describe('S3ArchiveStorage.read', () => {
  let stub: Stub;
  afterEach(() => stub.close());

  it('sends one request for an absolute range', async () => {
    stub = await startStub((request, response) => ranged(request, response, WHOLE));
    const read = await stub.storage.read(id, 100, 50);
    expect(Buffer.compare(read as Uint8Array, WHOLE.subarray(100, 150))).to.equal(0);
    await stub.storage.read(id, WHOLE.length - 1, 1);
    expect(stub.requests.map(({ method, headers }) => `${method} ${headers.range}`)).to.deep.equal([
      'GET bytes=100-149',
      'GET bytes=99999-99999',
    ]);
  });

  it('only checks the size for an empty range, and throws if it begins after the end', async () => {
    stub = await startStub((_, response) => response.writeHead(200, { 'content-length': 5 }).end());
    expect(await stub.storage.read(id, 5, 0)).to.deep.equal(new Uint8Array(0));
    expect(stub.methods()).to.equal('HEAD');
    expect((await faultOf(stub.storage.read(id, 6, 0))).message).to.include('ends before byte 6');
  });

  it('throws on the answer to another request, and releases its connection', async () => {
    const answers: Record<string, Handler> = {
      'the whole object': (_, response) =>
        response.writeHead(200, { 'content-length': WHOLE.length }).end(WHOLE),
      'another range': (request, response) => ranged(request, response, WHOLE, 'bytes 1-10/100000'),
      'the end of a shorter object': (_, response) =>
        response.writeHead(206, { 'content-range': 'bytes 0-4/5', 'content-length': 5 }).end('12345'),
      'a range without Content-Range': (_, response) => response.writeHead(206).end(WHOLE.subarray(0, 10)),
      'the range is beyond the end': (_, response) => refuse(response, 416, 'InvalidRange'),
      'a page in HTML': (_, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      'a refusal in HTML': (_, response) => response.writeHead(404).end('<html><body>not here'),
    };
    for (const [what, answer] of Object.entries(answers)) {
      let isWrong = true;
      stub = await startStub((request, response, incoming) =>
        isWrong ? answer(request, response, incoming) : ranged(request, response, WHOLE),
      );
      const storage = stub.open({ parallel: 1 }, { sockets: 1 });
      for (let n = 0; n < 3; n += 1) {
        const outcome = await storage.read(id, 0, 10).catch((reason: unknown) => reason);
        expect(isFault(outcome) && outcome.code, what).to.equal('storage_unavailable');
      }
      isWrong = false;
      expect(await storage.read(id, 0, 10), `after ${what}`).to.have.length(10);
      await stub.close();
    }
    stub = await startStub(() => {});
  });

  it('retries after an answer breaks off, and throws if each one does', async () => {
    let breakOffs = 2;
    stub = await startStub((request, response, incoming) => {
      breakOffs -= 1;
      return breakOffs >= 0 ? breakOff(request, response, incoming) : ranged(request, response, WHOLE);
    });
    const storage = stub.open({ parallel: 1 }, { sockets: 1 });
    const read = await storage.read(id, 0, 50_000);
    expect(Buffer.compare(read as Uint8Array, WHOLE.subarray(0, 50_000))).to.equal(0);
    expect(stub.methods()).to.equal('GET GET GET');
    breakOffs = 1_000;
    await faultOf(storage.read(id, 0, 50_000));
    expect(stub.methods()).to.equal('GET GET GET GET GET GET GET');
  });

  it('distinguishes an absent archive from an absent bucket', async () => {
    let code = 'NoSuchKey';
    stub = await startStub((_, response) => refuse(response, 404, code));
    expect(await stub.storage.read(id, 0, 10)).to.equal(undefined);
    code = 'NoSuchBucket';
    expect((await faultOf(stub.storage.read(id, 0, 10))).message).to.include('"b" does not exist');
    expect((await faultOf(stub.storage.read(id, 0, 0))).message, 'of a HEAD').to.include(
      '"b" does not exist',
    );
    expect((await faultOf(stub.storage.delete(id))).message).to.include('"b" does not exist');
  });

  it('checks the bucket if a 404 does not name what is missing', async () => {
    let bucketExists = true;
    stub = await startStub(({ method, url }, response) => {
      if (/^\/b\/?(\?|$)/.test(url)) return response.writeHead(bucketExists ? 200 : 404).end();
      return method === 'HEAD' ? response.writeHead(404).end() : refuse(response, 404, 'NotFound');
    });
    expect(await stub.storage.read(id, 0, 10)).to.equal(undefined);
    expect(await stub.storage.read(id, 0, 0)).to.equal(undefined);
    await stub.storage.delete(id);
    await stub.storage.check();
    bucketExists = false;
    for (const call of [stub.storage.read(id, 0, 10), stub.storage.delete(id), stub.storage.check()]) {
      await faultOf(call);
    }
  });

  it('ends with the reason of an abort, before the answer and in the middle of it', async () => {
    const arrived = Promise.withResolvers<void>();
    stub = await startStub((_, response) => {
      arrived.resolve();
      response.writeHead(206, { 'content-range': 'bytes 0-9/100', 'content-length': 10 }).write('12345');
    });
    const storage = stub.open({ parallel: 1 }, { sockets: 1 });
    for (const wait of [Promise.resolve(), arrived.promise]) {
      const [controller, reason] = [new AbortController(), { why: 'the viewer went away' }];
      const read = storage.read(id, 0, 10, controller.signal);
      await wait;
      controller.abort(reason);
      expect(await read.catch((error: unknown) => error)).to.equal(reason);
    }
  });

  it('throws at its deadline even if a body still arrives slowly', async () => {
    let drip: NodeJS.Timeout | undefined;
    stub = await startStub((_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 0-99999/100000', 'content-length': 100_000 });
      drip = setInterval(() => response.write('x'), 5);
      setImmediate(() => stub.clock.passDeadlines());
    });
    expect((await faultOf(stub.storage.read(id, 0, 100_000))).message).to.include('30000 ms');
    clearInterval(drip);
  });

  it('does not wait forever for a silent server', async () => {
    stub = await startStub(() => {});
    const storage = stub.open({}, { socketTimeout: duration(40) });
    await faultOf(storage.read(id, 0, 10));
    await faultOf(storage.list(undefined, 10));
    await faultOf(storage.delete(id));
    await faultOf(storage.check());
  });

  it('sends a limited number of concurrent requests; the others wait for their turn', async () => {
    const held: (() => void)[] = [];
    stub = await startStub((request, response) => {
      held.push(() => ranged(request, response, WHOLE));
      // The first reads wait for one another; a fourth place, if it existed, would be used by then.
      if (stub.requests.length >= 3) setImmediate(() => held.splice(0).forEach((answer) => void answer()));
    });
    const storage = stub.open({ parallel: 3 });
    const controller = new AbortController();
    const reads = Array.from({ length: 20 }, () => storage.read(id, 0, 1_000));
    const aborted = storage.read(id, 0, 1_000, controller.signal).catch((error: unknown) => error);
    controller.abort('no longer needed');
    expect(await aborted, 'one that still waits').to.equal('no longer needed');
    await Promise.all(reads);
    expect(stub.maxConcurrent()).to.equal(3);
    expect(stub.requests).to.have.length(20);
  });
});
