// Without it each check would pack in its own way. `npm run -s pack:all -- FOLDER` builds, and packs
// what is published into FOLDER.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Manifest, origin, publishedManifest, publishedReadme } from './repository-metadata.ts';

const root = join(import.meta.dirname, '..');

/** The paths of the tarballs for publication; the build must be up to date. */
export function pack(folder: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync(
    'pnpm',
    ['--recursive', '--filter=@pinfold/*', '--filter=pinfold', 'pack', '--pack-destination', resolve(folder)],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) {
    throw new Error(`pnpm pack failed: ${stdout}${stderr}`);
  }
  for (const tarball of tarballs(folder)) finish(tarball);
  return tarballs(folder);
}

/** Adds its origin to a tarball of pnpm. */
function finish(tarball: string): void {
  const { origin: from } = origin();
  const source = folderOf(packageIn(tarball));
  const work = mkdtempSync(join(tmpdir(), 'pinfold-pack-'));
  const change = (name: string, changed: (text: string) => string): void => {
    const file = join(work, 'package', name);
    writeFileSync(file, changed(readFileSync(file, 'utf8')));
  };
  tar('-xzf', tarball, '-C', work);
  // An operator who installs the package has no clone to copy these from.
  if (packageIn(tarball) === 'pinfold')
    cpSync(join(root, 'deploy'), join(work, 'package', 'deploy'), { recursive: true });
  change('README.md', (text) => publishedReadme(text, source, from));
  change('package.json', (text) => {
    const manifest = {
      ...publishedManifest(JSON.parse(text) as Manifest, source, from),
      ...commitOfNoRelease(),
    };
    return `${JSON.stringify(manifest, undefined, 2)}\n`;
  });
  tar('-czf', tarball, '-C', work, 'package');
  rmSync(work, { recursive: true });
}

/** The packed commit, in the form of npm. A release has none, since its version is enough. */
function commitOfNoRelease(): { readonly gitHead?: string } {
  const git = (...args: readonly string[]): string =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  const isRelease = git('tag', '--points-at', 'HEAD')
    .split('\n')
    .some((tag) => /^v\d/.test(tag));
  const gitHead = git('rev-parse', 'HEAD');
  return isRelease || gitHead === '' ? {} : { gitHead };
}

function tar(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar ${args.join(' ')}: ${stderr}`);
}

/** The folder of a package, seen from the root. */
function folderOf(name: string): string {
  const manifests = globSync(['packages/*/package.json', 'test-contracts/package.json'], { cwd: root });
  const found = manifests.find(
    (file) => (JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly name: string }).name === name,
  );
  if (found === undefined) throw new Error(`no folder has the package ${name}`);
  return dirname(found).replaceAll(sep, '/');
}

/** The tarballs that are already in the folder, or else are packed into it. */
export function packed(folder: string): readonly string[] {
  const existing = tarballs(folder);
  return existing.length > 0 ? existing : pack(folder);
}

/** The name of the package in a tarball. */
export function packageIn(tarball: string): string {
  return basename(tarball)
    .replace(/-\d.*$/, '')
    .replace(/^pinfold-/, '@pinfold/');
}

function tarballs(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return names.sort().map((name) => join(folder, name));
}

/** Builds the packages to pack. */
export function build(): void {
  const { status } = spawnSync('pnpm', ['run', 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    throw new Error('what is to be packed could not be built');
  }
}

const [folder] = process.argv.slice(2);
if (import.meta.main) {
  if (folder === undefined) {
    console.error('usage: npm run -s pack:all -- FOLDER');
    process.exit(1);
  }
  build();
  console.log(pack(folder).join('\n'));
}
