import type { RoleStore, SessionStore, ViewStore } from '@pinfold/core';
import type { Contract, StoreSubject } from '@pinfold/test-contracts';
import { type ClauseTable, toClauses } from '@pinfold/test-contracts/internal';
import {
  abortedImportReads,
  abortedModeReads,
  abortedNameReads,
  abortedRoleReads,
  abortedSessionReads,
} from './aborted.ts';
import { erasureClaimClauses } from './erasure-store/claiming.ts';
import { erasingClauses } from './erasure-store/erasing.ts';
import { expiringClauses } from './history-store/expiring.ts';
import { feedingClauses } from './history-store/feeding.ts';
import { readingClauses as historyReading } from './history-store/reading.ts';
import { recordingOnceClauses } from './history-store/recording-once.ts';
import { storingClauses } from './history-store/storing.ts';
import { importClauses } from './moving/import.ts';
import { importFeed } from './moving/import-feed.ts';
import { snapshotClauses } from './moving/snapshot.ts';
import { changingClauses } from './name-store/changing.ts';
import { publishingClauses } from './name-store/publishing.ts';
import { readingClauses as nameReading } from './name-store/reading.ts';
import { agreeingClauses } from './pairing-store/agreeing.ts';
import { takingClauses as pairingTaking } from './pairing-store/taking.ts';
import { admissionClauses } from './role-store/admission.ts';
import { cleanupClauses } from './role-store/cleanup.ts';
import { commitClauses } from './role-store/commits.ts';
import { keyClauses } from './role-store/keys.ts';
import { leaseClauses } from './role-store/leases.ts';
import { listingClauses } from './role-store/listing.ts';
import { manyClauses } from './role-store/many.ts';
import { roleClauses } from './role-store/roles.ts';
import { sortedClauses } from './role-store/sorted.ts';
import { boundClauses as modeBounds } from './service-mode/bounds.ts';
import { modeClauses } from './service-mode/changing.ts';
import { sessionClauses } from './session-store/clauses.ts';
import { endingClauses, boundClauses as sessionBounds } from './session-store/ending.ts';
import { listClauses } from './session-store/list.ts';
import type {
  HistoryStores,
  ModeStores,
  MovingStores,
  NameStores,
  PairingStores,
  Stores,
  TakedownStores,
} from './stores.ts';
import { forbiddingClauses } from './takedown-store/forbidding.ts';
import { purgingClauses } from './takedown-store/purging.ts';
import { readingClauses as takedownReading } from './takedown-store/reading.ts';
import { takingClauses } from './takedown-store/taking.ts';
import { viewClauses } from './view-store/counting.ts';

type Table<Port> = ClauseTable<Port, StoreSubject<Port>>;

/** The rules of one store of the core, over any database. */
function rules<Port>(port: string, ...tables: readonly Table<Port>[]): Contract<Port, StoreSubject<Port>> {
  return { port, harness: [], clauses: tables.flatMap((table) => toClauses(table)) };
}

export const roleStoreRules: Contract<RoleStore, StoreSubject<RoleStore>> = rules(
  'RoleStore',
  keyClauses,
  leaseClauses,
  commitClauses,
  admissionClauses,
  roleClauses,
  listingClauses,
  sortedClauses,
  cleanupClauses,
  manyClauses,
  abortedRoleReads,
);

export const sessionStoreRules: Contract<SessionStore, StoreSubject<SessionStore>> = rules(
  'SessionStore',
  sessionClauses,
  sessionBounds,
  endingClauses,
  listClauses,
  abortedSessionReads,
);

export const pairingStoreRules: Contract<PairingStores, StoreSubject<PairingStores>> = rules(
  'PairingStore',
  agreeingClauses,
  pairingTaking,
);

export const historyStoreRules: Contract<HistoryStores, StoreSubject<HistoryStores>> = rules(
  'HistoryStore',
  storingClauses,
  historyReading,
  feedingClauses,
  expiringClauses,
  recordingOnceClauses,
);

export const serviceModeRules: Contract<ModeStores, StoreSubject<ModeStores>> = rules(
  'ServiceMode',
  modeClauses,
  modeBounds,
  abortedModeReads,
);

export const takedownStoreRules: Contract<TakedownStores, StoreSubject<TakedownStores>> = rules(
  'TakedownStore',
  takingClauses,
  forbiddingClauses,
  takedownReading,
  purgingClauses,
);

export const erasureStoreRules: Contract<Stores, StoreSubject<Stores>> = rules(
  'ErasureStore',
  erasingClauses,
  erasureClaimClauses,
);

export const nameStoreRules: Contract<NameStores, StoreSubject<NameStores>> = rules(
  'NameStore',
  publishingClauses,
  changingClauses,
  nameReading,
  abortedNameReads,
);

export const viewStoreRules: Contract<ViewStore, StoreSubject<ViewStore>> = rules('ViewStore', viewClauses);

export const snapshotRules: Contract<MovingStores, StoreSubject<MovingStores>> = rules(
  'Snapshot',
  snapshotClauses,
);

export const importRules: Contract<MovingStores, StoreSubject<MovingStores>> = rules(
  'Import',
  importClauses,
  importFeed,
  abortedImportReads,
);
