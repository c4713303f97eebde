import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { packageIn } from '../../scripts/pack.ts';

/** The commit that serves as the previous release. */
const PREVIOUS = '162cff89ec090716618d62f41c43746cf8190bb7';

const root = join(import.meta.dirname, '../..');

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

/** Installs the previous release, and this commit as the next one, which must have a newer schema. */
export function installReleases(folder: string): Releases {
  const previous = install(PREVIOUS, join(folder, 'previous'));
  const next = install('HEAD', join(folder, 'next'));
  if (next.schema <= previous.schema) throw new Error('both releases have the same schema');
  return { previous, next };
}

function install(commit: string, folder: string): Release {
  const [clone, packages] = [join(folder, 'clone'), join(folder, 'packages')];
  mkdirSync(packages, { recursive: true });
  const hash = run(root, 'git', 'rev-parse', '--verify', `${commit}^{commit}`);
  run(folder, 'git', 'clone', '--quiet', '--no-checkout', root, clone);
  run(clone, 'git', 'checkout', '--quiet', '--detach', hash);
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
