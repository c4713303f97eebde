import { setTimeout as pause } from 'node:timers/promises';
import { duration } from '@pinfold/core';
import { expect } from 'chai';
import { meanwhile } from '../concurrently.ts';
import { publishSite } from './api-client.ts';
import { zipOf } from './sites.ts';
import type { HttpClauses, HttpService } from './subject.ts';
import {
  HOME,
  openNewSite,
  PASSWORD,
  publishToView,
  SITE,
  type ViewAnswer,
  type ViewRequest,
  Visitor,
} from './viewing-visitor.ts';

const MINUTE = 60_000;
const TRIES = 10;

const FORM = 'application/x-www-form-urlencoded';
const RIGHT = `password=${encodeURIComponent(PASSWORD)}`;

/** Forms that do not count as an attempt; some contain the right password. */
const OTHER_FORMS: readonly (readonly [type: string, body: string])[] = [
  ['application/json', JSON.stringify({ password: PASSWORD })],
  ['text/plain', RIGHT],
  [
    'multipart/form-data; boundary=x',
    `--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nx\r\n--x--\r\n`,
  ],
  [FORM, ''],
  [FORM, 'passwort=x'],
  [FORM, `${RIGHT}&to=/`],
  [FORM, `${RIGHT}&${RIGHT}`],
  [FORM, `password=${'x'.repeat(4_096)}`],
];

/** Headers of a request that a page of another site causes. */
const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'null' },
  { Origin: 'https://evil.example' },
];

async function statusesOf(answers: readonly Promise<ViewAnswer>[]): Promise<Map<number, number>> {
  const counted = new Map<number, number>();
  for (const { status } of await Promise.all(answers)) counted.set(status, (counted.get(status) ?? 0) + 1);
  return counted;
}

/** Advances the service's clock with the real time while `work` runs: waiting attempts use it to check for a place. */
async function advancingTime<Result>(service: HttpService, work: Promise<Result>): Promise<Result> {
  const step = 20;
  return await meanwhile(work, async () => {
    await pause(step);
    await service.advance(duration(step));
  });
}

export const passwordClauses: HttpClauses = {
  'http/view-password-page: a protected publication asks for the password: a page with one field and no action':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const page = await new Visitor(port).open(pin.shared_url);
      expect([page.url, page.status]).to.deep.equal([pin.shared_url, 200]);
      expect(page.text.match(/<input/g)).to.have.length(1);
      expect(page.text)
        .to.match(/<input[^<>]*type="password"/)
        .and.to.match(/autocomplete="current-password"/);
      const [form = ''] = /<form[^<>]*>/.exec(page.text) ?? [];
      expect(form)
        .to.match(/method="post"/i)
        .and.not.to.match(/action/i);
    },
  'http/view-password-published: a password given at publication, percent-encoded, is the one that viewers enter':
    async ({ port }) => {
      const fields = { headers: { 'Pinfold-Password': encodeURIComponent('café + 灯台') } };
      const pin = await publishSite(port, { archive: zipOf(SITE), ...fields });
      const visitor = new Visitor(port);
      expect((await visitor.open(pin.shared_url)).url).to.equal(pin.shared_url);
      expect((await visitor.enter(pin.shared_url, 'caf%C3%A9 + 灯台')).status).to.equal(403);
      const entered = await visitor.enter(pin.shared_url, 'café + 灯台');
      expect(entered.status).to.equal(303);
      expect((await visitor.open(String(entered.headers.location))).text).to.equal(HOME);
    },
  'http/view-password-right: the right password leads with 303 to the requested path, and so does any password if none is needed':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      const entered = await visitor.enter(`${pin.shared_url}?to=/docs/`, PASSWORD);
      expect(entered.status).to.equal(303);
      expect((await visitor.open(String(entered.headers.location))).text).to.equal(SITE['docs/index.html']);
      const open = await openNewSite(port);
      const unasked = await open.visitor.enter(`${open.pin.shared_url}?to=/docs/`, 'any');
      expect([unasked.status, unasked.headers.location]).to.deep.equal([303, `${open.page.url}docs/`]);
    },
  'http/view-password-wrong: a wrong password gets the page again with 403, even one that is too long':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      for (const wrong of ['wrong', '', `${PASSWORD} `, PASSWORD.toUpperCase(), 'x'.repeat(1_025)]) {
        const answer = await visitor.enter(pin.shared_url, wrong);
        expect(answer.status, wrong).to.equal(403);
        expect(answer.text).to.contain('<form');
        expect(answer.headers).not.to.have.property('set-cookie');
      }
    },
  'http/view-password-forms: another form than one field of at most 4 KiB, urlencoded, is a 4xx page and does not count as a try':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      const send = (fields: ViewRequest) => visitor.ask(pin.shared_url, { method: 'POST', ...fields });
      for (const [type, body] of [...OTHER_FORMS, ...OTHER_FORMS]) {
        const { status } = await send({ headers: { 'Content-Type': type }, body });
        expect(status, `${type}: ${body.slice(0, 40)}`)
          .to.be.within(400, 499)
          .and.not.to.equal(429);
      }
      expect((await visitor.enter(pin.shared_url, PASSWORD)).status).to.equal(303);
    },
  'http/view-password-foreign: a form from another site, by Sec-Fetch-Site or else Origin, is 403 and does not count as a try':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      for (const headers of [...FOREIGN, ...FOREIGN, ...FOREIGN]) {
        const answer = await visitor.enter(pin.shared_url, PASSWORD, { headers });
        expect([answer.status, answer.headers['set-cookie']]).to.deep.equal([403, undefined]);
      }
      const own = [
        { 'Sec-Fetch-Site': 'same-origin' },
        { 'Sec-Fetch-Site': 'none' },
        { Origin: new URL(port.baseUrl).origin },
      ];
      for (const headers of own) {
        expect((await visitor.enter(pin.shared_url, PASSWORD, { headers })).status).to.equal(303);
      }
    },
  'http/view-password-limit: after ten wrong passwords of one address in five minutes the answer is 429 with Retry-After, without a check, until they are over':
    async ({ port }) => {
      const pin = await publishToView(port, SITE, PASSWORD);
      const visitor = new Visitor(port);
      for (let time = 0; time < TRIES; time += 1) {
        expect((await visitor.enter(pin.shared_url, 'wrong')).status).to.equal(403);
      }
      const refused = await visitor.enter(pin.shared_url, PASSWORD);
      expect(refused.status).to.equal(429);
      expect(Number(refused.headers['retry-after'])).to.be.within(1, 300);
      const other = await publishToView(port, SITE, PASSWORD);
      expect((await visitor.enter(other.shared_url, PASSWORD)).status).to.equal(303);
      await port.advance(duration(5 * MINUTE));
      expect((await visitor.enter(pin.shared_url, PASSWORD)).status).to.equal(303);
    },
  'http/view-password-race: concurrent guesses, over all nodes, never exceed the limit': async (subject) => {
    const pin = await publishToView(subject.port, SITE, PASSWORD);
    const nodes = [new Visitor(subject.port), new Visitor(await subject.peer())];
    const guesses = Array.from({ length: TRIES }, () =>
      nodes.map((node) => node.enter(pin.shared_url, 'wrong')),
    );
    const statuses = await advancingTime(subject.port, statusesOf(guesses.flat()));
    expect(statuses).to.deep.equal(
      new Map([
        [403, TRIES],
        [429, TRIES],
      ]),
    );
  },
  'http/view-password-together: thirty viewers behind one address who enter the right password at once are all admitted, at one node and at three':
    async (subject) => {
      const services = [subject.port, await subject.peer(), await subject.peer()];
      for (const nodes of [services.slice(0, 1), services]) {
        const pin = await publishToView(subject.port, SITE, PASSWORD);
        const entering = Array.from({ length: 30 }, (_, n) =>
          new Visitor(nodes[n % nodes.length] as HttpService).enter(pin.shared_url, PASSWORD),
        );
        const statuses = await advancingTime(subject.port, statusesOf(entering));
        expect(statuses, `at ${nodes.length}`).to.deep.equal(new Map([[303, 30]]));
      }
    },
  'http/view-password-right-uncounted: right passwords are not counted': async ({ port }) => {
    const pin = await publishToView(port, SITE, PASSWORD);
    for (let time = 0; time < TRIES + 2; time += 1) {
      expect((await new Visitor(port).enter(pin.shared_url, PASSWORD)).status).to.equal(303);
    }
  },
  'http/view-limit-spares-viewers: a viewer with a grant is not affected by wrong passwords of others':
    async ({ port }) => {
      const { pin, visitor, page } = await openNewSite(port, SITE, PASSWORD);
      const guesser = new Visitor(port);
      for (let time = 0; time <= TRIES; time += 1) await guesser.enter(pin.shared_url, 'wrong');
      expect((await visitor.open(page.url)).text).to.equal(HOME);
      expect((await visitor.open(pin.shared_url)).text).to.equal(HOME);
    },
};
