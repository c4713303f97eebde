import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { packageIn } from '../../scripts/pack.ts';

/** The commit that serves as the previous release. */
const PREVIOUS = '4d0b28669a599d4d009dbfcd417a7c7b7c044205';

const root = join(import.meta.dirname, '../..');
const SOURCES = ['--conditions=@pinfold/source', join(root, 'packages/pinfold/src/main.ts')];

/** Two releases, one after the other. */
export interface Releases {
  readonly previous: Release;
  readonly next: Release;
}

/** A release that was packed from a commit, and installed like a user would. */
export interface Release {
  /** The output of `pinfold version`. */
  readonly name: string;
  /** The arguments with which Node runs the command. */
  readonly command: readonly string[];
  /** The version of the schema that it creates. */
  readonly schema: number;
}

const COLUMN_MORE = `{
  version: 2,
  release: '0.2.0',
  oldestVersion: 1,
  sql: 'ALTER TABLE roles ADD COLUMN remark TEXT; CREATE INDEX roles_remark ON roles (remark)',
}`;
/** By file: the end of the list of migrations, and with a further one. */
const LISTED: Readonly<Record<string, readonly [end: string, longer: string]>> = {
  'packages/persistence-sqlite/src/schema/migrate.ts': [
    "join(';\\n') }];",
    `join(';\\n') }, ${COLUMN_MORE}];`,
  ],
  'packages/persistence-postgres/src/database/postgres-database.ts': [
    '[newestMigration(sql)];',
    `[newestMigration(sql), ${COLUMN_MORE}];`,
  ],
};

/** Installs the previous release, and the next one: this commit, with a column more unless it migrates by itself. */
export function installReleases(folder: string): Releases {
  const previous = install(PREVIOUS, join(folder, 'previous'));
  const today = schemaOf(join(folder, 'today'), SOURCES);
  const next = install('HEAD', join(folder, 'next'), today > previous.schema ? undefined : addColumn);
  if (next.schema <= previous.schema) throw new Error('both releases have the same schema');
  return { previous, next };
}

function addColumn(clone: string): void {
  for (const [file, [end, longer]] of Object.entries(LISTED)) {
    const source = readFileSync(join(clone, file), 'utf8');
    if (!source.includes(end)) throw new Error(`${file} has no "${end}" any more`);
    writeFileSync(join(clone, file), source.replace(end, longer));
  }
}

function install(commit: string, folder: string, change: (clone: string) => void = () => {}): Release {
  const [clone, packages] = [join(folder, 'clone'), join(folder, 'packages')];
  mkdirSync(packages, { recursive: true });
  const hash = run(root, 'git', 'rev-parse', '--verify', `${commit}^{commit}`);
  run(folder, 'git', 'clone', '--quiet', '--no-checkout', root, clone);
  run(clone, 'git', 'checkout', '--quiet', '--detach', hash);
  change(clone);
  run(clone, 'npm', 'run', '--silent', 'setup');
  run(clone, 'npm', 'run', '--silent', 'pack:all', '--', packages);
  const tarballs = globSync('*.tgz', { cwd: packages }).map((file) => join(packages, file));
  const ours = Object.fromEntries(tarballs.map((file) => [packageIn(file), `file:${file}`]));
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, dependencies: ours, overrides: ours }),
  );
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error');
  const command = [join(folder, 'node_modules/pinfold/dist/main.js')];
  const name = run(folder, process.execPath, ...command, 'version');
  return { name, command, schema: schemaOf(join(folder, 'data'), command) };
}

/** Creates a database with a release, and returns the version of its schema. */
function schemaOf(data: string, command: readonly string[]): number {
  mkdirSync(data);
  run(data, 'env', `PINFOLD_DATA_DIR=${data}`, process.execPath, ...command, 'migrate');
  const database = new DatabaseSync(join(data, 'pinfold.sqlite'), { readOnly: true });
  const state = database.prepare('SELECT version FROM schema_state').get();
  database.close();
  return Number(state?.version);
}

function run(cwd: string, program: string, ...args: readonly string[]): string {
  const env = { ...process.env, NODE_OPTIONS: '', CI: 'true' };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} in ${cwd}\n${stdout}${stderr}`);
  return stdout.trim();
}
