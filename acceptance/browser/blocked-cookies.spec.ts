import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { openPage } from './chromium.ts';
import { closeAfterwards } from './closing.ts';
import { openService } from './open-service.ts';

const PASSWORD = 'harbour lights';
const ARCHIVE = zipSync({
  'docs/index.html': strToU8('<title>Tides</title>'),
  'index.html': strToU8('Home'),
});

/** A proxy between a browser and the service, which removes cookies while `blocks` is true. */
async function openFilter(): Promise<{ readonly port: number; blocks: boolean; to: string }> {
  const filter = { port: 0, blocks: true, to: '' };
  const server = createServer((incoming, outgoing) => {
    const { url: path, method, headers } = incoming;
    const passed = request(filter.to, { path, method, headers, agent: false }, (answer) => {
      const { 'set-cookie': cookies, ...others } = answer.headers;
      const remaining =
        filter.blocks || cookies === undefined ? others : { ...others, 'set-cookie': cookies };
      outgoing.writeHead(answer.statusCode ?? 502, remaining);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  }).listen(0, '127.0.0.1');
  closeAfterwards(async () => server.close().closeAllConnections());
  await once(server, 'listening');
  filter.port = (server.address() as AddressInfo).port;
  return filter;
}

describe('a browser that stores no cookies', () => {
  for (const mode of ['origin', 'path'] as const) {
    it(`shows what to allow after the right password, in ${mode} mode`, async () => {
      const filter = await openFilter();
      const service = await openService(mode, { PINFOLD_PUBLIC_URL: `http://localhost:${filter.port}` });
      filter.to = service.url;
      const pin = await service.publish(ARCHIVE, mode);
      await service.patch(pin.id, { password: PASSWORD });
      const page = await openPage();
      const enter = async (): Promise<void> => {
        await page.locator('#password').fill(PASSWORD);
        await page.keyboard.press('Enter');
      };
      await page.goto(`${pin.shared_url}?to=/docs/`);
      await enter();
      await page.getByRole('heading', { name: 'Your browser did not store the cookie' }).waitFor();
      filter.blocks = false;
      await page.getByRole('link', { name: 'Open the shared link again' }).click();
      await enter();
      // The policy of the previous page forbids scripts that read its title.
      await page.waitForURL(({ pathname, search }) => pathname.endsWith('/docs/') && search === '');
      expect(await page.title()).to.equal('Tides');
    });
  }
});
