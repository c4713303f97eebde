import { accountId, type Clock, OPERATOR } from '@pinfold/core';
import { openNode, type WrapPort } from 'pinfold-proof/service/open-node.ts';
import { type ArchivesKind, newPlace, type RecordsKind } from 'pinfold-proof/service/places.ts';
import { Client } from './client.ts';

/** The backends of records and archives. */
export interface Backends {
  readonly records: RecordsKind;
  readonly archives: ArchivesKind;
}

export const LOCAL_BACKENDS: Backends = { records: 'sqlite', archives: 'files' };

/** A node that answers requests, in path mode, with an owner who publishes there. */
export type OwnedNode<C extends Clock> = Awaited<ReturnType<typeof openOwnedNode<C>>>;

/** Opens a node over new, empty backends. */
export async function openOwnedNode<C extends Clock>(
  { records, archives }: Backends,
  clock: C,
  wrap: WrapPort = (port) => port,
) {
  const { dispose, ...addresses } = await newPlace(records, archives);
  const node = await openNode({ ...addresses, clock, wrap });
  const { text: key } = await node.keys.create({ by: OPERATOR, account: accountId('owner') });
  const close = async (): Promise<void> => {
    await node.close();
    await dispose();
  };
  return { addresses, clock, node, key, client: new Client(node.url, key), close };
}
