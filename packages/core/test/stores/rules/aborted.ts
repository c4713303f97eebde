import type { RoleStore, SessionStore } from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import {
  anArchiveId,
  anEvent,
  aPublication,
  aRoleId,
  aSession,
  aTokenHash,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { type ClauseTable, expectAbortedAlone, type StoreClauses } from '@pinfold/test-contracts/internal';
import { aChange, aNameToken, publish, set } from './name-store/values.ts';
import type { ModeStores, MovingStores, NameStores } from './stores.ts';

type Call<Port> = (port: Port, signal: AbortSignal) => Promise<unknown>;

/** A clause of a call with a signal, which the store must pass on. */
function aborted<Port>(
  id: string,
  prepare: (port: Port) => Promise<unknown>,
  call: Call<Port>,
): ClauseTable<Port, StoreSubject<Port>> {
  return {
    [`${id}: an aborted signal rejects with its reason`]: async ({ port }) => {
      await prepare(port);
      await expectAbortedAlone({ [id]: (signal) => call(port, signal) });
    },
  };
}

async function publishOne(roles: RoleStore): Promise<void> {
  await publishTo(roles, aPublication(1));
}

export const abortedRoleReads: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  ...aborted<RoleStore>('role-store/load-aborted', publishOne, async (roles, signal) =>
    roles.load(aRoleId(1), signal),
  ),
  ...aborted<RoleStore>('role-store/manifest-aborted', publishOne, async (roles, signal) =>
    roles.loadManifest(anArchiveId(1), signal),
  ),
};

export const abortedSessionReads: ClauseTable<
  SessionStore,
  StoreSubject<SessionStore>
> = aborted<SessionStore>(
  'session-store/find-aborted',
  (sessions) => sessions.begin(aSession(1), [anEvent()]),
  (sessions, signal) => sessions.find(aTokenHash(1), START, signal),
);

export const abortedModeReads: StoreClauses<ModeStores> = aborted<ModeStores>(
  'service-mode/load-aborted',
  async () => {},
  ({ mode }, signal) => mode.load(signal),
);

export const abortedNameReads: StoreClauses<NameStores> = aborted<NameStores>(
  'name-store/resolve-aborted',
  async (stores) => {
    await publish(stores, 1);
    await set(stores, aChange(1));
  },
  ({ names }, signal) => names.resolve(aNameToken(1), signal),
);

export const abortedImportReads: StoreClauses<MovingStores> = aborted<MovingStores>(
  'import/unfinished-aborted',
  async () => {},
  ({ imports }, signal) => imports.isUnfinished(signal),
);
