import { expect } from 'chai';
import { webAppManifestUrls } from '../../src/observe/web-app-manifest.ts';

const urls = (manifest: unknown) => webAppManifestUrls(JSON.stringify(manifest));

describe('the URLs of a web app manifest', () => {
  it('are its images, and the pages that it opens', () => {
    const found = urls({
      start_url: '/start',
      icons: [{ src: 'a.png', sizes: '1x1' }, { src: 'b.png' }],
      screenshots: [{ src: 's.png' }],
      shortcuts: [{ url: '/new', icons: [{ src: 'n.png' }] }],
      share_target: { action: '/share' },
      file_handlers: [{ action: '/open' }],
      scope: '/no',
      related_applications: [{ url: 'no' }],
    });
    const [images, pages] = [
      found.filter(({ navigation }) => !navigation),
      found.filter(({ navigation }) => navigation),
    ];
    expect(images.map(({ url }) => url)).to.deep.equal(['a.png', 'b.png', 's.png', 'n.png']);
    expect(pages.map(({ url }) => url)).to.deep.equal(['/start', '/new', '/share', '/open']);
  });

  it('do not come from a file that is not a manifest', () => {
    for (const value of [
      null,
      1,
      'x',
      [],
      [{ icons: [{ src: 'a' }] }],
      { icons: { 16: 'a.png' } },
      { icons: ['a'] },
    ]) {
      expect(urls(value), JSON.stringify(value)).to.deep.equal([]);
    }
    for (const text of ['', '{', '{"icons":[{"src":1},null]}', `{"start_url":"/"}${' '.repeat(262_144)}`]) {
      expect(webAppManifestUrls(text)).to.deep.equal([]);
    }
    expect(webAppManifestUrls('\u{feff}{"start_url":"/"}')).to.have.lengthOf(1);
  });
});
