import type { ArchiveStorage, ServiceMode } from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import { memoryAccountStore } from './memory-account-store.ts';
import { memoryApiKeyStore } from './memory-api-key-store.ts';
import { memoryArchiveStorage } from './memory-archive-storage.ts';
import { memoryAttemptCounter } from './memory-attempt-counter.ts';
import { MemoryData } from './memory-data.ts';
import { memoryHistoryStore } from './memory-history-store.ts';
import { memoryImport } from './memory-import.ts';
import { memoryNameStore } from './memory-name-store.ts';
import { memoryPairingStore } from './memory-pairing-store.ts';
import { memoryRoleStore } from './memory-role-store.ts';
import { memorySessionStore } from './memory-session-store.ts';
import { memorySnapshot } from './memory-snapshot.ts';
import { memoryTakedownStore } from './memory-takedown-store.ts';
import { memoryViewStore } from './memory-view-store.ts';

/** Every store over one set of data in this process. It has no schema to migrate, and no clock for `check` to tell. */
export interface Memory extends Persistence {
  readonly archives: ArchiveStorage;
  /** Opens one more handle on the same data, as another node would; each is closed by itself. */
  peer(): Memory;
}

/**
 * Opens stores that keep everything in the memory of this process: empty at first, gone with the last handle.
 *
 * @example
 * import { createMemory } from '@pinfold/memory';
 *
 * const memory = createMemory();
 * console.log(await memory.archives.list(undefined, 10)); // []
 */
export function createMemory(): Memory {
  return handleOn(new Connection(new MemoryData()));
}

function handleOn(connection: Connection): Memory {
  return {
    roles: memoryRoleStore(connection),
    accounts: memoryAccountStore(connection),
    apiKeys: memoryApiKeyStore(connection),
    attempts: memoryAttemptCounter(connection),
    sessions: memorySessionStore(connection),
    history: memoryHistoryStore(connection),
    mode: memoryServiceMode(connection),
    takedowns: memoryTakedownStore(connection),
    views: memoryViewStore(connection),
    snapshot: memorySnapshot(connection),
    imports: memoryImport(connection),
    pairings: memoryPairingStore(connection),
    names: memoryNameStore(connection),
    archives: memoryArchiveStorage(connection),
    migrate: async () => void connection.open(),
    check: async (signal) => {
      connection.open(signal);
      return undefined;
    },
    close: async () => connection.close(),
    peer: () => handleOn(connection.peer()),
  };
}

export function memoryServiceMode(connection: Connection): ServiceMode {
  return {
    load: async (signal) => connection.open(signal).mode,
    change: async (mode, events) => {
      const data = connection.change();
      const { kind, message } = data.mode;
      if (kind === mode.kind && message === mode.message) return;
      data.mode = mode;
      storeEvents(data, events);
    },
  };
}
