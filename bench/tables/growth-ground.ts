import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from 'pinfold-test-servers';
import { type GrowthServer, startGrowthServer } from '../lib/growth-server.ts';
import { SERVER_CORE } from '../lib/processes.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { archiveFile, copyArchive, type SampledRole, type Stocked } from '../lib/stock.ts';
import { stockPostgres } from '../lib/stock-postgres.ts';
import { onlyManifest, stockSqlite } from '../lib/stock-sqlite.ts';
import { send } from './uploads.ts';

/** A server over a database with so many roles, and files. */
export interface Ground {
  readonly server: GrowthServer;
  readonly stock: Stocked;
  /** The next of the roles whose archive is there: none comes twice before all came. */
  readonly next: () => SampledRole;
  readonly archive: Uint8Array<ArrayBuffer>;
  /** Gives roles an archive, after records named one. */
  stockArchives(roles: readonly SampledRole[]): Promise<void>;
  close(): Promise<void>;
}

const SAMPLE = 2_000;

/** Makes a database by its first publication, fills it, and serves it on the servers' core. */
export async function openGround(
  database: 'SQLite' | 'PostgreSQL',
  folder: string,
  count: number,
): Promise<Ground> {
  process.stderr.write(`filling ${database} with ${count} roles\n`);
  await mkdir(folder);
  const engine = database === 'SQLite' ? undefined : await startPostgres();
  const environment = engine === undefined ? {} : { PINFOLD_DATABASE_URL: urlOf(engine) };
  const server = await startGrowthServer(folder, environment, SERVER_CORE);
  const archive = zipOf(smallPages(20));
  const published = await send(server, archive, 'the original');
  if (published.status !== 201) throw new Error(`publishing: ${published.status} ${published.body}`);
  const file = join(folder, 'pinfold.sqlite');
  const stock =
    engine === undefined
      ? stockSqlite(file, onlyManifest(file).manifest)
      : await stockPostgres(engine.address, engine.address.database);
  const [original] = await stock.sample(1);
  const archives = join(folder, 'archives');
  const stockArchives = (roles: readonly SampledRole[]): Promise<void> =>
    copyArchive(archives, archiveFile(archives, original?.archive ?? ''), roles);
  await stock.addRoles(count);
  const sample = (await stock.sample(SAMPLE + 1)).filter(({ id }) => id !== original?.id);
  await stockArchives(sample);
  let turn = 0;
  return {
    server,
    stock,
    archive,
    stockArchives,
    next: () => {
      turn += 1;
      return sample[turn % sample.length] as SampledRole;
    },
    close: async () => {
      await server.stop();
      await stock.close();
      await engine?.stop();
    },
  };
}

/** The address of a server's own database. */
export function urlOf({ address }: PostgresServer): string {
  const { user, password, host, port, database } = address;
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
}
