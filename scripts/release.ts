// Without it a release would be fifteen steps by hand, of whatever happens to be built. `npm run release` proves the
// workspace, packs it, checks what is packed, and publishes what the registry has not got yet: run again after a
// failure, it continues. `npm run release -- --pack FOLDER` publishes nothing: it writes the tarballs and SHA256SUMS to
// a folder, from which the workflow publishes them, with provenance, in a job that runs no code of a dependency.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack, packageIn } from './pack.ts';
import { originIn } from './repository-metadata.ts';

/** Runs a program; its exit code. */
export type Run = (file: string, ...args: readonly string[]) => number;

interface Workspace {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The version of the package `pinfold`, and of all others. */
  readonly version: string;
  readonly changesets: readonly string[];
  /** The files that are not committed, as git lists them. */
  readonly uncommitted: string;
  /** The files of {@link VERSIONED}. */
  readonly documents: readonly string[];
}

/** Files that name the release. */
const VERSIONED = [
  'UPGRADING.md',
  'deploy/kubernetes.yaml',
  'deploy/github-action/action.yml',
  'deploy/gitlab-ci.yml',
  'docs/ci.md',
];

/** The reasons why this cannot be released yet; none if it can. */
export function obstacle(workspace: Workspace): string | undefined {
  const { manifest, version, changesets, uncommitted, documents } = workspace;
  const { missing } = originIn(manifest);
  if (missing.length > 0)
    return `package.json has no ${missing.join(', ')}: say where the repository is, as https URLs`;
  if (changesets.length > 0)
    return `${changesets.length} changesets wait: run pnpm changeset version, and commit`;
  if (uncommitted !== '') return 'there are changes that are not committed';
  if (documents.some((document) => !document.includes(version))) {
    return `one of ${VERSIONED.join(', ')} does not name ${version}`;
  }
  return undefined;
}

/** Publishes the packages that the registry lacks in this version. */
export function publish(tarballs: readonly string[], version: string, run: Run): void {
  for (const tarball of tarballs) {
    const name = `${packageIn(tarball)}@${version}`;
    if (run('npm', 'view', name, 'version') === 0) continue;
    if (run('npm', 'publish', tarball, '--access=public') !== 0) throw new Error(`${name} was not published`);
  }
}

/** The list of tarballs that sha256sum reads. */
export function sumsOf(tarballs: readonly string[]): string {
  const sum = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
  return tarballs.map((tarball) => `${sum(tarball)}  ${basename(tarball)}\n`).join('');
}

const root = join(import.meta.dirname, '..');
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');

function workspace(): Workspace {
  return {
    manifest: JSON.parse(read('package.json')),
    version: JSON.parse(read('packages', 'pinfold', 'package.json')).version,
    changesets: readdirSync(join(root, '.changeset')).filter((file) => /^(?!README).*\.md$/.test(file)),
    uncommitted: spawnSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).stdout,
    documents: VERSIONED.map((file) => read(file)),
  };
}

function release(folder: string | undefined): void {
  const released = workspace();
  const reason = obstacle(released);
  if (reason !== undefined) {
    console.error(`release: ${reason}`);
    process.exitCode = 1;
    return;
  }
  const run: Run = (file, ...args) => spawnSync(file, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
  const prove: Run = (...command) => {
    const status = run(...command);
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
    return status;
  };
  prove(process.execPath, 'scripts/run.mjs', 'test');
  const tarballs = pack(folder ?? mkdtempSync(join(tmpdir(), 'pinfold-release-')));
  if (folder === undefined) publish(tarballs, released.version, run);
  else writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(tarballs));
}

if (import.meta.main) release(parseArgs({ options: { pack: { type: 'string' } } }).values.pack);
