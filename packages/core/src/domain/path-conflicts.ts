/** A name of an entry; folders end with `/`. */
interface Named {
  readonly name: string;
}

const SLASH = 47;

/** The files whose path is also a folder of another entry, in time linear in all names, however deep they are. */
export function filesThatAreFolders<E extends Named>(
  entries: readonly Named[],
  files: readonly E[],
): readonly E[] {
  const byHash = Map.groupBy(files, ({ name }) => hashOf(name));
  const conflicts = new Set<E>();
  for (const { name } of entries) {
    let hash = 0;
    for (let at = 0; at < name.length; at += 1) {
      const code = name.charCodeAt(at);
      if (code === SLASH) {
        for (const file of byHash.get(hash) ?? []) {
          if (file.name.length === at && name.startsWith(file.name)) conflicts.add(file);
        }
      }
      hash = addTo(hash, code);
    }
  }
  return files.filter((file) => conflicts.has(file));
}

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at += 1) hash = addTo(hash, name.charCodeAt(at));
  return hash;
}

function addTo(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}
