import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFault, type Mode, type RoleStore } from '@pinfold/core';
import { NORMAL } from '@pinfold/core/adapter';
import { type ModeStores, type StoreSubject, serviceModeContract } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { memorySaboteurs, oneForAll, strangers } from './memory-saboteurs.ts';
import { clausesBut, type Sabotage, type Saboteur } from './sabotage.ts';

const { opening, sound, saboteur } = memorySaboteurs<ModeStores>((memory) => memory);

/** Lets a few turns pass, as a round trip would. */
async function later(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await nextTurn();
}

/** A role store that looks at the mode and then writes, whatever has become of it. */
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

const saboteurs: readonly Saboteur<StoreSubject<ModeStores>>[] = [
  {
    breaks: 'service-mode/harness-apart',
    how: 'all subjects are over the same data',
    open: opening(oneForAll),
  },
  {
    breaks: 'service-mode/harness-peer',
    how: 'a peer opens data of its own',
    open: opening(strangers),
    alsoFails: clausesBut(serviceModeContract, [
      'service-mode/harness-apart',
      'service-mode/load-aborted',
      'service-mode/unreachable',
    ]),
  },
  saboteur('service-mode/load', 'each handle keeps the mode that it loaded first', () => ({ mode }) => {
    let seen: Promise<Mode> | undefined;
    return {
      mode: replacing(mode, {
        load: (signal) => {
          seen ??= mode.load();
          return signal?.aborted ? mode.load(signal) : seen;
        },
      }),
    };
  }),
  saboteur('service-mode/load-aborted', 'the signal is not looked at', () => ({ mode }) => ({
    mode: replacing(mode, { load: () => mode.load() }),
  })),
  saboteur(
    'service-mode/events',
    'another message is no change',
    () =>
      ({ mode }) => ({
        mode: replacing(mode, {
          change: async (next, events) => {
            const { kind } = await mode.load();
            await mode.change(next, kind === next.kind ? [] : events);
          },
        }),
      }),
    ['service-mode/harness-peer'],
  ),
  saboteur('service-mode/settled', 'a change looks first and writes later', () => (stores) => ({
    roles: lookingFirst(stores),
  })),
  saboteur('service-mode/publications', 'a key that is held is answered whatever the mode', () => {
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
  saboteur('service-mode/changes', 'keys are made whatever the mode', () => ({ apiKeys }) => ({
    apiKeys: replacing(apiKeys, { create: (key, events) => apiKeys.create(key, events, 'operator') }),
  })),
  saboteur('service-mode/goes-on', 'no key is revoked in maintenance', () => ({ apiKeys, mode }) => ({
    apiKeys: replacing(apiKeys, {
      revoke: async (id, at, events) =>
        (await mode.load()).kind === NORMAL.kind ? await apiKeys.revoke(id, at, events) : { kind: 'unknown' },
    }),
  })),
  saboteur(
    'service-mode/unreachable',
    'a mode that cannot be loaded is the normal one',
    () =>
      ({ mode }) => ({
        mode: replacing(mode, {
          load: (signal) =>
            mode.load(signal).catch((error: unknown) => {
              if (isFault(error)) return NORMAL;
              throw error;
            }),
        }),
      }),
  ),
];

export const serviceModeSabotage: Sabotage<ModeStores, StoreSubject<ModeStores>> = {
  contract: serviceModeContract,
  sound,
  saboteurs,
};
