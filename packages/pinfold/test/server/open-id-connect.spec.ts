import { expect } from 'chai';
import { CLIENT_ID, CLIENT_SECRET, type Issuer, openIssuer } from 'pinfold-test-servers/issuer';
import { type Served, serve } from '../servers/served.ts';

describe('a server with an issuer of OpenID Connect', () => {
  let issuer: Issuer;
  let server: Served;

  before(async () => {
    issuer = await openIssuer();
    server = await serve({
      PINFOLD_PUBLIC_URL: 'https://pin.test/share',
      PINFOLD_OIDC_ISSUER: issuer.url,
      PINFOLD_OIDC_CLIENT_ID: CLIENT_ID,
      PINFOLD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    });
    issuer.serve('https://pin.test/share/manage/sign-in/oidc');
  });

  after(async () => {
    await server.close();
    await issuer.close();
  });

  it('starts without asking it, and offers its sign-in by the name of its host', async () => {
    const page = await fetch(`http://127.0.0.1:${server.port}/share/manage/sign-in`);
    expect(await page.text()).to.include(`Sign in with ${new URL(issuer.url).host}`);
    expect(issuer.asked).to.deep.equal([]);
  });

  it('sends people there, to come back to the public URL', async () => {
    const begin = `http://127.0.0.1:${server.port}/share/manage/sign-in/oidc/begin`;
    const begun = await fetch(begin, { redirect: 'manual' });
    const wish = new URL(begun.headers.get('location') ?? '');
    expect(wish.searchParams.get('redirect_uri')).to.equal('https://pin.test/share/manage/sign-in/oidc');
    expect(begun.headers.getSetCookie().find((line) => line.startsWith('__Host-pinfold_oidc='))).to.match(
      /; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await fetch(wish, { redirect: 'manual' })).status, 'known there').to.equal(303);
  });
});
