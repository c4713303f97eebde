import { type AddressInfo, connect } from 'node:net';
import { accountId, type IdentityProvider, type Person } from '@pinfold/core';
import { expect } from 'chai';
import express from 'express';
import { CLIENT_ID, CLIENT_SECRET, type Issuer, openIssuer } from 'pinfold-test-servers/issuer';
import { closed, listening } from 'pinfold-test-servers/service';
import { SlowIssuer } from 'pinfold-test-servers/slow-issuer';
import { openPinfold, type RequestEntry } from '../../src/index.ts';
import { newFolder } from '../servers/new-folder.ts';
import { type Served, serve } from '../servers/served.ts';

describe('a server with an OpenID Connect issuer', () => {
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

  it('starts without a request to the issuer, and offers its sign-in by its host name', async () => {
    const page = await fetch(`http://127.0.0.1:${server.port}/share/manage/sign-in`);
    expect(await page.text()).to.include(`Sign in with ${new URL(issuer.url).host}`);
    expect(issuer.requests).to.deep.equal([]);
  });

  it('redirects people to the issuer, which returns them to the public URL', async () => {
    const begin = `http://127.0.0.1:${server.port}/share/manage/sign-in/oidc/begin`;
    const begun = await fetch(begin, { redirect: 'manual' });
    const authorization = new URL(begun.headers.get('location') ?? '');
    expect(authorization.searchParams.get('redirect_uri')).to.equal(
      'https://pin.test/share/manage/sign-in/oidc',
    );
    expect(begun.headers.getSetCookie().find((line) => line.startsWith('__Host-pinfold_oidc='))).to.match(
      /; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await fetch(authorization, { redirect: 'manual' })).status, 'known to the issuer').to.equal(303);
  });
});

describe('a server with an issuer that does not answer', () => {
  let issuer: SlowIssuer;
  let server: Served;
  const entries: RequestEntry[] = [];

  before(async () => {
    issuer = await SlowIssuer.listen();
    const settings = {
      PINFOLD_OIDC_ISSUER: issuer.url,
      PINFOLD_OIDC_CLIENT_ID: CLIENT_ID,
      PINFOLD_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    };
    server = await serve(settings, { onRequest: (entry) => entries.push(entry) });
  });

  after(async () => {
    await server.close();
    await issuer.close();
  });

  for (const leave of ['end', 'resetAndDestroy'] as const) {
    it(`aborts the exchange if the browser closes the page (${leave})`, async () => {
      const path = '/manage/sign-in/oidc';
      const begun = await fetch(`http://127.0.0.1:${server.port}${path}/begin`, { redirect: 'manual' });
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state');
      const cookies = begun.headers.getSetCookie().map((line) => line.split(';')[0]);
      const browser = connect(server.port, '127.0.0.1');
      const head = [
        `GET ${path}?code=a&state=${state} HTTP/1.1`,
        'Host: 127.0.0.1',
        `Cookie: ${cookies.join('; ')}`,
      ];
      browser.write(`${head.join('\r\n')}\r\n\r\n`);
      const exchanges = issuer.tokens.length + 1;
      await issuer.untilTokens(exchanges);
      browser[leave]();
      await issuer.tokens.at(-1)?.isClosed;
      while (entries.at(-1)?.route !== path) await new Promise(setImmediate);
      // It did not end by a timeout, which would send an answer.
      expect(entries.pop()).to.include({ gone: true }).and.not.have.property('outcome');
    });
  }
});

describe('an identity provider of your own', () => {
  it('signs people in to the management screen of an embedded Pinfold', async () => {
    const dataDir = newFolder();
    const person: Person = { account: accountId('ada'), id: 'u1', displayName: 'Ada L.', scope: 'manage' };
    const identityProvider: IdentityProvider = {
      name: 'Harbour',
      begin: async (returnUrl) => ({
        kind: 'begun',
        url: `https://harbour.example/?to=${returnUrl}`,
        browserState: 'kept',
      }),
      finish: async (cameBack, savedState, { client }) =>
        client === '127.0.0.1' && savedState === 'kept' && cameBack.endsWith('/manage/sign-in/oidc?ok=1')
          ? { kind: 'recognized', person }
          : { kind: 'failed', problem: 'forgotten' },
      signOutUrl: async () => undefined,
    };
    const pinfold = await openPinfold({
      dataDir,
      publicUrl: 'http://pins.test',
      logLevel: 'silent',
      identityProvider,
    });
    const server = await listening();
    try {
      server.on('request', express().use('/manage', pinfold.management));
      const { port } = server.address() as AddressInfo;
      const screen = `http://127.0.0.1:${port}/manage`;
      expect(await (await fetch(`${screen}/sign-in`)).text()).to.include('Sign in with Harbour');
      const begun = await fetch(`${screen}/sign-in/oidc/begin`, { redirect: 'manual' });
      expect(begun.headers.get('location')).to.equal(
        'https://harbour.example/?to=http://pins.test/manage/sign-in/oidc',
      );
      const cookies = begun.headers.getSetCookie().map((line) => line.split(';')[0]);
      const back = await fetch(`${screen}/sign-in/oidc?ok=1`, {
        redirect: 'manual',
        headers: { cookie: cookies.join('; ') },
      });
      expect(back.status).to.equal(303);
      const session = back.headers.getSetCookie().map((line) => line.split(';')[0]);
      const inside = await fetch(`${screen}/`, { headers: { cookie: [...cookies, ...session].join('; ') } });
      expect(await inside.text()).to.include('Ada L.');
    } finally {
      await closed(server);
      await pinfold.close();
    }
  });
});
