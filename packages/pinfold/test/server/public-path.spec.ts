import { expect } from 'chai';
import { type PinJson, publish } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

describe('a public URL with a path', () => {
  let server: Served;
  let url: string;
  let key: string;

  before(async () => {
    server = await serve({ PINFOLD_PUBLIC_URL: 'http://pin.test/share', PINFOLD_VIEWER_MODE: 'path' });
    url = `http://127.0.0.1:${server.port}/share`;
    key = server.key;
  });

  after(() => server.close());

  it('serves the API and sites below it', async () => {
    const answer = await publish(url, key, 'under a path');
    expect(answer.status).to.equal(201);
    const { pin } = (await answer.json()) as { readonly pin: PinJson };
    expect(answer.headers.get('location')).to.equal(`http://pin.test/share/api/v1/pins/${pin.id}`);
    expect(pin.shared_url).to.equal(`http://pin.test/share/s/${pin.id}`);
    const shared = await fetch(`${url}/s/${pin.id}`, { redirect: 'manual' });
    expect(shared.headers.get('location')).to.equal(`http://pin.test/share/s/${pin.id}/`);
    expect(await (await fetch(`${url}/s/${pin.id}/`)).text()).to.include('under a path');
  });

  it('serves the management screen below it', async () => {
    const signIn = await fetch(`${url}/manage/`, { redirect: 'manual' });
    expect(signIn.headers.get('location')).to.equal('/share/manage/sign-in');
    const page = await fetch(`${url}/manage/sign-in`);
    expect(page.headers.getSetCookie().join()).to.include('Path=/share/manage;');
    expect(await page.text()).to.include('href="/share/manage/assets/');
  });

  it('serves its page with and without a slash at the end, and at the root', async () => {
    for (const path of ['/share', '/share/', '/share?x=1', '/']) {
      const answer = await fetch(new URL(path, url));
      expect(answer.status, path).to.equal(200);
      const page = await answer.text();
      for (const link of ['manage/', 'openapi.json']) {
        expect(page, path).to.include(`href="http://pin.test/share/${link}"`);
      }
    }
    for (const path of ['/shares', '/shar']) {
      expect((await fetch(new URL(path, url))).status, path).to.equal(404);
    }
  });

  it('serves the health checks below it and at the root', async () => {
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    expect((await fetch(new URL('/healthz', url))).status).to.equal(200);
  });

  it('answers unknown paths below it with a problem document', async () => {
    for (const path of ['/api', '/api/', '/api/v9/pins']) {
      const answer = await fetch(`${url}${path}`);
      expect(answer.status, path).to.equal(404);
      expect(answer.headers.get('content-type')).to.equal('application/problem+json');
      expect(await answer.json()).to.include({ code: 'not_found', retryable: false });
    }
  });

  it('is case-sensitive', async () => {
    for (const path of ['/SHARE/api/v1/limits', '/SHARE/manage/', '/share/MANAGE/', '/share/manage/KEYS']) {
      const answer = await fetch(new URL(path, url), { redirect: 'manual' });
      expect(answer.status, path).to.equal(404);
    }
  });

  it('may contain characters that have a meaning in routes', async () => {
    const other = await serve({ PINFOLD_PUBLIC_URL: 'http://pin.test/a:b(1)*!+[]' });
    const base = `http://127.0.0.1:${other.port}/a:b(1)*!+[]`;
    for (const path of ['/openapi.json', '/manage/sign-in'])
      expect((await fetch(base + path)).status, path).to.equal(200);
    expect((await fetch(`http://127.0.0.1:${other.port}/ax(1)*!+[]/openapi.json`)).status).to.equal(404);
  });

  it('does not serve the API outside of it', async () => {
    expect((await fetch(new URL('/api/v1/limits', url))).status).to.equal(404);
  });
});
