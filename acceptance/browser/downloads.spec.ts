import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { openPage } from './chromium.ts';
import { openService, type Service } from './open-service.ts';

const TAR = Buffer.from('the tides of a year '.repeat(5_000));
const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><path d="M0 0h64v64H0z"/></svg>';
const DATABASE = Buffer.alloc(300_000, 'SQLite format 3 ');

/** Reads as sql.js-httpvfs does: the length by HEAD first, then parts. */
const READ_PARTS = `(async () => {
  const head = await fetch('tides.sqlite', { method: 'HEAD' });
  const headers = { Range: 'bytes=4096-4111' };
  const part = await fetch('tides.sqlite', { headers });
  return {
    length: head.headers.get('Content-Length'),
    ranges: head.headers.get('Accept-Ranges'),
    coding: head.headers.get('Content-Encoding'),
    status: part.status,
    bytes: await part.text(),
  };
})()`;

describe('files that are no text, in a real browser', () => {
  let service: Service;
  let url: string;
  before(async () => {
    service = await openService('origin');
    const files = {
      'index.html': strToU8(
        '<!doctype html><a id="tgz" href="tides.tgz" download>tgz</a><a id="gz" href="tides.csv.gz" download>gz</a><img src="map.svgz">',
      ),
      'tides.tgz': gzipSync(TAR),
      'tides.csv.gz': gzipSync(TAR),
      'map.svgz': gzipSync(DRAWING),
      'tides.sqlite': DATABASE,
    };
    url = (await service.publish(zipSync(files), 'downloads')).shared_url;
  });

  for (const name of ['tgz', 'gz']) {
    it(`saves a .${name} file as it was published, which unpacks`, async () => {
      const page = await openPage();
      await page.goto(url);
      const saved = page.waitForEvent('download');
      await page.locator(`#${name}`).click();
      const bytes = await readFile(await (await saved).path());
      expect(gunzipSync(bytes).equals(TAR)).to.equal(true);
    });
  }

  it('shows an .svgz image', async () => {
    const page = await openPage();
    await page.goto(url);
    expect(await page.evaluate('document.images[0].naturalWidth')).to.equal(64);
  });

  it('reads a database in parts, and its length before', async () => {
    const page = await openPage();
    await page.goto(url);
    expect(await page.evaluate(READ_PARTS)).to.deep.equal({
      length: String(DATABASE.length),
      ranges: 'bytes',
      coding: null,
      status: 206,
      bytes: 'SQLite format 3 ',
    });
  });
});
