import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArchiveProof, AttemptOutcome, ProofRequest } from '@pinfold/core';
import { checkKeyLimit } from '@pinfold/core/adapter';
import { everyKeyOf, replacing } from '@pinfold/test-contracts/fixtures';
import { storyOf } from './mutant.ts';
import { accounts, apiKeys, attempts, openIn, openInspector, openStaging } from './subjects.ts';

const ofAccounts = storyOf(openIn(accounts));
const ofKeys = storyOf(openIn(apiKeys));
const ofAttempts = storyOf(openIn(attempts));
const ofStaging = storyOf(openStaging);
const ofInspectors = storyOf(openInspector);

export const accountStories = [
  ofAccounts('save-race', 'a save looks first and writes later', () => (stores) => ({
    accounts: replacing(stores.accounts, {
      save: async (account, loadedAt, events) => {
        const isNewest = (await stores.accounts.load(account.name))?.version === loadedAt;
        await nextTurn();
        if (!isNewest) return { kind: 'conflict' };
        const newest = await stores.accounts.load(account.name);
        await stores.accounts.save(account, newest?.version, events);
        return { kind: 'saved' };
      },
    }),
  })),
  ofAccounts('revoked-key', 'a commit looks at the key first and stores later', () => (stores) => ({
    roles: replacing(stores.roles, {
      commit: async (publication, lease, events) => {
        const { key, session = null } = publication.credential ?? {};
        const found = key ? await stores.apiKeys.find(key) : undefined;
        await nextTurn();
        if ((found?.revokedAt ?? null) !== null) return { kind: 'refused', code: 'unauthorized' };
        return await stores.roles.commit({ ...publication, credential: { session } }, lease, events);
      },
    }),
  })),
];

export const apiKeyStories = [
  ofKeys('first', 'creating the first looks first and writes later', () => (store) => ({
    createFirst: async (key, events) => {
      const keys = await store.list(everyKeyOf());
      await nextTurn();
      const created = keys.length === 0 && (await store.create(key, events)).kind === 'created';
      return { kind: created ? 'created' : 'exists' };
    },
  })),
  ofKeys('create-limit', 'creating counts first and writes later', () => (store) => ({
    create: async (key, events, authority, limit = null) => {
      const live = await store.countLive(key.account);
      await nextTurn();
      const outcome = authority === 'operator' ? undefined : checkKeyLimit(live, limit);
      const isTaken = (await store.find(key.id)) !== undefined;
      return (isTaken ? undefined : outcome) ?? (await store.create(key, events, authority));
    },
  })),
];

const UNLIMITED = Number.MAX_SAFE_INTEGER;

export const attemptStories = [
  ofAttempts('race', 'all tries of one turn of the event loop see the counts of the first one', () => {
    let first: Promise<AttemptOutcome> | undefined;
    return (store) => ({
      begin: async (attempt) => {
        const seen = first;
        first ??= store.begin(attempt);
        const outcome = await first;
        await nextTurn();
        first = undefined;
        if (seen === undefined || outcome.kind !== 'admitted') return outcome;
        return await store.begin({ ...attempt, perAddress: UNLIMITED, perRole: UNLIMITED });
      },
    });
  }),
];

export const stagingStories = [
  ofStaging('receive-many', 'two bodies at once are given the same file', () => {
    let running = 0;
    let file: string | undefined;
    return (sound) => ({
      receive: async (body, limit, signal) => {
        running += 1;
        const mixed = running > 1;
        const outcome = await sound.receive(body, limit, signal).finally(() => {
          running -= 1;
        });
        if (outcome.kind !== 'received') return outcome;
        file = mixed ? (file ?? outcome.archive.file) : outcome.archive.file;
        return { kind: 'received', archive: { ...outcome.archive, file } };
      },
    });
  }),
];

/** Accepts every entry with any data. */
function trustSizes({ tasks }: ProofRequest): ArchiveProof {
  const entries = tasks.map(({ entry }) => ({ entry, utf8: true, references: [], secrets: [], whole: true }));
  return { problems: [], entries };
}

export const inspectorStories = [
  ofInspectors('prove-many', 'concurrent proofs share the data of the first', () => {
    let running = 0;
    return (sound) => ({
      prove: async (request, signal) => {
        running += 1;
        const alone = running === 1;
        try {
          const proof = await sound.prove(request, signal);
          return alone ? proof : trustSizes(request);
        } finally {
          running -= 1;
        }
      },
    });
  }),
];
