import type { EntryPath, Manifest, Open, Publication, RoleId } from '@pinfold/core';
import { EndedMeanwhile } from '@pinfold/http/internal';
import { expect } from 'chai';
import { Sites } from '../src/sending/sites.ts';

const PUBLICATION = { id: 'id' as RoleId } as Publication;
const ENTRY = {
  path: 'index.html' as EntryPath,
  offset: 0,
  compressedSize: 4,
  size: 4,
  method: 'stored',
  crc32: 0,
  utf8: true,
} as const;

function setUp(bytes: number) {
  const calls: PromiseWithResolvers<unknown>[] = [];
  const manifest = () => {
    calls.push(Promise.withResolvers());
    return calls.at(-1)?.promise;
  };
  const answer = () =>
    calls.at(-1)?.resolve({ kind: 'manifest', manifest: { entries: [ENTRY] } as unknown as Manifest });
  return { sites: new Sites({ manifest } as unknown as Open, bytes), calls, answer };
}

describe('the file list of a site', () => {
  it('is loaded once for concurrent requests, and cached if there is memory', async () => {
    for (const [bytes, isCached] of [
      [1_000_000, true],
      [0, false],
    ] as const) {
      const { sites, calls, answer } = setUp(bytes);
      const loading = [sites.load(PUBLICATION), sites.load(PUBLICATION)];
      expect(calls).to.have.length(1);
      answer();
      const [one, other] = await Promise.all(loading);
      expect(one).to.equal(other);
      const again = sites.load(PUBLICATION);
      expect(calls).to.have.length(isCached ? 1 : 2);
      answer();
      await again;
      expect(sites).to.include({ hits: isCached ? 1 : 0, misses: isCached ? 1 : 2 });
      expect(sites.bytes > 0).to.equal(isCached);
    }
  });

  it('is missing for a site that has ended meanwhile, and prepared once for each file', async () => {
    const { sites, calls, answer } = setUp(1_000_000);
    const ending = sites.load(PUBLICATION);
    calls[0]?.resolve({ kind: 'expired' });
    const thrown = await Promise.resolve(ending).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(EndedMeanwhile).with.deep.property('ended', { kind: 'expired' });
    const loading = sites.load(PUBLICATION);
    answer();
    const site = await loading;
    const file = site.file(ENTRY);
    expect(site.file(ENTRY)).to.equal(file);
    const policy = { index: 0, headers: [] } as const;
    expect(file.form(false, policy)).to.equal(file.form(false, policy));
  });
});
