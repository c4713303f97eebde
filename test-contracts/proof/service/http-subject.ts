import { join } from 'node:path';
import type { ZipArchiveInspector } from '@pinfold/archive-zip';
import type { HttpService, HttpSubject } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import type { ViewerMode } from '@pinfold/viewer';
import { contractKeys, contractService } from 'pinfold-test-servers/service';
import { openNode, type ServiceNode } from './open-node.ts';
import { type ArchivesKind, newPlace, type RecordsKind } from './places.ts';
import { type Mount, type ServedNode, serveNode } from './serve-node.ts';

/** One way to put a service together. */
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
  const opened: { readonly node: ServiceNode; readonly served: ServedNode }[] = [];
  const open = async (): Promise<ServiceNode & ServedNode> => {
    const node = await openNode({
      records: place.records,
      archives: place.archives,
      staging: join(place.folder, `staging-${opened.length}`),
      clock,
      inspector,
      absolutePathsWork: mode === 'origin',
    });
    const publicPort = opened[0]?.served.port;
    const served = await serveNode(node, {
      mount,
      mode,
      ...(publicPort === undefined ? {} : { publicPort }),
    });
    opened.push({ node, served });
    return { ...node, ...served };
  };
  const first = await open();
  const keys = await contractKeys(first.keys);
  const serviceOf = (one: ServiceNode & ServedNode): HttpService =>
    contractService({ ...one, clock }, mode, keys);
  return {
    port: serviceOf(first),
    peer: async () => serviceOf(await open()),
    dispose: async () => {
      for (const { node, served } of opened) {
        await served.close();
        await node.close();
      }
      await place.dispose();
    },
  };
}
