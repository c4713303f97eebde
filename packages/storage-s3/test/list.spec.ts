import type { ArchiveId } from '@pinfold/core';
import { anArchiveId } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { faultOf, listing, refuse, type Stub, startStub } from './stub.ts';

const keyOf = (id: ArchiveId): string => `p/${id}`;

describe('S3ArchiveStorage.list', () => {
  let stub: Stub;
  afterEach(() => stub.close());

  /** Starts a server with keys, which lists a limited number of them per page. */
  async function start(keys: readonly string[], page: number): Promise<void> {
    stub = await startStub(({ url }, response) => {
      const query = new URL(url, 'http://b').searchParams;
      const limit = Math.min(page, Number(query.get('max-keys')));
      const rest = keys.filter((key) => key > (query.get('start-after') ?? ''));
      listing(response, rest.slice(0, limit), rest.length > limit);
    });
  }

  it('lists only its own folder, after a key, up to the limit', async () => {
    await start([0, 1, 2, 3].map(anArchiveId).map(keyOf), 1_000);
    expect(await stub.storage.list(undefined, 2)).to.deep.equal([0, 1].map(anArchiveId));
    expect(await stub.storage.list(anArchiveId(1), 5_000)).to.deep.equal([2, 3].map(anArchiveId));
    const queries = stub.requests.map(({ url }) => new URL(url, 'http://b').searchParams);
    expect(queries.map((query) => query.get('prefix'))).to.deep.equal(['p/', 'p/']);
    expect(queries.map((query) => query.get('start-after'))).to.deep.equal([null, keyOf(anArchiveId(1))]);
    expect(queries.map((query) => query.get('max-keys'))).to.deep.equal(['2', '1000']);
  });

  it('continues past foreign keys up to the limit', async () => {
    const ids = Array.from({ length: 10 }, (_, n) => anArchiveId(n));
    const keys = [...ids.map(keyOf), 'p/', 'p/0', 'p/1-notes.txt', `p/${anArchiveId(3)}.tmp`, 'p/x/y'].sort();
    await start(keys, 3);
    expect(await stub.storage.list(undefined, 100)).to.deep.equal(ids);
    expect(await stub.storage.list(ids[3], 4)).to.deep.equal(ids.slice(4, 8));
  });

  it('lists thousands of foreign keys in few requests, even for the last archive of a page', async () => {
    const foreign = Array.from({ length: 2_500 }, (_, n) => `p/~${`${n}`.padStart(4, '0')}`);
    await start([keyOf(anArchiveId(0)), ...foreign], 1_000);
    expect(await stub.storage.list(undefined, 2)).to.deep.equal([anArchiveId(0)]);
    expect(stub.requests).to.have.length(4);
  });

  it('throws if an answer would make the list incomplete or endless', async () => {
    const [one, two] = [keyOf(anArchiveId(1)), keyOf(anArchiveId(2))];
    const answers: Record<string, Parameters<typeof startStub>[0]> = {
      'no count': (_, response) => listing(response, [one], false, false),
      'truncated, but without keys': (_, response) => listing(response, [], true),
      'the same page again': (_, response) => listing(response, [one, two], true),
      'out of order': (_, response) => listing(response, [two, one]),
      'keys of another folder': (_, response) => listing(response, ['q/1']),
      'a page in HTML': (_, response) => response.writeHead(200).end('<html>hello</html>'),
      'no bucket': (_, response) => refuse(response, 404, 'NoSuchBucket'),
    };
    for (const [what, answer] of Object.entries(answers)) {
      stub = await startStub(answer);
      await faultOf(stub.storage.list(undefined, 10), what);
      await stub.close();
    }
    stub = await startStub(() => {});
  });

  it('skips foreign keys of any characters, in order of their bytes', async () => {
    const foreign = ['p/\u{ff5e}', 'p/\u{1f511}'];
    stub = await startStub((_, response) => listing(response, [keyOf(anArchiveId(1)), ...foreign]));
    expect(await stub.storage.list(undefined, 10)).to.deep.equal([anArchiveId(1)]);
  });
});
