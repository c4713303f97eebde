import { days } from '@pinfold/core';
import { AssertionError, expect } from 'chai';
import { ApiClient } from './api-client.ts';
import type { WireBody } from './api-exchange.ts';
import { sendRequest } from './send-request.ts';
import { zipOf } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';
import { HOME, NAVIGATION, PASSWORD, publishToView, SITE, stop, Visitor } from './viewing-visitor.ts';

async function publishTo(service: HttpService, name: string, password?: string): Promise<WireBody> {
  const headers = password === undefined ? {} : { 'Pinfold-Password': encodeURIComponent(password) };
  const fields = { archive: zipOf(SITE), query: `?name=${name}`, headers };
  const answer = await new ApiClient(service).publish(fields);
  expect(answer.status, answer.text).to.equal(201);
  return answer.body;
}

const DOTS = '/../x /a/.. /./a /%2e%2e/x /a/%2E./x /.%2e /a%2f..%2fb /a/..\\b /a%5c..%5cb'.split(' ');
const [PUBLISHERS, ROUNDS, VIEWERS] = [16, 2, 64];
const UNSAFE = ['//evil.example/', '/\\evil.example/', `/${'a'.repeat(2_048)}`];

export const viewingNameClauses: HttpClauses = {
  'http/view-name: the URL of a name leads with 302 to the shared URL of the publication that it shows, with path and query, on every node and from the first request after a move; other methods are 405':
    async (subject) => {
      const { port } = subject;
      const { pin, name } = await publishTo(port, 'live');
      for (const node of [port, await subject.peer()]) {
        const visitor = new Visitor(node);
        const redirected = await visitor.ask(name.url, { headers: NAVIGATION });
        expect([redirected.status, redirected.headers.location]).to.deep.equal([302, pin.shared_url]);
        expect(redirected.headers['cache-control']).to.equal('no-store');
        expect((await visitor.ask(name.url, { method: 'HEAD' })).headers.location).to.equal(pin.shared_url);
        expect((await visitor.open(name.url)).text).to.equal(HOME);
        expect((await visitor.open(`${name.url}/docs/?q=1`)).text).to.equal(SITE['docs/index.html']);
        expect((await visitor.open(`${name.url}?q=1`)).text).to.equal(HOME);
        const next = (await publishTo(port, 'live')).pin;
        expect((await visitor.ask(name.url)).headers.location, 'moved').to.equal(next.shared_url);
        await new ApiClient(port).sendJson('PUT', '/api/v1/names/live', { pin: pin.id });
        expect((await visitor.ask(name.url)).headers.location, 'moved back').to.equal(pin.shared_url);
      }
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const refused = await new Visitor(port).ask(name.url, { method });
        expect([refused.status, refused.headers.allow], method).to.deep.equal([405, 'GET, HEAD']);
      }
    },
  'http/view-name-path: a path after a name never leaves the publication: with dot segments it is 404, and a path that could lead elsewhere is left out':
    async ({ port }) => {
      const { pin, name } = await publishTo(port, 'live');
      const at = new URL(name.url);
      const answerAt = (inside: string) => sendRequest(port.baseUrl, { path: `${at.pathname}${inside}` });
      for (const inside of DOTS) expect((await answerAt(inside)).status, inside).to.equal(404);
      for (const inside of UNSAFE) {
        const answer = await answerAt(inside);
        expect([answer.status, answer.headers.location], inside).to.deep.equal([302, pin.shared_url]);
      }
      const inside =
        port.viewerMode === 'path' ? '/a/b?c=%2F..' : `?to=${encodeURIComponent('/a/b?c=%2F..')}`;
      expect((await answerAt('/a/b?c=%2F..')).headers.location).to.equal(pin.shared_url + inside);
      const query = port.viewerMode === 'path' ? '/?q=1' : `?to=${encodeURIComponent('/?q=1')}`;
      expect((await answerAt('?q=1')).headers.location).to.equal(pin.shared_url + query);
    },
  'http/view-name-spelling: only the token counts, in its case: with another text before it the answer is 302 to the right URL, with path and query; unknown, malformed and deleted ones are one and the same 404':
    async ({ port }) => {
      const { name } = await publishTo(port, 'live');
      const token = name.url.slice(-22);
      const visitor = new Visitor(port);
      for (const other of ['old', 'LIVE', 'li-ve', '', 'l%69ve']) {
        const redirected = await visitor.ask(`${port.baseUrl}/n/${other}-${token}/a?b=1`);
        expect([redirected.status, redirected.headers.location], other).to.deep.equal([
          302,
          `${name.url}/a?b=1`,
        ]);
      }
      const unknown = await visitor.ask(`${port.baseUrl}/n/live-${'A'.repeat(22)}`);
      expect(unknown.status).to.equal(404);
      const swapped = token.replace(/[A-Za-z]/g, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      await publishTo(port, 'gone');
      const deletedName = await new ApiClient(port).get('/api/v1/names/gone');
      await new ApiClient(port).send({ method: 'DELETE', path: '/api/v1/names/gone' });
      const urls = [
        '',
        'live',
        token,
        `live-${swapped}`,
        `live-${token}x`,
        `live-${token.slice(1)}`,
        `live_${token}`,
      ];
      for (const url of [...urls.map((text) => `${port.baseUrl}/n/${text}`), deletedName.body.name.url]) {
        const answer = await visitor.ask(url);
        expect([answer.status, answer.text], url).to.deep.equal([404, unknown.text]);
      }
    },
  'http/view-name-states: a name that shows a stopped publication is 404 and an expired one 410, and neither moves it; a protected one asks for its password':
    async ({ port }) => {
      const closed = await publishTo(port, 'live', PASSWORD);
      const visitor = new Visitor(port);
      const passwordPage = await visitor.open(`${closed.name.url}/docs/`);
      expect(passwordPage.text).to.match(/type="password"/);
      const entered = await visitor.enter(passwordPage.url, PASSWORD);
      expect((await visitor.open(String(entered.headers.location))).text).to.equal(SITE['docs/index.html']);
      await stop(port, closed.pin.id);
      expect((await visitor.ask(closed.name.url)).status, 'stopped').to.equal(404);
      const open = await publishTo(port, 'live');
      expect(open.name.url).to.equal(closed.name.url);
      await port.advance(days(7));
      expect((await visitor.ask(open.name.url)).status, 'expired').to.equal(410);
      const { name } = (await new ApiClient(port).get('/api/v1/names/live')).body;
      expect(name.pin).to.equal(open.pin.id);
      const anew = await publishToView(port);
      expect((await visitor.ask(anew.shared_url)).status).to.equal(302);
    },
  'http/view-name-at-once: under 16 publishers and 64 viewers, over all nodes, a name is never 404, and shows neither a publication of another account nor one that ended before a later, acknowledged one began':
    async (subject) => {
      const nodes = [subject.port, await subject.peer()];
      const nodeOf = (n: number): HttpService => nodes[n % nodes.length] as HttpService;
      const archive = zipOf(SITE);
      let turn = 0;
      const published: { url: string; began: number; ended: number }[] = [];
      const seen: { url: string | undefined; status: number; began: number }[] = [];
      const publish = async (n: number, key: string): Promise<WireBody> => {
        const answer = await new ApiClient(nodeOf(n), key).publish({ archive, query: '?name=busy' });
        expect(answer.status, answer.text).to.equal(201);
        return answer.body;
      };
      const note = async (n: number): Promise<WireBody> => {
        const began = ++turn;
        const body = await publish(n, subject.port.keys.first);
        published.push({ url: body.pin.shared_url, began, ended: ++turn });
        return body;
      };
      const { name } = await note(0);
      let stillPublishing = PUBLISHERS;
      const publishing = Array.from({ length: PUBLISHERS }, async (_, n) => {
        await publish(n, subject.port.keys.second);
        for (let round = 0; round < ROUNDS; round += 1) await note(n + round);
        stillPublishing -= 1;
      });
      const viewing = Array.from({ length: VIEWERS }, async (_, n) => {
        do {
          const began = ++turn;
          const { status, headers } = await new Visitor(nodeOf(n)).ask(name.url);
          seen.push({ url: headers.location, status, began });
        } while (stillPublishing > 0);
      });
      await Promise.all([...publishing, ...viewing]);
      const shownBy = new Map(published.map((each) => [each.url, each]));
      for (const { url, status, began } of seen) {
        expect(status).to.equal(302);
        const shown = shownBy.get(String(url));
        if (shown === undefined) throw new AssertionError(`${url} is no publication of the name`);
        const newer = published.filter((other) => other.ended < began && shown.ended < other.began);
        expect(newer, 'acknowledged after what was shown, before it was asked for').to.deep.equal([]);
      }
    },
};
