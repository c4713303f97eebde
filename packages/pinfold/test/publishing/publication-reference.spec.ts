import { expect } from 'chai';
import { readReference, resolveReference } from '../../src/publishing/publications.ts';

const ID = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';

describe('the URL of a publication', () => {
  const resolve = (url: string) =>
    resolveReference(readReference(url), {
      publicUrlFor: async () => 'https://xn--wgv71a.example/share',
      siteHostFor: async () => `${ID}.xn--wgv71a.example`,
      findShown: async () => ID,
    });

  it('belongs to its server in any spelling of the host', async () => {
    for (const host of ['xn--wgv71a.example', 'XN--WGV71A.Example', '日本.example', '日本.example:443'])
      for (const url of [
        `${host}/share/s/${ID}`,
        `${host}/share/n/docs-${'a'.repeat(22)}`,
        `${ID}.${host}/x`,
      ])
        for (const scheme of ['', 'https://']) expect(await resolve(scheme + url)).to.equal(ID);
  });

  it('does not belong to a server with another host, port or path', async () => {
    for (const base of [
      '日本.example',
      '日本.example:8443/share',
      'http://日本.example:443/share',
      'x.example/share',
    ]) {
      const error: unknown = await resolve(`${base}/s/${ID}`).catch((reason: unknown) => reason);
      expect(String(error), base).to.include('not one of the server');
    }
  });
});
