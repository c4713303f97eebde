import { readFile } from 'node:fs/promises';

const CHARACTERS = 7;

/** The version of this package; one that was made from a clone carries the commit (`0.1.0+g1a2b3c4`). */
export async function release(): Promise<string> {
  const { version, gitHead } = await readManifestIn(new URL('../', import.meta.url));
  const commit = gitHead ?? (await commitOfClone(new URL('../../../', import.meta.url)));
  return commit === undefined ? `${version}` : `${version}+g${commit.slice(0, CHARACTERS)}`;
}

interface Manifest {
  readonly name?: unknown;
  readonly version?: unknown;
  /** The commit from which a package was packed that is no release. */
  readonly gitHead?: string;
}

async function readManifestIn(folder: URL): Promise<Manifest> {
  return JSON.parse(await readFile(new URL('package.json', folder), 'utf8')) as Manifest;
}

/** The commit that a clone of this repository has checked out; `undefined` for any other folder. */
export async function commitOfClone(root: URL): Promise<string | undefined> {
  try {
    if ((await readManifestIn(root)).name !== 'pinfold-workspace') return undefined;
    const head = await readFile(new URL('.git/HEAD', root), 'utf8');
    const [, ref] = /^ref: (\S+)$/m.exec(head) ?? [];
    return commitIn(ref === undefined ? head : await loose(ref, root));
  } catch {
    // A copy without its history, a worktree, or a ref that git has packed in a way of its own.
    return undefined;
  }
}

/** @throws a system error where the ref is neither a file nor among those in one file. */
async function loose(ref: string, root: URL): Promise<string> {
  try {
    return await readFile(new URL(`.git/${ref}`, root), 'utf8');
  } catch {
    const lines = (await readFile(new URL('.git/packed-refs', root), 'utf8')).split('\n');
    return lines.find((line) => line.endsWith(` ${ref}`)) ?? '';
  }
}

function commitIn(text: string): string | undefined {
  return /^[0-9a-f]{40,64}/.exec(text)?.[0];
}
