import { days, duration } from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import { ApiClient, expectProblem, listIds, publishSite, readPin, withClient } from './api-client.ts';
import type { HttpClauses } from './subject.ts';

const WEEK = days(7);

const NO_UPDATES = [
  '{}',
  '[]',
  'null',
  'true',
  '7',
  '"title"',
  '[{"title":"x"}]',
  '{"title":"x","password":"long enough"}',
  '{"title":"x","reset_expiration":true}',
  '{"title":"x","other":1}',
  '{"title":"x","title":"x"}',
  '{"reset_expiration":true,"reset_expiration":true}',
  '{"other":1}',
  '{"Title":"x"}',
  '{"pinned":true}',
  '{"__proto__":{"title":"x"}}',
  '{"reset_expiration":false}',
  '{"reset_expiration":null}',
  '{"reset_expiration":1}',
  '{"reset_expiration":"true"}',
];

export const changingClauses: HttpClauses = {
  'http/update-title: a title is set, and cleared by an empty string or null; a wrong one is invalid_title and changes nothing':
    withClient(async (client, port) => {
      const { id } = await publishSite(port, { title: 'first' });
      for (const title of ['second', '𠮷'.repeat(255), '', 'third', null, ' \u3000 ']) {
        const { status, body } = await client.update(id, { title });
        expect(status).to.equal(200);
        expect(body.pin.title).to.equal(title === '' ? null : title);
        expect(await readPin(port, id)).to.deep.equal(body.pin);
      }
      const wrong = [
        '{"title":"\\ud800"}',
        '{"title":"a\\u0000"}',
        '{"title":7}',
        '{"title":true}',
        '{"title":["x"]}',
      ];
      for (const body of [...wrong, '{"title":{"a":1}}', JSON.stringify({ title: 'x'.repeat(256) })]) {
        expectProblem(await client.update(id, body), 422, 'invalid_title', body.slice(0, 40));
      }
      expect((await readPin(port, id)).title).to.equal(' \u3000 ');
    }),
  'http/update-password: a password within the limits protects, an empty string or null ends that; a wrong one is invalid_password':
    withClient(async (client, port) => {
      const { id } = await publishSite(port);
      const good = ['12345678', '𠮷'.repeat(18), `${'é'.repeat(35)}xy`, '        '];
      for (const password of good) {
        const { status, body, text } = await client.update(id, { password });
        expect(status, password).to.equal(200);
        expect(body.pin.password_protected).to.equal(true);
        expect(text).not.to.include(password);
      }
      const wrong = [
        '1234567',
        '𠮷'.repeat(7),
        'x'.repeat(73),
        '𠮷'.repeat(19),
        12345678,
        true,
        ['12345678'],
        {},
      ];
      for (const password of wrong) {
        const answer = await client.update(id, { password });
        expectProblem(answer, 422, 'invalid_password', JSON.stringify(password));
        expect(answer.text).not.to.include('1234567');
      }
      expectProblem(await client.update(id, '{"password":"1234567\\ud800"}'), 422, 'invalid_password');
      expect((await readPin(port, id)).password_protected).to.equal(true);
      for (const password of ['', null]) {
        expect((await client.update(id, { password: '12345678' })).body.pin.password_protected).to.equal(
          true,
        );
        expect((await client.update(id, { password })).body.pin.password_protected).to.equal(false);
      }
    }),
  'http/update-expiration: a reset moves the expiration to exactly 7 days after the request': async ({
    port,
  }) => {
    const client = new ApiClient(port);
    const pin = await publishSite(port);
    await port.advance(duration(86_400_123));
    const { status, body } = await client.update(pin.id, { reset_expiration: true });
    expect(status).to.equal(200);
    const moved = Date.parse(body.pin.expires_at ?? '') - Date.parse(pin.published_at);
    expect(moved).to.equal(86_400_123 + WEEK);
    expect(body.pin).to.deep.equal({ ...pin, expires_at: body.pin.expires_at });
    expect(await readPin(port, pin.id)).to.deep.equal(body.pin);
  },
  'http/update-one: a body other than exactly one known member is invalid_update, and changes nothing':
    async ({ port }) => {
      const client = new ApiClient(port);
      const pin = await publishSite(port, { title: 'saved' });
      for (const body of NO_UPDATES) {
        expectProblem(await client.update(pin.id, body), 422, 'invalid_update', body);
      }
      expect(await readPin(port, pin.id)).to.deep.equal(pin);
      expect((await client.update(pin.id, '\ufeff {"title":"with a mark"}')).status).to.equal(200);
      expect((await client.update(pin.id, '{"title":"{\\"title\\":1, \\\\"}')).status).to.equal(200);
    },
  'http/stop: stopping is 204 without a body, for published, pinned and expired roles; the role stays as a deleted one':
    withClient(async (client, port) => {
      const [expired, pinned, published] = [
        await publishSite(port),
        await publishSite(port),
        await publishSite(port),
      ];
      await port.pin(pinned.id);
      await port.advance(days(6));
      expect((await client.update(published.id, { reset_expiration: true })).status).to.equal(200);
      await port.advance(days(2));
      for (const { id } of [expired, pinned, published]) {
        const { status, text } = await client.stop(id);
        expect(status).to.equal(204);
        expect(text).to.equal('');
        const { state, deleted_at: at, published_at: from } = await readPin(port, id);
        expect(state).to.equal('deleted');
        expect(Date.parse(at ?? '') - Date.parse(from)).to.be.within(days(8), days(8) + 60_000);
      }
      expect(await listIds(port)).to.deep.equal([]);
    }),
  'http/pinned: a pinned role has no expiration and does not expire; unpinned, it expires exactly 7 days later':
    async ({ port }) => {
      const pin = await publishSite(port);
      await port.pin(pin.id);
      await port.advance(days(30));
      expect(await readPin(port, pin.id)).to.deep.equal({ ...pin, pinned: true, expires_at: null });
      await port.unpin(pin.id);
      const unpinned = await readPin(port, pin.id);
      expect(unpinned.pinned).to.equal(false);
      await port.advance(duration(WEEK - 3_600_000));
      expect((await readPin(port, pin.id)).state).to.equal('published');
      await port.advance(duration(3_600_000));
      expect((await readPin(port, pin.id)).state).to.equal('expired');
    },
  'http/invalid-state: a change that the state does not permit is 409 invalid_state, and changes nothing':
    async ({ port }) => {
      const client = new ApiClient(port);
      const changes = [
        { title: 'x' },
        { password: '12345678' },
        { password: null },
        { reset_expiration: true },
      ];
      const [expired, pinned, deleted] = [
        await publishSite(port),
        await publishSite(port),
        await publishSite(port),
      ];
      await port.pin(pinned.id);
      expect((await client.stop(deleted.id)).status).to.equal(204);
      await port.advance(WEEK);
      for (const { id } of [expired, deleted]) {
        const before = await readPin(port, id);
        for (const change of changes)
          expectProblem(await client.update(id, change), 409, 'invalid_state', JSON.stringify(change));
        expect(await readPin(port, id)).to.deep.equal(before);
      }
      expectProblem(await client.stop(deleted.id), 409, 'invalid_state', 'stopped again');
      expectProblem(
        await client.update(pinned.id, { reset_expiration: true }),
        409,
        'invalid_state',
        'reset while pinned',
      );
      expect((await client.update(pinned.id, { title: 'x' })).status).to.equal(200);
      expect((await readPin(port, pinned.id)).expires_at).to.equal(null);
    },
  'http/changes-at-once: concurrent changes do not overwrite one another, and a role is stopped once': async (
    subject,
  ) => {
    const { port } = subject;
    const { id } = await publishSite(port, { title: 'before' });
    const changes = [{ title: 'after' }, { password: '12345678' }, { reset_expiration: true }];
    await port.advance(days(1));
    const answers = await together(subject, 12, (node, n) => {
      return new ApiClient(node).update(id, changes[n % changes.length] ?? {});
    });
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    const pin = await readPin(port, id);
    expect(pin.title).to.equal('after');
    expect(pin.password_protected).to.equal(true);
    expect(Date.parse(pin.expires_at ?? '')).to.be.at.least(Date.parse(pin.published_at) + days(8));
    const stops = await together(subject, 6, (node) => new ApiClient(node).stop(id));
    expect(stops.map(({ status }) => status).toSorted()).to.deep.equal([204, 409, 409, 409, 409, 409]);
  },
};
