import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines of the files that patterns name, at random, as the mutation tool takes them: `file.ts:7-7`. */
export function randomLines(root: string, patterns: readonly string[], count: number): readonly string[] {
  const lines = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((_, index) => `${file}:${index + 1}-${index + 1}`),
    );
  const chosen: string[] = [];
  while (chosen.length < count && lines.length > 0) {
    chosen.push(...lines.splice(Math.floor(Math.random() * lines.length), 1));
  }
  return chosen;
}
