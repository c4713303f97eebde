import { duration } from '@pinfold/core';
import { expect } from 'chai';
import { ApiClient, expectProblem, UNKNOWN_ID } from './api-client.ts';
import type { HttpClauses, HttpService } from './subject.ts';
import { change, HOME, NAVIGATION, PASSWORD, publishToView, SITE, stop, Visitor } from './viewing-visitor.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

async function grantFor(
  service: HttpService,
  id: string,
): Promise<{ readonly url: string; readonly expires_at: string }> {
  const { status, text, body } = await new ApiClient(service).createGrant(id);
  expect(status, text).to.equal(201);
  return body.grant;
}

async function asksForPassword(service: HttpService, url: string): Promise<boolean> {
  return (await new Visitor(service).open(url)).text.includes('type="password"');
}

export const createdGrantClauses: HttpClauses = {
  'http/created-grant: a created grant opens a protected site without its password on every node, as often as it is opened within a minute':
    async (subject) => {
      const { port } = subject;
      const pin = await publishToView(port, SITE, PASSWORD);
      const { url, expires_at } = await grantFor(port, pin.id);
      expect(url.startsWith(port.viewerMode === 'path' ? `${pin.shared_url}?grant=` : 'http')).to.equal(true);
      for (const service of [port, await subject.peer(), port]) {
        const visitor = new Visitor(service);
        const entered = await visitor.ask(url, { headers: NAVIGATION });
        expect(entered.status).to.equal(302);
        expect(entered.headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
        const page = await visitor.open(String(entered.headers.location));
        expect(page.text).to.equal(HOME);
        expect((await visitor.part(page, 'app.js')).text).to.equal('run()');
      }
      const visitor = new Visitor(port);
      const page = await visitor.open(url);
      await port.advance(duration(MINUTE));
      const ended = await new Visitor(port).ask(url, { headers: NAVIGATION });
      expect(ended.headers).to.include({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      expect(await asksForPassword(port, url)).to.equal(true);
      expect((await visitor.open(page.url)).text, 'with the grant').to.equal(HOME);
      const validFor = Date.parse(expires_at) - Date.parse(pin.published_at);
      expect(validFor).to.be.within(12 * HOUR, 12 * HOUR + MINUTE);
      await port.advance(duration(12 * HOUR - MINUTE));
      expect((await visitor.open(page.url)).text).to.include('type="password"');
    },
  'http/created-grant-revoked: a created grant ends with a new password, a reset of the expiration and a stop':
    async ({ port }) => {
      for (const update of [{ password: PASSWORD }, { reset_expiration: true }]) {
        const pin = await publishToView(port, SITE, PASSWORD);
        const { url } = await grantFor(port, pin.id);
        await change(port, pin.id, update);
        expect(await asksForPassword(port, url), JSON.stringify(update)).to.equal(true);
      }
      const pin = await publishToView(port, SITE, PASSWORD);
      const { url } = await grantFor(port, pin.id);
      await stop(port, pin.id);
      expect((await new Visitor(port).open(url)).status).to.equal(404);
    },
  'http/created-grant-own-site: a created grant admits only to its own publication, and is no cookie':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const other = await publishToView(port, SITE, PASSWORD);
      const { url } = await grantFor(port, pin.id);
      expect(await asksForPassword(port, url.replaceAll(pin.id, other.id))).to.equal(true);
      const entered = await new Visitor(port).ask(url, { headers: NAVIGATION });
      const [name = ''] = entered.headers['set-cookie']?.[0]?.split('=') ?? [];
      const Cookie = `${name}=${new URL(url).searchParams.get('grant')}`;
      const passwordPage = await new Visitor(port).ask(pin.shared_url, {
        headers: { ...NAVIGATION, Cookie },
      });
      expect(passwordPage.status).to.equal(200);
    },
  'http/created-grant-open: for an open publication the URL is the shared one; no grant outlives its publication':
    async ({ port }) => {
      const pin = await publishToView(port);
      expect((await grantFor(port, pin.id)).url).to.equal(pin.shared_url);
      await port.advance(duration(6 * DAY + 18 * HOUR));
      expect(await grantFor(port, pin.id)).to.deep.equal({ url: pin.shared_url, expires_at: pin.expires_at });
      await change(port, pin.id, { password: PASSWORD });
      expect((await grantFor(port, pin.id)).expires_at).to.equal(pin.expires_at);
    },
  'http/created-grant-refused: scope, media type, JSON, members, role and state are checked in this order; a body may be absent or {}':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const own = new ApiClient(port);
      expect((await own.createGrant(pin.id, '{}')).status).to.equal(201);
      for (const type of [{}, { 'Content-Type': 'application/json' }]) {
        const headers = { 'Transfer-Encoding': 'chunked', ...type };
        const request = { method: 'POST', path: `/api/v1/pins/${pin.id}/grants`, headers };
        expect((await own.send({ ...request, body: '' })).status, JSON.stringify(type)).to.equal(201);
      }
      expectProblem(await new ApiClient(port, port.keys.readOnly).createGrant(pin.id, '{'), 403, 'forbidden');
      const path = `/api/v1/pins/${UNKNOWN_ID}/grants`;
      const untyped = { method: 'POST', path, headers: { 'Transfer-Encoding': 'chunked' }, body: '{}' };
      expectProblem(await own.send(untyped), 415, 'unsupported_media_type');
      const typed = { method: 'POST', path, headers: { 'Content-Type': 'text/plain' }, body: '{' };
      expectProblem(await own.send(typed), 415, 'unsupported_media_type');
      for (const [body, status, code] of [
        ['{', 400, 'invalid_request'],
        ['[]', 422, 'invalid_update'],
        ['null', 422, 'invalid_update'],
        ['{"password":"x"}', 422, 'invalid_update'],
        ['{}', 404, 'not_found'],
      ] as const) {
        expectProblem(await own.createGrant(UNKNOWN_ID, body), status, code, body);
      }
      expectProblem(await own.createGrant('no-uuid'), 404, 'not_found');
      expectProblem(await new ApiClient(port, port.keys.second).createGrant(pin.id), 404, 'not_found');
      expectProblem(await own.send({ path: `/api/v1/pins/${pin.id}/grants` }), 405, 'method_not_allowed');
      await port.advance(duration(7 * DAY));
      expectProblem(await own.createGrant(pin.id), 409, 'invalid_state');
      await stop(port, pin.id);
      expectProblem(await own.createGrant(pin.id), 404, 'not_found');
    },
};
