import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RoleStore, ServiceMode } from '@pinfold/core';
import { NORMAL } from '@pinfold/core/adapter';
import { type ModeStores, type StoreSubject, serviceModeContract } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { derived, type PortShape, part } from './derive.ts';
import type { Mutant } from './mutant.ts';
import { overMemory, type StoreTable } from './over-memory.ts';
import { EVENTS, MODE } from './records.ts';

const { mutant, table } = overMemory<ModeStores>((memory) => memory);

const shape: PortShape<ServiceMode> = {
  suite: 'service-mode',
  code: 'store_unavailable',
  methods: {
    load: {
      takes: { signal: 'signal' },
      answers: MODE,
      early: { value: { kind: 'normal', message: null } },
      clauses: 'unreachable load same-question lets-go load-aborted',
      untested: 'answers.message',
      tested: 'answers.message.{latin,lost,lowered,raised}',
    },
    change: {
      takes: { mode: MODE, events: EVENTS },
      early: { value: undefined },
      clauses: 'unreachable load events changes harness-peer',
      untested: [
        'caches shares takes.events.{list-first,list-reversed}',
        'takes.mode.message.{composed,cut,numeric,quoted,trimmed}',
      ],
    },
  },
  confusions: { clauses: '', untested: '*' },
};

/** Lets a few turns pass, as a round trip would. */
async function later(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await nextTurn();
}

/** A role store that looks at the mode first and writes later. */
function lookingFirst({ roles, mode }: ModeStores): RoleStore {
  return replacing(roles, {
    save: async (role, version, events, authority) => {
      const { kind } = await mode.load();
      if (kind === 'read_only') return await roles.save(role, version, events, authority);
      await later();
      return await roles.save(role, version, events, 'operator');
    },
  });
}

const stories: readonly Mutant<StoreSubject<ModeStores>>[] = [
  mutant('service-mode/events', 'another message is no change', () => ({ mode }) => ({
    mode: replacing(mode, {
      change: async (next, events) => {
        const { kind } = await mode.load();
        await mode.change(next, kind === next.kind ? [] : events);
      },
    }),
  })),
  mutant('service-mode/settled', 'a change looks first and writes later', () => (stores) => ({
    roles: lookingFirst(stores),
  })),
  mutant('service-mode/publications', 'a reserved key is answered in read-only mode', () => {
    const held = new Set<string>();
    return ({ roles, mode }) => ({
      roles: replacing(roles, {
        reserve: async (request) => {
          const outcome = await roles.reserve(request);
          if (outcome.kind === 'reserved') held.add(request.key);
          const { kind } = await mode.load();
          return kind === 'read_only' && held.has(request.key)
            ? { kind: 'in_progress', until: request.until }
            : outcome;
        },
      }),
    });
  }),
  mutant('service-mode/changes', 'keys are created in read-only mode', () => ({ apiKeys }) => ({
    apiKeys: replacing(apiKeys, { create: (key, events) => apiKeys.create(key, events, 'operator') }),
  })),
  mutant('service-mode/viewing', 'nothing at all is saved in read-only mode', () => ({ roles }) => ({
    roles: replacing(roles, {
      save: (role, version, events, authority, credential) =>
        roles.save(role, version, events, authority === 'viewing' ? 'account' : authority, credential),
    }),
  })),
  mutant(
    'service-mode/viewing',
    'a blocked account saves with the authority of viewing',
    () =>
      ({ roles }) => ({
        roles: replacing(roles, {
          save: (role, version, events, authority, credential) =>
            roles.save(role, version, events, authority === 'viewing' ? 'operator' : authority, credential),
        }),
      }),
  ),
  mutant('service-mode/goes-on', 'keys cannot be revoked in read-only mode', () => ({ apiKeys, mode }) => ({
    apiKeys: replacing(apiKeys, {
      revoke: async (id, at, events) =>
        (await mode.load()).kind === NORMAL.kind ? await apiKeys.revoke(id, at, events) : { kind: 'unknown' },
    }),
  })),
];

export const serviceModeTable: StoreTable<ModeStores> = table(serviceModeContract, [
  ...derived(shape, part(mutant, 'mode')),
  ...stories,
]);
