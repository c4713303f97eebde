import { join } from 'node:path';
import { accountId, OPERATOR } from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { openNode, type ServiceNode } from 'pinfold-proof/service/open-node.ts';
import { type ArchivesKind, newPlace, type RecordsKind } from 'pinfold-proof/service/places.ts';
import { type ServedNode, serveNode } from 'pinfold-proof/service/serve-node.ts';
import { Client } from '../service/client.ts';
import type { VictimOrders } from './victim.ts';

/** What both nodes keep everything in. */
export interface Backends {
  readonly records: RecordsKind;
  readonly archives: ArchivesKind;
}

/** A node that lives, over the same data and in the same folders as the one that is killed. */
export interface Survivor {
  readonly node: ServiceNode;
  readonly served: ServedNode;
  readonly clock: ManualClock;
  readonly client: Client;
  readonly key: string;
  /** Where the victim finds what the survivor has. */
  readonly shared: Pick<VictimOrders, 'records' | 'archives' | 'staging'>;
  dispose(): Promise<void>;
}

export async function openSurvivor({ records, archives }: Backends): Promise<Survivor> {
  const place = await newPlace(records, archives);
  const staging = join(place.folder, 'staging');
  const clock = createManualClock();
  const addresses = { records: place.records, archives: place.archives, staging };
  const node = await openNode({ ...addresses, clock });
  const served = await serveNode(node, { mode: 'path' });
  const { text: key } = await node.manageKeys.create({ by: OPERATOR, account: accountId('owner') });
  return {
    node,
    served,
    clock,
    key,
    client: new Client(served.url, key),
    shared: addresses,
    dispose: async () => {
      await served.close();
      await node.close();
      await place.dispose();
    },
  };
}
