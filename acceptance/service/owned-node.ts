import { join } from 'node:path';
import { accountId, type Clock, OPERATOR } from '@pinfold/core';
import { type NodeSettings, openNode } from 'pinfold-proof/service/open-node.ts';
import { type ArchivesKind, newPlace, type RecordsKind } from 'pinfold-proof/service/places.ts';
import { Client } from './client.ts';

/** What records and archives are kept in. */
export interface Backends {
  readonly records: RecordsKind;
  readonly archives: ArchivesKind;
}

export const HERE: Backends = { records: 'sqlite', archives: 'files' };

/** A node that answers requests, in path mode, with an owner who publishes there. */
export type OwnedNode<C extends Clock> = Awaited<ReturnType<typeof openOwnedNode<C>>>;

/** Opens one in a place of its own. */
export async function openOwnedNode<C extends Clock>(
  { records, archives }: Backends,
  clock: C,
  wrap: NonNullable<NodeSettings['wrap']> = (port) => port,
) {
  const place = await newPlace(records, archives);
  const staging = join(place.folder, 'staging');
  /** Where another node finds the same data. */
  const addresses = { records: place.records, archives: place.archives, staging };
  const node = await openNode({ ...addresses, clock, wrap });
  const { text: key } = await node.keys.create({ by: OPERATOR, account: accountId('owner') });
  const close = async (): Promise<void> => {
    await node.close();
    await place.dispose();
  };
  return { place, addresses, clock, node, key, client: new Client(node.url, key), close };
}
