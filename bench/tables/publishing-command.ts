import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startPinfold } from '../lib/pinfold.ts';
import { EVERY_CORE, NODE, type RunningServer } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { filledSite, type Site, swaggerSite } from '../lib/sites.ts';
import { compared, inRounds } from '../lib/statistics.ts';

const ROUNDS = 9;
const MiB = 1_048_576;
const MAIN = join(import.meta.dirname, '../../packages/pinfold/src/main.ts');

/** The duration of `pinfold publish`, compared with `zip -qr` and curl, on a server with every core. */
export async function commandRows(folder: string, running: RunningServer[]): Promise<readonly Row[]> {
  const pinfold = await startPinfold(join(folder, 'command'), {}, { core: EVERY_CORE });
  running.push(pinfold);
  const key = pinfold.authorization.replace('Bearer ', '');
  const url = `http://127.0.0.1:${pinfold.port}`;
  const rows: Row[] = [];
  const sites: readonly (readonly [string, Site, number | undefined])[] = [
    ['15 files / 1.2 MB', await swaggerSite(), undefined],
    ['500 files / 10 MiB', filledSite(500, 10 * MiB - 200_000, 12 * MiB), 2.5],
  ];
  for (const [name, site, goal] of sites) {
    const place = join(folder, `site-${Object.keys(site).length}`);
    await writeFiles(site, place);
    const command = timed(async () => {
      const env = {
        ...process.env,
        PINFOLD_URL: url,
        PINFOLD_KEY: key,
        NODE_COMPILE_CACHE: join(folder, 'cache'),
      };
      const [program = '', ...args] = [...NODE, MAIN, 'publish', place];
      const child = spawn(program, args, { env, stdio: 'ignore' });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`pinfold publish: ${code}`);
    });
    const script =
      'cd "$PLACE" && rm -f "$ZIP" && zip -qr "$ZIP" . && curl -sSf -o /dev/null -H "Authorization: Bearer $KEY" ' +
      '-H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" -F "archive=@$ZIP;type=application/zip" "$URL/api/v1/pins"';
    const zipAndCurl = timed(async () => {
      const env = { ...process.env, PLACE: place, ZIP: `${place}.zip`, KEY: key, URL: url };
      execFileSync('sh', ['-c', script], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    });
    const candidates = { 'pinfold publish': command, 'zip + curl': zipAndCurl };
    for (const warm of Object.values(candidates)) for (let n = 0; n < 3; n += 1) await warm();
    const values = await inRounds(candidates, ROUNDS);
    const figure = compared(values['pinfold publish'], values['zip + curl']);
    const what = `pinfold publish, ${name}`;
    rows.push({
      what,
      figure,
      unit: '× zip + curl',
      values,
      ...(goal === undefined ? {} : { goal: { atMost: goal } }),
    });
  }
  return rows;
}

function timed(work: () => Promise<void>): () => Promise<number> {
  return async () => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
}

async function writeFiles(site: Site, folder: string): Promise<void> {
  for (const [name, bytes] of Object.entries(site)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
}
