import { appendFile, readdir, rm, truncate } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { duration, seconds } from '@pinfold/core';
import {
  anArchiveId,
  createStagedArchives,
  type StagedArchives,
  someBytes,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { faultOf, refuse, type Stub, type StubRequest, startStub } from './stub.ts';

const SIZE = 300_000;
const id = anArchiveId(1);

const descriptors = async (): Promise<number> => (await readdir('/dev/fd')).length;

/** A handler that stores the size of the object it receives. */
function storingHandler(): (request: StubRequest, response: ServerResponse) => void {
  let size: number | undefined;
  return ({ method, bytes }, response) => {
    if (method === 'PUT') size = bytes;
    if (method === 'HEAD' && size === undefined) response.writeHead(404).end();
    else response.writeHead(200, method === 'HEAD' ? { 'content-length': size } : { etag: '"e"' }).end();
  };
}

describe('S3ArchiveStorage.put', () => {
  let staged: StagedArchives;
  let stub: Stub;
  before(async () => {
    staged = await createStagedArchives();
  });
  after(() => staged.dispose());
  afterEach(() => stub.close());

  it('sends one request with its length, and checks the stored object', async () => {
    stub = await startStub(storingHandler());
    const object = { ServerSideEncryption: 'AES256', StorageClass: 'STANDARD_IA' } as const;
    await stub.open({ object }).put(id, await staged.stage(someBytes(SIZE, 1)));
    expect(stub.methods()).to.equal('PUT HEAD');
    const { url, headers, bytes } = stub.requests[0] as StubRequest;
    expect(url).to.match(new RegExp(`^/b/p/${id}\\b`));
    expect([bytes, headers['content-length']]).to.deep.equal([SIZE, String(SIZE)]);
    expect(headers).to.include({
      'content-type': 'application/zip',
      'x-amz-server-side-encryption': 'AES256',
      'x-amz-storage-class': 'STANDARD_IA',
    });
  });

  it('uses nothing in which servers differ: no chunks, checksums, conditions or Expect', async () => {
    stub = await startStub(storingHandler());
    await stub.storage.put(id, await staged.stage(someBytes(3_000_000, 1)));
    const { headers } = stub.requests[0] as StubRequest;
    expect(headers['x-amz-content-sha256']).to.equal('UNSIGNED-PAYLOAD');
    const sent = Object.keys(headers).filter((name) =>
      /expect|if-|checksum|trailer|transfer-encoding|content-encoding|decoded/.test(name),
    );
    expect(sent).to.deep.equal([]);
  });

  it('sends the whole file again while the server fails, with growing pauses', async () => {
    const store = storingHandler();
    let failures = 3;
    stub = await startStub((request, response) => {
      if (request.method !== 'PUT' || failures === 0) return store(request, response);
      failures -= 1;
      return refuse(response, failures === 1 ? 500 : 503, 'SlowDown');
    });
    await stub.storage.put(id, await staged.stage(someBytes(SIZE, 1)));
    expect(stub.methods()).to.equal('PUT PUT PUT PUT HEAD');
    expect(stub.requests.map(({ bytes }) => bytes)).to.deep.equal([SIZE, SIZE, SIZE, SIZE, 0]);
    const [one = 0, two = 0, three = 0] = stub.clock.pauses;
    expect(one).to.be.within(100, 201);
    expect(two).to.be.within(200, 401);
    expect(three).to.be.within(400, 801);
  });

  it('gives up after four attempts', async () => {
    stub = await startStub((_, response) => refuse(response, 500, 'InternalError'));
    const fault = await faultOf(stub.storage.put(id, await staged.stage(someBytes(SIZE, 1))));
    expect(stub.methods()).to.equal('PUT PUT PUT PUT');
    expect(fault.message).to.include('500 InternalError');
  });

  it('waits as long as the server requests, unless that is long', async () => {
    const store = storingHandler();
    let wait = 7;
    stub = await startStub((request, response) => {
      if (request.method !== 'PUT' || stub.clock.pauses.length > 0) return store(request, response);
      return refuse(response, 503, 'SlowDown', { 'retry-after': String(wait) });
    });
    await stub.storage.put(id, await staged.stage(someBytes(SIZE, 1)));
    expect(stub.clock.pauses).to.deep.equal([7_000]);
    await stub.close();
    wait = 3_600;
    stub = await startStub((_, response) =>
      refuse(response, 503, 'SlowDown', { 'retry-after': String(wait) }),
    );
    await faultOf(stub.storage.put(id, await staged.stage(someBytes(SIZE, 1))));
    expect(stub.methods()).to.equal('PUT');
  });

  it('retries after a connection breaks, even a reused one', async () => {
    const store = storingHandler();
    let broken = 0;
    stub = await startStub((request, response) => {
      if (request.method !== 'PUT' || broken === 2) return store(request, response);
      broken += 1;
      return response.socket?.resetAndDestroy();
    });
    await stub.storage.check().catch(() => {});
    await stub.storage.put(id, await staged.stage(someBytes(SIZE, 1)));
    expect(stub.methods()).to.match(/PUT PUT PUT HEAD$/);
  });

  it('does not retry a refusal, and gives its reason, though the body was not read', async () => {
    for (const [status, code] of [
      [403, 'SignatureDoesNotMatch'],
      [403, 'AccessDenied'],
      [404, 'NoSuchBucket'],
      [501, 'NotImplemented'],
      [400, 'AuthorizationHeaderMalformed'],
    ] as const) {
      stub = await startStub(
        () => {},
        (_, response) => refuse(response, status, code),
      );
      const fault = await faultOf(stub.storage.put(id, await staged.stage(someBytes(5_000_000, 1))));
      expect(stub.methods(), code).to.equal('PUT');
      expect(fault.message, code).to.include(code === 'NoSuchBucket' ? '"b" does not exist' : code);
      expect(fault.message).to.not.match(/\n|hush/);
      await stub.close();
    }
    stub = await startStub(() => {});
  });

  it('checks after a 200, and sends a missing object again', async () => {
    const store = storingHandler();
    let lost = 2;
    stub = await startStub((request, response) => {
      if (request.method !== 'PUT' || lost === 0) {
        if (request.url.startsWith('/b/p/check')) return refuse(response, 404, 'NoSuchKey');
        return store(request, response);
      }
      lost -= 1;
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>');
    });
    await stub.storage.put(id, await staged.stage(someBytes(SIZE, 1)));
    expect(stub.methods().replaceAll('GET ', '')).to.equal('PUT HEAD PUT HEAD PUT HEAD');
  });

  it('removes an object of another length before it retries', async () => {
    stub = await startStub(({ method }, response) => {
      response.writeHead(
        method === 'DELETE' ? 204 : 200,
        method === 'HEAD' ? { 'content-length': SIZE - 1 } : {},
      );
      response.end();
    });
    await faultOf(stub.storage.put(id, await staged.stage(someBytes(SIZE, 1))));
    const once = 'PUT HEAD DELETE';
    expect(stub.methods()).to.equal([once, once, once, once].join(' '));
  });

  it('never sends all announced bytes of a file with another length', async () => {
    stub = await startStub(storingHandler());
    const changes = {
      'a longer file': (file: string) => appendFile(file, 'x'),
      'a shorter file': (file: string) => truncate(file, SIZE - 1),
      'an empty file': (file: string) => truncate(file, 0),
      'no file': (file: string) => rm(file),
    };
    const before = await descriptors();
    for (const [what, change] of Object.entries(changes)) {
      const archive = await staged.stage(someBytes(SIZE, 1));
      await change(archive.file);
      const fault = await faultOf(stub.storage.put(id, archive));
      expect(fault.cause, what).to.be.instanceOf(Error);
    }
    expect(stub.requests.filter(({ bytes }) => bytes >= SIZE)).to.deep.equal([]);
    expect(stub.clock.pauses, 'not repeated').to.deep.equal([]);
    await stub.storage.put(id, await staged.stage(someBytes(SIZE, 1)));
    expect(await descriptors()).to.be.at.most(before + 4);
  });

  it('ends with the reason of an abort and closes the file, while it sends the body or waits for the answer', async () => {
    const arrived = Promise.withResolvers<void>();
    stub = await startStub(
      () => {},
      (_, __, incoming) => incoming.once('data', () => arrived.resolve()),
    );
    const archive = await staged.stage(someBytes(SIZE, 1));
    const before = await descriptors();
    const [controller, reason] = [new AbortController(), { why: 'lease lost' }];
    const put = stub.storage.put(id, archive, controller.signal);
    await arrived.promise;
    controller.abort(reason);
    expect(await put.catch((error: unknown) => error)).to.equal(reason);
    expect((await descriptors()) - before, 'the file is closed, a socket may not be yet').to.be.at.most(2);
    expect(stub.methods()).to.equal('PUT');
  });

  it('throws at its deadline for all attempts together', async () => {
    stub = await startStub(() => stub.clock.passDeadlines());
    const put = stub.open({ putDeadline: seconds(120) }).put(id, await staged.stage(someBytes(SIZE, 1)));
    expect((await faultOf(put)).message).to.include('120000 ms');
    expect(stub.methods()).to.equal('PUT');
  });

  it('does not wait forever for a silent server', async () => {
    stub = await startStub(() => {});
    const storage = stub.open({}, { socketTimeout: duration(40) });
    await faultOf(storage.put(id, await staged.stage(someBytes(SIZE, 1))));
    // A busy test server may not have received each of the four attempts.
    expect(stub.clock.pauses).to.have.length(3);
  });

  it('leaves no connection in use', async () => {
    stub = await startStub(storingHandler());
    const storage = stub.open({ parallel: 1 }, { sockets: 1 });
    for (let n = 0; n < 3; n += 1) await storage.put(anArchiveId(n), await staged.stage(someBytes(SIZE, n)));
    expect(stub.maxConcurrent()).to.equal(1);
  });
});
