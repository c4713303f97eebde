import { chunksOf } from './chunks.ts';

/** A name of an entry; folders end with `/`. */
interface Named {
  readonly name: string;
}

const SLASH = 47;

/** Files whose path is also a folder of another entry, in time linear in all names. Rests between stretches of work. */
export function* filesThatAreFolders<E extends Named>(
  entries: readonly Named[],
  files: readonly E[],
): Generator<void, readonly E[]> {
  const byHash = new Map<number, E[]>();
  for (const chunk of chunksOf(files)) {
    for (const file of chunk) add(byHash, hashOf(file.name), file);
    yield;
  }
  const conflicts = new Set<E>();
  for (const chunk of chunksOf(entries)) {
    for (const { name } of chunk) addFolders(name, byHash, conflicts);
    yield;
  }
  return files.filter((file) => conflicts.has(file));
}

function addFolders<E extends Named>(
  name: string,
  byHash: ReadonlyMap<number, readonly E[]>,
  to: Set<E>,
): void {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if (code === SLASH) {
      for (const file of byHash.get(hash) ?? []) {
        if (file.name.length === at && name.startsWith(file.name)) to.add(file);
      }
    }
    hash = addTo(hash, code);
  }
}

function add<E>(map: Map<number, E[]>, key: number, value: E): void {
  const values = map.get(key) ?? [];
  map.set(key, values);
  values.push(value);
}

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = addTo(hash, name.charCodeAt(at));
  return hash;
}

function addTo(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}
