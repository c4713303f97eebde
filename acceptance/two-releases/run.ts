// Runs the previous release and the next one on the same data, one after the other and side by side, forward and back.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onOneMachine } from './one-machine.ts';
import { installReleases } from './releases.ts';
import { onTwoNodes } from './two-nodes.ts';

const folder = await mkdtemp(join(tmpdir(), 'pinfold-releases-'));
try {
  const releases = installReleases(folder);
  for (const [role, { name, schema }] of Object.entries(releases))
    console.log(JSON.stringify({ release: role, version: name, schema }));
  for (const drill of [onOneMachine, onTwoNodes]) {
    const drilled = await drill(await mkdtemp(join(folder, 'drill-')), releases);
    console.log(JSON.stringify({ drill: drill.name, ...drilled }));
    if (Object.values(drilled.differences).flat().length > 0) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
