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
const ofRoles = part(mutant, 'roles');
const ofMode = part(mutant, 'mode');
const ofKeys = part(mutant, 'apiKeys');

const shape: PortShape<ServiceMode> = {
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
  ofMode('load', 'a message is cut to 255 code units', () => (mode) => ({
    change: (next, events) => mode.change({ ...next, message: next.message?.slice(0, 255) ?? null }, events),
  })),
  ofMode('events', 'another message is no change', () => (mode) => ({
    change: async (next, events) => {
      const { kind } = await mode.load();
      await mode.change(next, kind === next.kind ? [] : events);
    },
  })),
  mutant('settled', 'a change looks first and writes later', () => (stores) => ({
    roles: lookingFirst(stores),
  })),
  ofRoles('publications', 'a reserved key is answered in read-only mode', () => {
    const held = new Set<string>();
    return (roles, { mode }) => ({
      reserve: async (request) => {
        const outcome = await roles.reserve(request);
        if (outcome.kind === 'reserved') held.add(request.key);
        const { kind } = await mode.load();
        return kind === 'read_only' && held.has(request.key)
          ? { kind: 'in_progress', until: request.until }
          : outcome;
      },
    });
  }),
  ofKeys('changes', 'keys are created in read-only mode', () => (apiKeys) => ({
    create: (key, events) => apiKeys.create(key, events, 'operator'),
  })),
  ofRoles('viewing', 'nothing at all is saved in read-only mode', () => (roles) => ({
    save: (role, version, events, authority, credential) =>
      roles.save(role, version, events, authority === 'viewing' ? 'account' : authority, credential),
  })),
  ofRoles('viewing', 'a blocked account saves with the authority of viewing', () => (roles) => ({
    save: (role, version, events, authority, credential) =>
      roles.save(role, version, events, authority === 'viewing' ? 'operator' : authority, credential),
  })),
  ofKeys('goes-on', 'keys cannot be revoked in read-only mode', () => (apiKeys, { mode }) => ({
    revoke: async (id, at, events) =>
      (await mode.load()).kind === NORMAL.kind ? await apiKeys.revoke(id, at, events) : { kind: 'unknown' },
  })),
];

export const serviceModeTable: StoreTable<ModeStores> = table(serviceModeContract, [
  ...derived(shape, part(mutant, 'mode')),
  ...stories,
]);
