import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { httpApiContract, httpViewingContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import type { ViewerMode } from '@pinfold/viewer';
import { type Combination, openHttpSubject } from './service/http-subject.ts';
import { ARCHIVES, RECORDS } from './service/places.ts';
import { MOUNTS } from './service/serve-node.ts';

const MODES: readonly ViewerMode[] = ['origin', 'path'];

/**
 * All pairs of records and archives, each mount in each mode at least once. What the ports promise is checked beside
 * each adapter; here it is what clients see of any two of them together.
 */
const COMBINATIONS: readonly Combination[] = RECORDS.flatMap((records, n) =>
  ARCHIVES.map((archives, m): Combination => {
    const turn = n * ARCHIVES.length + m;
    const mount = MOUNTS[turn % MOUNTS.length] as Combination['mount'];
    return { records, archives, mount, mode: MODES[(n + m + (turn >> 1)) % MODES.length] as ViewerMode };
  }),
);

const inspector = new ZipArchiveInspector({ workers: 1 });
after(() => inspector.close());

for (const combination of COMBINATIONS) {
  const { records, archives, mount, mode } = combination;
  const name = `${records} and ${archives} in ${mount}, ${mode} mode`;
  const create = () => openHttpSubject(combination, inspector);
  describeContract(httpApiContract, { name, create });
  describeContract(httpViewingContract, { name, create });
}
