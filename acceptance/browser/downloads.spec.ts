import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openPage } from './chromium.ts';
import { downloadsSite, PARTS, READ_PARTS, TAR } from './downloads-site.ts';
import { openService, type Service } from './open-service.ts';

describe('binary files in a real browser', () => {
  let service: Service;
  let url: string;
  before(async () => {
    service = await openService('origin');
    url = (await service.publish(downloadsSite(), 'downloads')).shared_url;
  });

  for (const name of ['tgz', 'gz']) {
    it(`saves a .${name} file as published, which can be unpacked`, async () => {
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
    expect(JSON.parse(await page.evaluate(READ_PARTS))).to.deep.equal(PARTS);
  });
});
