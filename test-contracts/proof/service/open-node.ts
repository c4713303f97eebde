import { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { Clock, Limits, Ports } from '@pinfold/core';
import { HmacGrantSigner, RandomIds, ScryptPasswordHasher } from '@pinfold/platform-node';
import { openFsStaging } from '@pinfold/storage-fs';
import { composed, type Parts } from 'pinfold-test-servers/service';
import { type ArchivesAddress, openArchives, openRecords, type RecordsAddress } from './addresses.ts';

/** What one node of a service is made of. */
export interface NodeSettings {
  readonly records: RecordsAddress;
  readonly archives: ArchivesAddress;
  /** A folder of this node's own, for uploads. */
  readonly staging: string;
  readonly clock: Clock;
  readonly limits?: Partial<Limits>;
  readonly absolutePathsWork?: boolean;
  /** Puts something around each port. */
  readonly wrap?: WrapPort;
  /** An inspector of the caller's, which stays open. */
  readonly inspector?: ZipArchiveInspector;
}

/** Given a port and its name, gives what the node uses instead. */
export type WrapPort = <Port extends object>(port: Port, name: string) => Port;

/** A service without HTTP, put together by hand. */
export interface ServiceNode extends Parts {
  readonly ports: Ports;
  close(): Promise<void>;
}

/** Opens a node; the first one brings the records up to date. */
export async function openNode(settings: NodeSettings): Promise<ServiceNode> {
  const { clock, limits, absolutePathsWork = true, wrap = (port) => port } = settings;
  const records = await openRecords(settings.records);
  await records.migrate();
  const staging = await openFsStaging({ folder: settings.staging, clock });
  const storage = await openArchives(settings.archives, staging, clock);
  const inspector = settings.inspector ?? new ZipArchiveInspector({ workers: 1 });
  const ports: Ports = {
    roles: wrap(records.roles, 'roles'),
    accounts: wrap(records.accounts, 'accounts'),
    mode: wrap(records.mode, 'mode'),
    attempts: wrap(records.attempts, 'attempts'),
    takedowns: wrap(records.takedowns, 'takedowns'),
    names: wrap(records.names, 'names'),
    staging: wrap(staging, 'staging'),
    archives: wrap(storage.archives, 'archives'),
    inspector: wrap(inspector, 'inspector'),
    passwords: new ScryptPasswordHasher({ cost: { logN: 4, r: 8, p: 1 } }),
    grants: new HmacGrantSigner({ secrets: ['a secret that all nodes know'] }),
    clock: wrap(clock, 'clock'),
    ids: new RandomIds(),
  };
  const apiKeys = wrap(records.apiKeys, 'apiKeys');
  const history = wrap(records.history, 'history');
  return {
    ...composed(ports, { ...records, apiKeys, history }, { limits, absolutePathsWork }),
    ports,
    close: async () => {
      if (settings.inspector === undefined) await inspector.close();
      await storage.close();
      await records.close();
    },
  };
}
