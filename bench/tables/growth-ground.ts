import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresUrl, startPostgres } from 'pinfold-test-servers';
import { startGrowthServer } from '../lib/growth-server.ts';
import { SERVER_CORE } from '../lib/processes.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { copyArchive, type SampledRole, stockPostgres, stockSqlite } from '../lib/stock.ts';

/** The databases that are measured. */
export const DATABASES = ['SQLite', 'PostgreSQL'] as const;

/** A server over a database with a number of roles and events, and files. */
export type Ground = Awaited<ReturnType<typeof openGround>>;

const SAMPLE = 2_000;

/** Creates a database with a first publication, fills it, and serves it on the servers' core. */
export async function openGround(
  database: (typeof DATABASES)[number],
  folder: string,
  roles: number,
  events = 0,
) {
  process.stderr.write(`filling ${database} with ${roles} roles and ${events} events\n`);
  await mkdir(folder);
  const engine = database === 'SQLite' ? undefined : await startPostgres();
  const environment = engine === undefined ? {} : { PINFOLD_DATABASE_URL: postgresUrl(engine.address) };
  const server = await startGrowthServer(folder, environment, SERVER_CORE);
  const archive = zipOf(smallPages(20));
  const id = await server.publish(archive, 'the original');
  const stock =
    engine === undefined ? stockSqlite(join(folder, 'pinfold.sqlite')) : await stockPostgres(engine.address);
  const [original] = await stock.sample(1);
  const stockArchives = (more: readonly SampledRole[]): Promise<void> =>
    copyArchive(join(folder, 'archives'), original?.archive ?? '', more);
  await stock.addRoles(roles);
  await stock.addEvents(events);
  const sample = (await stock.sample(SAMPLE + 1)).filter((role) => role.id !== id);
  await stockArchives(sample);
  let turn = 0;
  return {
    server,
    stock,
    events,
    archive,
    /** Creates the archive of roles whose records name one. */
    stockArchives,
    /** The next of the roles whose archive exists: none comes twice before all came once. */
    next: () => {
      turn += 1;
      return sample[turn % sample.length] as SampledRole;
    },
    close: async (): Promise<void> => {
      await server.stop();
      await stock.close();
      await engine?.stop();
    },
  };
}
