import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { downloadsSite, PARTS, READ_PARTS, TAR } from '../browser/downloads-site.ts';
import { openService } from '../browser/open-service.ts';
import { type Firefox, openFirefox } from './firefox.ts';

describe('binary files in Firefox', () => {
  let firefox: Firefox;
  before(async () => {
    const service = await openService('origin');
    const { shared_url } = await service.publish(downloadsSite(), 'downloads');
    firefox = await openFirefox(process.env.FIREFOX_PATH ?? 'firefox-esr');
    await firefox.open(shared_url);
  });
  after(() => firefox.close());

  for (const [link, name] of [
    ['tgz', 'tides.tgz'],
    ['gz', 'tides.csv.gz'],
  ] as const) {
    it(`saves ${name} as published, which can be unpacked`, async () => {
      await firefox.evaluate(`document.querySelector('#${link}').click()`);
      const file = join(firefox.downloads, name);
      expect(gunzipSync(await savedFile(file)).equals(TAR)).to.equal(true);
    });
  }

  it('shows an .svgz image', async () => {
    expect(await firefox.evaluate('document.images[0].naturalWidth')).to.equal(64);
  });

  it('reads a database in parts, and its length before', async () => {
    expect(JSON.parse(String(await firefox.evaluate(READ_PARTS)))).to.deep.equal(PARTS);
  });
});

/** The content of a file once it has been saved whole. */
async function savedFile(file: string): Promise<Buffer> {
  for (;;) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (bytes.length > 0 && (await readFile(`${file}.part`).catch(() => undefined)) === undefined)
      return bytes;
    await setTimeout(50);
  }
}
