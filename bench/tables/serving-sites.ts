// Many pages, and many sites, each asked for in turn.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPinfold } from '../lib/pinfold.ts';
import { isThere, type RunningServer } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import type { Shipped } from '../lib/serving-candidates.ts';
import { smallPages, writeSite, zipOf } from '../lib/sites.ts';
import { type Candidate, measured, rowsOf, startPeer, target } from '../lib/views.ts';

const SITES = 20_000;
const PUBLISHERS = 16;

/** Every page of a site of 500 in turn. */
export async function pagesRows(
  { server: pinfold }: Shipped,
  folder: string,
  running: RunningServer[],
): Promise<readonly Row[]> {
  const site = smallPages(500);
  const ROOT = join(folder, 'pages');
  await writeSite(site, ROOT);
  const headers = { Host: pinfold.hostOf(await pinfold.publish(zipOf(site), 'pages')) };
  const sirv = await startPeer('sirv', folder, { ROOT });
  running.push(sirv.server);
  const paths = Object.keys(site).map((name) => `/${name}`);
  const ours = { name: 'pinfold', server: pinfold, port: pinfold.port, headers };
  const values = await measured([ours, sirv], (candidate) => ({ ...target(candidate, '/'), paths }));
  return rowsOf('500 pages in turn', values, [['pinfold', 'sirv', 3]]);
}

/** Sites of one page each, and nginx with a folder for each, unzipped; both have files that are not in their caches. */
export async function sitesRows(folder: string, running: RunningServer[]): Promise<readonly Row[]> {
  if (!isThere('nginx')) return [];
  const server = await startPinfold(join(folder, 'sites'), {}, { log: join(folder, 'sites.log') });
  const ROOT = join(folder, 'unzipped');
  const nginx = await startPeer('nginx', folder, { ROOT: `${ROOT}/$host` });
  running.push(server, nginx.server);
  const hosts: string[] = [];
  const publish = async (first: number) => {
    for (let n = first; n < SITES; n += PUBLISHERS) {
      const site = {
        'index.html': new TextEncoder().encode(`<!doctype html><title>${n}</title><p>Site ${n}`),
      };
      const host = server.hostOf(await server.publish(zipOf(site), String(n)));
      await writeSite(site, join(ROOT, host.split(':')[0] ?? ''));
      hosts.push(host);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, (_, n) => publish(n)));
  const list = join(folder, 'hosts');
  await writeFile(list, `${hosts.join('\n')}\n`);
  const ours: Candidate = { name: 'pinfold', server, port: server.port, headers: {} };
  const inTurn = (candidate: Candidate) => ({ ...target(candidate, '/'), hosts: list });
  const values = await measured([ours, nginx], inTurn);
  return rowsOf(`${SITES.toLocaleString('en')} sites of one page in turn`, values, [['pinfold', 'nginx']]);
}
