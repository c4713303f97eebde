import { isFault } from '@pinfold/core';
import { createS3Client, S3ArchiveStorage } from '@pinfold/storage-s3';
import { expect } from 'chai';
import { createPauseClock } from './clocks.ts';
import { ranged, refuse, type Stub, startStub } from './stub.ts';
import { openTestStore } from './test-store.ts';

async function messageOf(call: Promise<unknown>): Promise<string> {
  const error = await call.catch((reason: unknown) => reason);
  if (!isFault(error)) throw new Error('no fault', { cause: error });
  expect(error.code).to.equal('storage_unavailable');
  expect(error.message, 'one line').to.not.include('\n');
  return error.message;
}

describe('S3ArchiveStorage.check', () => {
  let stub: Stub;
  beforeEach(async () => {
    stub = await startStub((_, response) => refuse(response, 404, 'NoSuchKey'));
  });
  afterEach(() => stub.close());

  it('requests one object and lists nothing', async () => {
    await stub.storage.check();
    expect(stub.requests.map(({ method, url }) => `${method} ${url}`)).to.deep.equal([
      'GET /b/p/check?x-id=GetObject',
    ]);
    expect(stub.requests[0]?.headers.range).to.equal('bytes=0-0');
  });

  it('accepts an existing probe object', async () => {
    const filled = await startStub((request, response) => ranged(request, response, new Uint8Array([1, 2])));
    await filled.storage.check();
    await filled.close();
  });

  it('says in one line that the bucket is missing', async () => {
    const store = await openTestStore();
    const clock = createPauseClock();
    const storage = new S3ArchiveStorage({ client: store.client, bucket: 'there-is-no-such-bucket', clock });
    try {
      expect(await messageOf(storage.check())).to.include('"there-is-no-such-bucket" does not exist');
    } finally {
      await store.close();
    }
  });

  it('says in one line that credentials, region or permissions are wrong', async () => {
    for (const [status, code] of [
      [403, 'InvalidAccessKeyId'],
      [403, 'SignatureDoesNotMatch'],
      [403, 'AccessDenied'],
      [401, 'Unauthorized'],
      [400, 'AuthorizationHeaderMalformed'],
      [301, 'PermanentRedirect'],
    ] as const) {
      const refusing = await startStub((_, response) => refuse(response, status, code));
      const message = await messageOf(refusing.storage.check());
      expect(message).to.include('credentials').and.to.include(`${status} ${code}`);
      await refusing.close();
    }
  });

  it('says in one line that no server answers', async () => {
    await stub.close();
    expect(await messageOf(stub.open().check()))
      .to.include('does not answer')
      .and.to.include('ECONNREFUSED');
    stub = await startStub(() => {});
  });

  it('says in one line that there are no credentials', async () => {
    const credentials = async (): Promise<never> => {
      throw Object.assign(new Error('none found'), { name: 'CredentialsProviderError' });
    };
    const storage = stub.open({}, { credentials });
    expect(await messageOf(storage.check()))
      .to.include('credentials')
      .and.to.include('CredentialsProviderError');
  });

  it('says in one line that the server is not an object store', async () => {
    const page = await startStub((_, response) => response.writeHead(200).end('<html>hello</html>'));
    expect(await messageOf(page.storage.check())).to.include('not an object store');
    await page.close();
  });

  it('prints nothing by itself, however often it fails', async () => {
    const failing = await startStub((_, response) => refuse(response, 500, 'InternalError'));
    const [printed, { warn, error, log }] = [[] as unknown[], console];
    const record = (...parts: unknown[]): void => void printed.push(parts);
    Object.assign(console, { warn: record, error: record, log: record });
    try {
      await messageOf(failing.storage.check());
    } finally {
      Object.assign(console, { warn, error, log });
    }
    expect(printed).to.deep.equal([]);
    await failing.close();
  });

  it('lets the SDK make three attempts', async () => {
    const failing = await startStub((_, response) => refuse(response, 503, 'ServiceUnavailable'));
    await messageOf(failing.storage.check());
    expect(failing.methods()).to.equal('GET GET GET');
    await failing.close();
  });
});

describe('An S3ArchiveStorage', () => {
  it('accepts only a prefix that every server stores unchanged', () => {
    const [clock, client] = [createPauseClock(), createS3Client({ region: 'us-east-1' })];
    const open = (prefix: string): S3ArchiveStorage =>
      new S3ArchiveStorage({ client, bucket: 'b', prefix, clock });
    for (const prefix of ['a', 'a/b', 'sites.example_1/a-b', 'x'.repeat(200)]) open(prefix);
    for (const prefix of [
      '',
      '/',
      '/a',
      'a/',
      'a//b',
      '.',
      'a/../b',
      'A',
      'a b',
      'ä',
      'a\\b',
      'x'.repeat(201),
    ]) {
      expect(() => open(prefix), prefix).to.throw(TypeError);
    }
    client.destroy();
  });
});

describe('A client of createS3Client', () => {
  it('puts the bucket into the path when an endpoint is given, unless an option says otherwise', async () => {
    const [own, aws, host] = [
      createS3Client({ region: 'us-east-1', endpoint: 'http://127.0.0.1:1' }),
      createS3Client({ region: 'us-east-1' }),
      createS3Client({ region: 'us-east-1', endpoint: 'http://127.0.0.1:1', forcePathStyle: false }),
    ];
    expect([own, aws, host].map(({ config }) => config.forcePathStyle)).to.deep.equal([true, false, false]);
    for (const client of [own, aws, host]) client.destroy();
  });
});
