import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ZipArchiveInspector } from '@pinfold/archive-zip';
import { defaultLimits, type Sha256, type StagedArchive } from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import type { Row } from '../lib/report.ts';
import { filledSite, zipOf } from '../lib/sites.ts';

const TIMES = 20;

/** The delay of the event loop while archives of 10 MiB are listed and proved. */
export async function loopDelayRow(folder: string): Promise<Row> {
  const archive = zipOf(filledSite(500, 10 * 1_048_576 - 200_000, 50 * 1_048_576 - 1_000));
  const file = join(folder, 'delay.zip');
  await writeFile(file, archive);
  const sha256 = createHash('sha256').update(archive).digest('hex') as Sha256;
  const open = () => createReadStream(file);
  const staged: StagedArchive = { file, open, size: archive.length, sha256, discard: async () => {} };
  const inspector = new ZipArchiveInspector();
  await prove(inspector, staged);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let n = 0; n < TIMES; n += 1) await prove(inspector, staged);
  delay.disable();
  await inspector.close();
  return {
    what: 'event-loop delay p99 while 10 MiB are proved',
    figure: delay.percentile(99) / 1e6,
    unit: 'ms',
    goal: { atMost: 20 },
  };
}

async function prove(inspector: ZipArchiveInspector, archive: StagedArchive): Promise<void> {
  const listing = await inspector.list(archive);
  const { tasks, problems } = judgeListing(listing, defaultLimits);
  const { expandedBytes } = defaultLimits;
  const proof = await inspector.prove({ archive, listing, tasks, expandedBytes });
  if (problems.length + proof.problems.length > 0) throw new Error('the archive of the bench is refused');
}
