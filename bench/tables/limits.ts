import { join } from 'node:path';
import { isThere } from '../lib/processes.ts';
import { type Row, report } from '../lib/report.ts';
import { swaggerSite, writeSite } from '../lib/sites.ts';
import { type Candidate, get, inFolder, measured, rowsOf, startPeer, target } from '../lib/views.ts';

/** Answers of bare Node, each made in one way, beside a server that people use: no server in Node is faster. */
const TABLES = [
  {
    peer: 'sirv',
    path: '/swagger-ui.css',
    figure: 'requests',
    ways: ['304 with its headers', '304 without headers', '304 over bare TCP'],
  },
  {
    peer: 'nginx',
    path: '/swagger-ui-bundle.js',
    figure: 'bytes',
    ways: ['script in one piece', 'script in pieces', 'script over bare TCP'],
  },
] as const;

/** The limits of the runtime itself. */
export async function run(): Promise<void> {
  await inFolder(async (folder, running) => {
    const ROOT = join(folder, 'site');
    await writeSite(await swaggerSite(), ROOT);
    const start = async (script: string, WAY = script): Promise<Candidate> => {
      const candidate = { ...(await startPeer(script, folder, { ROOT, WAY })), name: WAY };
      running.push(candidate.server);
      return candidate;
    };
    const rows: Row[] = [];
    for (const { peer, path, figure, ways } of TABLES) {
      if (peer === 'nginx' && !isThere(peer)) continue;
      const first = await start(peer);
      const candidates = [first];
      for (const way of ways) candidates.push(await start('limits', way));
      const etag = figure === 'requests' ? ((await get(first, path)).etag ?? '') : undefined;
      const condition: Record<string, string> = etag === undefined ? {} : { 'If-None-Match': etag };
      const values = await measured(candidates, (c) => target(c, path, condition), figure);
      rows.push(
        ...rowsOf(
          `${figure} a second`,
          values,
          ways.map((way) => [way, peer]),
        ),
      );
    }
    await report('limits', rows);
  });
}
