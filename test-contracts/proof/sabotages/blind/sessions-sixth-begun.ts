import type { AccountId, ApiKeyId, EventActor, Instant, SessionStore, Sha256 } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { everySession } from './sessions-sixth-links.ts';

const { answers, asks } = waysOf<SessionStore>();

/** The last instant that a Date has. */
const LAST_DATE = 8_640_000_000_000_000 as Instant;

export const sixthSessionsBegun: Sabotages<SessionStore> = {
  'keeps one session of an account that started at an instant': () => {
    const started = new Map<string, Sha256>();
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        const key = JSON.stringify([session.account, session.startedAt]);
        const before = started.get(key) ?? session.tokenHash;
        if (before !== session.tokenHash) await store.end(before, []);
        started.set(key, session.tokenHash);
      },
    });
  },
  'finds the last name of the account': () => {
    const names = new Map<AccountId, string | null>();
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        names.set(session.account, session.displayName);
      },
      find: async (...inputs) => {
        const found = await store.find(...inputs);
        return found && { ...found, displayName: names.get(found.account) ?? found.displayName };
      },
    });
  },
  'lists the last kind of a doer of that id': () => {
    const kinds = new Map<string | null, EventActor['kind']>();
    return (store) => ({
      begin: async (session, events) => {
        await store.begin(session, events);
        kinds.set(session.actor.id, session.actor.kind);
      },
      list: async (query) =>
        (await store.list(query)).map((session) => ({
          ...session,
          actor: { ...session.actor, kind: kinds.get(session.actor.id) ?? session.actor.kind },
        })),
    });
  },
  'takes a doer that is a key for the key of the session': asks('begin', (session, events) => [
    session.actor.kind === 'key' ? { ...session, apiKey: session.actor.id as ApiKeyId | null } : session,
    events,
  ]),
  'keeps no id of a doer that is the account': asks('begin', (session, events) => [
    session.actor.id === session.account ? { ...session, actor: { ...session.actor, id: null } } : session,
    events,
  ]),
  'cuts the id of a doer at a colon': answers(
    'find',
    (found) =>
      found && { ...found, actor: { ...found.actor, id: found.actor.id?.split(':')[0] ?? found.actor.id } },
  ),
  'takes the name null for none': asks('begin', (session, events) => [
    { ...session, displayName: session.displayName === 'null' ? null : session.displayName },
    events,
  ]),
  'keeps 255 code units of an account': asks('begin', (session, events) => [
    { ...session, account: session.account.slice(0, 255) },
    events,
  ]),
  'ends a session with the last date': asks('begin', (session, events) => [
    { ...session, endsAt: Math.min(session.endsAt, LAST_DATE) },
    events,
  ]),
  'writes all sessions again when one begins': () => (store) => ({
    begin: async (session, events) => {
      const kept = await everySession(store);
      await store.begin(session, events);
      for (const one of kept) await store.begin(one, []);
    },
  }),
  'begins none of an account that was refused first': () => {
    const [known, refused] = [new Set<AccountId>(), new Set<AccountId>()];
    return (store) => ({
      begin: async (session, events) => {
        if (refused.has(session.account)) return store.end(session.tokenHash, []);
        await store.begin(session, events);
        known.add(session.account);
      },
      refuse: async (event, unlessSince) => {
        await store.refuse(event, unlessSince);
        if (!known.has(event.account)) refused.add(event.account);
      },
    });
  },
};
