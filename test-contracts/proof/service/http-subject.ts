import { join } from 'node:path';
import type { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { HttpService, HttpSubject } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import type { ViewerMode } from '@pinfold/viewer';
import { contractKeys, contractService } from 'pinfold-test-servers/service';
import { type Mount, openNode, type ServiceNode } from './open-node.ts';
import { type ArchivesKind, newPlace, type RecordsKind } from './places.ts';

export interface Combination {
  readonly records: RecordsKind;
  readonly archives: ArchivesKind;
  readonly mount: Mount;
  readonly mode: ViewerMode;
}

/** Opens a service as a subject of the HTTP contracts. Each peer is one more node, with connections and caches of its own. */
export async function openHttpSubject(
  { records, archives, mount, mode }: Combination,
  inspector: ZipArchiveInspector,
): Promise<HttpSubject> {
  const place = await newPlace(records, archives);
  const clock = createManualClock();
  const opened: ServiceNode[] = [];
  const open = async (): Promise<ServiceNode> => {
    const node = await openNode({
      records: place.records,
      archives: place.archives,
      staging: join(place.folder, `staging-${opened.length}`),
      clock,
      inspector,
      mount,
      mode,
      ...(opened[0] === undefined ? {} : { publicPort: opened[0].port }),
    });
    opened.push(node);
    return node;
  };
  const first = await open();
  const keys = await contractKeys(first.keys);
  const serviceOf = (node: ServiceNode): HttpService => contractService({ ...node, clock }, mode, keys);
  return {
    port: serviceOf(first),
    peer: async () => serviceOf(await open()),
    dispose: async () => {
      for (const node of opened) await node.close();
      await place.dispose();
    },
  };
}
