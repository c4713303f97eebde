import type { ApiKeyStore, ArchiveStorage, AttemptCounter, RoleStore, SessionStore } from '@pinfold/core';
import { Connection } from './connection.ts';
import { MemoryApiKeyStore } from './memory-api-key-store.ts';
import { MemoryArchiveStorage } from './memory-archive-storage.ts';
import { MemoryAttemptCounter } from './memory-attempt-counter.ts';
import { emptyData } from './memory-data.ts';
import { MemoryRoleStore } from './memory-role-store.ts';
import { MemorySessionStore } from './memory-session-store.ts';

/** Every store over one set of data in this process. */
export interface Memory {
  readonly roles: RoleStore;
  readonly apiKeys: ApiKeyStore;
  readonly attempts: AttemptCounter;
  readonly sessions: SessionStore;
  readonly archives: ArchiveStorage;
  /** Does nothing: memory has no schema. It is here so that a handle can be exchanged for that of a database. */
  migrate(): Promise<void>;
  /**
   * Resolves while the handle is open, with no instant: memory has no clock. An aborted signal rejects with its reason.
   *
   * @throws Fault `store_unavailable` once the handle was closed.
   */
  check(signal?: AbortSignal): Promise<undefined>;
  /** Closes this handle, and none of its peers. Closing again does nothing. */
  close(): Promise<void>;
  /** Opens one more handle on the same data, as another node would. */
  peer(): Memory;
}

/**
 * Opens stores that keep everything in the memory of this process: empty at first, gone with the last handle.
 *
 * @example
 * const memory = createMemory();
 * await memory.roles.load(id);
 */
export function createMemory(): Memory {
  return handleOn(new Connection(emptyData()));
}

function handleOn(connection: Connection): Memory {
  return {
    roles: new MemoryRoleStore(connection),
    apiKeys: new MemoryApiKeyStore(connection),
    attempts: new MemoryAttemptCounter(connection),
    sessions: new MemorySessionStore(connection),
    archives: new MemoryArchiveStorage(connection),
    migrate: async () => void connection.open(),
    check: async (signal) => {
      signal?.throwIfAborted();
      connection.open();
      return undefined;
    },
    close: async () => connection.close(),
    peer: () => handleOn(connection.peer()),
  };
}
