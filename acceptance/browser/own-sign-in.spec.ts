import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MayView, ViewerAccess } from '@pinfold/viewer';
import { expect } from 'chai';
import { closed, listening } from 'pinfold-test-servers/service';
import type { Page } from 'playwright-core';
import { builtSite, EVERYTHING, reportOf } from './build-site.ts';
import { openPage } from './chromium.ts';
import { openService, type Service } from './open-service.ts';

/** The app of a team, which signs everyone in as Ada and redirects them back. */
function openApp(): Promise<Server> {
  return listening((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const headers = {
      'Set-Cookie': 'session=ada; HttpOnly; SameSite=Lax',
      Location: searchParams.get('next') ?? '',
    };
    response.writeHead(303, headers).end();
  });
}

for (const mode of ['origin', 'path'] as const) {
  describe(`a site for the people of a team in a real browser, in ${mode} mode`, () => {
    let app: Server;
    let service: Service;
    let answer: MayView;
    let page: Page;

    before(async () => {
      app = await openApp();
      const { port } = app.address() as AddressInfo;
      const access: ViewerAccess = {
        identify: ({ headers, url = '' }) => {
          const [, person] = /(?:^|; )session=(\w+)/.exec(headers.cookie ?? '') ?? [];
          if (person !== undefined) return person;
          return { signIn: `http://localhost:${port}/login?next=${encodeURIComponent(service.url + url)}` };
        },
        mayView: () => answer,
      };
      service = await openService(mode, {}, { access });
    });
    after(async () => {
      await closed(app);
    });
    beforeEach(async () => {
      answer = 'yes';
      page = await openPage();
    });

    it('is shown completely after a sign-in, at the requested address', async () => {
      const pin = await service.publish(await builtSite(mode), 'shown');
      await page.goto(`${pin.shared_url}?to=${encodeURIComponent('/?from=mail')}`);
      expect(await reportOf(page)).to.include(EVERYTHING);
      expect(new URL(page.url()).search).to.equal('?from=mail');
    });

    it('never gets the cookie of the app', async () => {
      const pin = await service.publish(await builtSite(mode), 'cookies');
      await page.goto(pin.shared_url);
      await reportOf(page);
      const [sent] = await Promise.all([page.waitForRequest(() => true), page.reload()]);
      const { cookie = '' } = await sent.allHeaders();
      if (mode === 'origin') expect(cookie).to.include('pinfold_grant=').and.not.to.include('session=');
      // A page cannot send a cookie that it cannot read.
      const readable = await page.evaluate(
        '(() => { try { return document.cookie } catch { return "" } })()',
      );
      expect(readable).to.equal('');
    });
  });
}
