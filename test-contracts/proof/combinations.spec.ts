import { type HttpSubject, httpApiContract, httpViewingContract } from '@pinfold/test-contracts';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { describeContract } from '@pinfold/test-contracts/mocha';
import type { ViewerMode } from '@pinfold/viewer';
import { contractKeys, contractService } from 'pinfold-test-servers/service';
import { MOUNTS, type Mount, openNode } from './service/open-node.ts';
import { ARCHIVES, type ArchivesKind, newPlace, RECORDS, type RecordsKind } from './service/places.ts';

interface Combination {
  readonly records: RecordsKind;
  readonly archives: ArchivesKind;
  readonly mount: Mount;
  readonly mode: ViewerMode;
}

const MODES: readonly ViewerMode[] = ['origin', 'path'];

/** The mounts and modes take turns. The doors' own tests check every clause in memory. */
const COMBINATIONS: readonly Combination[] = RECORDS.flatMap((records, n) =>
  ARCHIVES.map((archives, m): Combination => {
    const turn = n * ARCHIVES.length + m;
    const mount = MOUNTS[turn % MOUNTS.length] as Combination['mount'];
    return { records, archives, mount, mode: MODES[(n + m + (turn >> 1)) % MODES.length] as ViewerMode };
  }),
).slice(1);

/** Clauses that do not depend on the stores: the first combination checks them. */
const OF_NO_STORE = [
  'routes|answers|head|urls|document.*|early-answer|title|filename|archive-size|form|media-type|broken-request',
  'invalid-archive|idempotency-key|list-query|update-one|view-types|view-target|view-methods|view-service-worker',
  'view-languages|view-letter-case|view-too-many-cookies|view-return-path|view-addresses|view-password-forms',
  'view-password-foreign|agent-guide|warnings|dry-run|archive-name|view-host|view-paths|view-resolution',
  'view-fallbacks|view-way-in|view-cookie-mark|view-forget|view-never-stored',
];
/** Clauses that depend only on records: every kind of records checks them with archives in memory. */
const OF_RECORDS = [
  'names?-.*|created-grant.*|list.*|limits|update-.*|order-update|not-found|unauthorized|forbidden|problems',
  'pinned|invalid-state|changes-at-once|mismatch|parallel.*|publish-password|publish-name|view-names?(?:-.*)?',
  'view-grant.*|view-password-.*|view-limit-.*|view-siblings-.*|view-misdirected|view-pages|view-unknown',
  'view-path-after|view-protection-removed',
];
/** Clauses that depend only on archives: every kind of archives checks them with records in memory. */
const OF_ARCHIVES = ['archive-.*', 'view-(?:gzip|uncoded|svgz|conditional|range|head|headers)'];

const without = (...ids: readonly string[]): RegExp => new RegExp(`^http/(?!(?:${ids.join('|')})$)`);

/** Opens a service as a subject of the HTTP contracts. Each peer is one more node. */
async function openHttpSubject({ records, archives, mount, mode }: Combination): Promise<HttpSubject> {
  const place = await newPlace(records, archives);
  const node = await openNode({ ...place, clock: createManualClock(), mount, mode });
  const keys = await contractKeys(node.keys);
  return {
    port: contractService(node, mode, keys),
    peer: async () => contractService(await node.peer(), mode, keys),
    dispose: async () => {
      await node.close();
      await place.dispose();
    },
  };
}

for (const [turn, combination] of COMBINATIONS.entries()) {
  const { records, archives, mount, mode } = combination;
  const name = `${records} and ${archives} in ${mount}, ${mode} mode`;
  const create = () => openHttpSubject(combination);
  const ofOthers = [
    ...OF_NO_STORE,
    ...(archives === 'memory' ? [] : OF_RECORDS),
    ...(records === 'memory' ? [] : OF_ARCHIVES),
  ];
  const leftOut = turn === 0 ? [] : ofOthers;
  describeContract(httpApiContract, { name, create, clauses: without(...leftOut) });
  // The harness is the same.
  describeContract(httpViewingContract, { name, create, clauses: without(...leftOut, 'harness-.*') });
}
