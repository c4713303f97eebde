import { readFile } from 'node:fs/promises';

const COMMIT_DIGITS = 7;

/** Reads the version of this package; built from a clone, it contains the commit (`0.1.0+g1a2b3c4`). */
export async function readRelease(): Promise<string> {
  const { version, gitHead } = await readManifestIn(new URL('../', import.meta.url));
  const commit = gitHead ?? (await readCloneCommit(new URL('../../../', import.meta.url)));
  return commit === undefined ? `${version}` : `${version}+g${commit.slice(0, COMMIT_DIGITS)}`;
}

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
  /** The commit of a package that was packed without a release. */
  readonly gitHead?: string;
}

async function readManifestIn(folder: URL): Promise<Manifest> {
  return JSON.parse(await readFile(new URL('package.json', folder), 'utf8')) as Manifest;
}

/** Reads the commit that a clone of this repository has checked out; `undefined` for any other folder. */
export async function readCloneCommit(root: URL): Promise<string | undefined> {
  try {
    if ((await readManifestIn(root)).name !== 'pinfold-workspace') return undefined;
    const head = await readFile(new URL('.git/HEAD', root), 'utf8');
    const [, ref] = /^ref: (\S+)$/m.exec(head) ?? [];
    return parseCommit(ref === undefined ? head : await readRef(ref, root));
  } catch {
    // A copy without .git, a worktree, or a ref that git stores in another format.
    return undefined;
  }
}

/** Reads a ref from its file, or else from packed-refs. @throws a system error if neither exists. */
async function readRef(ref: string, root: URL): Promise<string> {
  try {
    return await readFile(new URL(`.git/${ref}`, root), 'utf8');
  } catch {
    const lines = (await readFile(new URL('.git/packed-refs', root), 'utf8')).split('\n');
    return lines.find((line) => line.endsWith(` ${ref}`)) ?? '';
  }
}

function parseCommit(text: string): string | undefined {
  return /^[0-9a-f]{40,64}/.exec(text)?.[0];
}
