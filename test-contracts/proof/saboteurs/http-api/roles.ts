import { setImmediate } from 'node:timers/promises';
import type { HttpSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { retargeting } from '../http-viewing/tampers.ts';
import type { Saboteur } from '../sabotage.ts';
import { becomes, changing, is, pinIn, saboteur } from './answers.ts';

const ROLE = /^\/api\/v1\/pins\/[0-9a-f-]{36}$/;

/** What is wrong with reading. */
export const readingSaboteurs: readonly Saboteur<HttpSubject>[] = [
  saboteur('read', 'an id in upper case is unknown', {
    tamper: () => retargeting((target) => target.replace(/^\/api\/v1\/pins\/.*[A-F].*/, '/api/v1/pins/none')),
  }),
  changing('not-found', 'an id that is no UUID is told otherwise', (answer, { url = '' }) => {
    if (answer.status === 404 && !ROLE.test(url)) answer.json.detail = 'Send an id that is a UUID.';
  }),
  saboteur('list', 'a page begins with its oldest', {
    ports:
      () =>
      ({ roles }) => ({
        roles: replacing(roles, {
          list: async (query) => {
            const page = await roles.list(query);
            return { ...page, items: page.items.toReversed() };
          },
        }),
      }),
  }),
  saboteur('list-query', 'a parameter may come twice', {
    tamper: () => retargeting((target) => target.replace('limit=1&limit=1', 'limit=1')),
  }),
  saboteur('list-key', 'a key does not find a stopped role', {
    ports:
      () =>
      ({ roles }) => ({
        roles: replacing(roles, {
          list: async (query) => {
            const page = await roles.list(query);
            if (query.idempotencyKey === undefined) return page;
            return { ...page, items: page.items.filter(({ deletedAt }) => deletedAt === null) };
          },
        }),
      }),
  }),
  changing('limits', 'titles are told to be longer than they may be', ({ json }) => {
    if (json.limits !== undefined) Object.assign(json.limits as object, { title_characters: 256 });
  }),
];

/** What is wrong with changes. */
export const changingSaboteurs: readonly Saboteur<HttpSubject>[] = [
  changing('update-title', 'a changed title is trimmed', (answer, request) => {
    if (!is(answer, request, 'PATCH', 200)) return;
    const { title } = pinIn(answer);
    if (typeof title === 'string') pinIn(answer).title = title.trim();
  }),
  changing('update-password', 'the answer to a change shows no protection', (answer, request) => {
    if (is(answer, request, 'PATCH', 200)) pinIn(answer).password_protected = false;
  }),
  changing('update-expiration', 'a reset is rounded to the second', (answer, request) => {
    if (!is(answer, request, 'PATCH', 200)) return;
    const pin = pinIn(answer);
    if (typeof pin.expires_at === 'string') pin.expires_at = pin.expires_at.replace(/\.\d{3}Z$/, '.000Z');
  }),
  changing('update-one', 'null is no JSON', (answer, request) => {
    const isNull = request.headers['content-length'] === '4';
    if (is(answer, request, 'PATCH', 422) && isNull) becomes(answer, 400, 'invalid_request');
  }),
  changing('stop', 'when a role was stopped is not told', (answer, request) => {
    if (is(answer, request, 'GET', 200) && ROLE.test(request.url ?? '')) pinIn(answer).deleted_at = null;
  }),
  changing(
    'pinned',
    'a pinned role shows an expiration',
    (answer, request) => {
      if (!is(answer, request, 'GET', 200) || !ROLE.test(request.url ?? '')) return;
      const pin = pinIn(answer);
      pin.expires_at ??= pin.published_at;
    },
    ['invalid-state'],
  ),
  changing('invalid-state', 'the reset of a pinned role is no update', (answer) => {
    const [error] = (answer.json.errors ?? []) as readonly { readonly rule: string }[];
    if (error?.rule === 'pinned') becomes(answer, 422, 'invalid_update');
  }),
  saboteur('changes-at-once', 'a change is stored over what came between', {
    ports:
      () =>
      ({ roles }) => ({
        roles: replacing(roles, {
          // A store that answers in the same turn leaves nothing between.
          load: async (id, signal) => {
            const loaded = await roles.load(id, signal);
            await setImmediate();
            return loaded;
          },
          save: async (role, version, events, authority) => {
            const saved = await roles.save(role, version, events, authority);
            const newest = await roles.load(role.id);
            if (saved.kind === 'saved' || newest === undefined) return saved;
            return roles.save(role, newest.version, events, authority);
          },
        }),
      }),
  }),
];
