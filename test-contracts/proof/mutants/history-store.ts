import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventQuery, EventThinning, HistoryEvent, HistoryStore, Instant } from '@pinfold/core';
import { type HistoryStores, historyStoreContract, type StoreSubject } from '@pinfold/test-contracts';
import { anEvent, aSession, replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Fields } from './distortions.ts';
import { feedMutants, feedShape } from './feed.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { EVENT } from './records.ts';

const { mutant, table } = overMemory<HistoryStores>((memory) => memory);
const ofSessions = part(mutant, 'sessions');
const ofRoles = part(mutant, 'roles');
const ofKeys = part(mutant, 'apiKeys');
const ofAccounts = part(mutant, 'accounts');

const QUERY: Fields<EventQuery> = {
  account: 'text',
  pin: 'uuid',
  since: 'instant',
  after: { at: 'instant', id: 'uuid' },
  limit: 'count',
};
const THINNING: Fields<EventThinning> = { since: 'instant', until: 'instant', keep: 'count', limit: 'count' };

const shape: PortShape<HistoryStore> = {
  methods: {
    list: {
      takes: { query: QUERY },
      answers: { items: [EVENT], next: { at: 'instant', id: 'uuid' } },
      early: { value: { items: [], next: undefined } },
      clauses: 'unreachable list-order list-pages list-filter same-question',
      untested: [
        'answers.items.account answers.items.address.stuck answers.items.request.stuck',
        'answers.next.id.{cut,stuck} takes.query.account takes.query.after.id.{cut,stuck}',
        'takes.query.limit.more takes.query.pin.stuck takes.query.since.stuck',
      ],
      tested: [
        'answers.items.account.{lost,lowered,raised,stuck}',
        'takes.query.account.{lost,lowered,raised,stuck}',
      ],
    },
    feed: feedShape,
    expired: {
      takes: { by: 'instant', limit: 'count' },
      answers: [{ role: 'uuid', account: 'text', expiresAt: 'instant' }],
      clauses: 'unreachable expired same-question',
      untested: 'answers.{account,list-reversed} takes.by.stuck',
      tested: 'answers.account.{lost,raised}',
    },
    tellExpired: {
      takes: { events: [EVENT] },
      clauses: 'unreachable tell-expired-once tell-expired-conflicts expired feed-order',
      untested: 'caches shares takes',
      tested: [
        'takes.events.{at,list-emptied,list-first,list-shortened,pin} takes.events.account.{lost,raised}',
        'takes.events.actor.id.{cut,lost,raised} takes.events.asOperator.raised',
        'takes.events.id.{cut,ended,lost} takes.events.recordedAt.{earlier,later,lost,wrapped}',
      ],
    },
    drop: {
      takes: { recordedBefore: 'instant', limit: 'count' },
      answers: 'count',
      clauses: 'unreachable drop',
      untested: 'shares',
      tested: 'repeats',
    },
    thin: {
      takes: { thinning: THINNING },
      answers: 'count',
      clauses: 'unreachable thin',
      untested: 'shares takes.thinning.limit.stuck',
      tested: 'repeats',
    },
  },
  confusions: { clauses: 'list-filter', untested: '*', tested: 'account.{lowered,raised}' },
};

const ofHistory = part(mutant, 'history');

let others = 1_000;

/** Stores events without a change of their own. */
async function keepAlone({ sessions }: HistoryStores, events: readonly HistoryEvent[]): Promise<void> {
  others += 1;
  await sessions.begin(aSession(others), events);
}

const stories: readonly Mutant<StoreSubject<HistoryStores>>[] = [
  ofRoles(
    'with-publication',
    'a commit stores its events even when it stores nothing else',
    () => (_, stores) => ({
      commit: async (publication, lease, events) => {
        const outcome = await stores.roles.commit(publication, lease, []);
        await keepAlone(stores, events);
        return outcome;
      },
    }),
  ),
  ofRoles('with-change', 'a save that conflicts stores its events', () => (_, stores) => ({
    save: async (role, version, events, ...more) => {
      const outcome = await stores.roles.save(role, version, events, ...more);
      if (outcome.kind === 'conflict') await keepAlone(stores, events);
      return outcome;
    },
  })),
  ofRoles('with-cleanup', 'settling a lost claim stores its events', () => (_, stores) => ({
    settleCleanup: async (task, outcome, events) => {
      await stores.roles.settleCleanup(task, outcome, []);
      await keepAlone(stores, events);
    },
  })),
  ofKeys('with-keys', 'revoking a key again stores the event again', () => (_, stores) => ({
    revoke: async (id, at, events) => {
      const outcome = await stores.apiKeys.revoke(id, at, []);
      if (outcome.kind === 'revoked') await keepAlone(stores, events);
      return outcome;
    },
  })),
  ofSessions('with-sessions', 'the event of a redeemed link has no actor', () => (_, stores) => ({
    redeem: async (request, events) => {
      const outcome = await stores.sessions.redeem(request, []);
      const actor = { kind: 'operator', id: null } as const;
      if (outcome.kind === 'redeemed') {
        const { account } = outcome.session;
        await keepAlone(
          stores,
          events.map((event) => ({ ...event, account, actor })),
        );
      }
      return outcome;
    },
  })),
  ofSessions('with-sessions', 'the end of a session leaves one event', () => (sessions) => ({
    end: (tokenHash, events) => sessions.end(tokenHash, events.slice(0, 1)),
  })),
  ofSessions('refused-sign-ins', 'all accounts share one bound', () => (_, stores) => ({
    refuse: async (event, unlessSince) => {
      const { items } = await stores.history.list({
        account: undefined,
        pin: undefined,
        since: (unlessSince + 1) as Instant,
        after: undefined,
        limit: 1,
      });
      if (items.length === 0) await stores.sessions.refuse(event, unlessSince);
    },
  })),
  ofRoles('in-turn', 'events are stored with their own instants, not in sequence', () => (_, stores) => ({
    save: async (role, version, events, ...more) => {
      const outcome = await stores.roles.save(role, version, [], ...more);
      if (outcome.kind === 'saved') await keepAlone(stores, events);
      return outcome;
    },
  })),
  ofHistory('list-pages', 'a page starts after the instant of the last item', () => (history) => ({
    list: (query) => {
      const { after } = query;
      const behind = after && { ...after, id: '' as HistoryEvent['id'] };
      return history.list({ ...query, after: behind });
    },
  })),
  ofHistory('list-filter', 'with a role the account is not looked at', () => (history) => ({
    list: (query) => history.list(query.pin === undefined ? query : { ...query, account: undefined }),
  })),
  ofHistory('list-filter', 'events are looked for by when they were recorded', () => (history) => ({
    list: async (query) => {
      const page = await history.list({ ...query, since: undefined });
      const { since = 0 } = query;
      return { ...page, items: page.items.filter(({ recordedAt }) => recordedAt >= since) };
    },
  })),
  ofHistory('tell-expired-once', 'a role that does not expire ends a batch', () => (_, stores) => ({
    tellExpired: async (events) => {
      const isTold = async ({ pin, at }: HistoryEvent): Promise<boolean> =>
        pin !== null && (await stores.roles.load(pin))?.value.expiresAt === at;
      const [first] = events;
      if (first !== undefined && (await isTold(first))) await stores.history.tellExpired(events);
    },
  })),
  ofHistory('tell-expired-once', 'expirations are recorded by an outdated look', () => (_, stores) => ({
    tellExpired: async (events) => {
      const [event] = events;
      const role = event?.pin == null ? undefined : await stores.roles.load(event.pin);
      await nextTurn();
      await stores.history.tellExpired(events);
      if (role !== undefined && event !== undefined)
        await keepAlone(stores, [{ ...event, id: anEvent().id }]);
    },
  })),
  mutant(
    'tell-expired-conflicts',
    'a change that was decided before an expiration was recorded is saved',
    () => {
      const seen = new Map<unknown, unknown>();
      return (stores) => ({
        roles: replacing(stores.roles, {
          save: async (role, version, events, ...more) => {
            const now = await stores.roles.load(role.id);
            const wasTold = seen.get(role.id) === version;
            return await stores.roles.save(role, wasTold && now ? now.version : version, events, ...more);
          },
        }),
        history: replacing(stores.history, {
          tellExpired: async (events) => {
            for (const { pin } of events) {
              if (pin !== null) seen.set(pin, (await stores.roles.load(pin))?.version);
            }
            await stores.history.tellExpired(events);
          },
        }),
      });
    },
  ),
  ofAccounts('with-accounts', 'changes of an account store no events', () => (_, stores) => ({
    save: (account, loadedAt) => stores.accounts.save(account, loadedAt, []),
  })),
  ofHistory('many', 'no more than 500 are dropped at a time', () => (history) => ({
    drop: (before, limit) => history.drop(before, Math.min(limit, 500)),
  })),
];

export const historyStoreTable: StoreTable<HistoryStores> = table(historyStoreContract, [
  ...derived(shape, ofHistory),
  ...stories,
  ...feedMutants(ofHistory),
]);
