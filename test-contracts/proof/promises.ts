import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as suites from '@pinfold/test-contracts';

/** A promise as it stands on a port, or as a clause repeats it. */
export interface Promised {
  readonly id: string;
  readonly says: string;
}

/** The part of a contract that can be compared with its port. */
interface PortContract {
  readonly port: string;
  readonly clauses: readonly Promised[];
}

const PORTS = join(import.meta.dirname, '../../packages/core/src/ports');

export const PROMISES_PAGE: string = join(import.meta.dirname, '../../docs/adapter-authors/promises.md');

/** The contracts of all ports: those of a service over HTTP have other names. */
export const portContracts: readonly PortContract[] = Object.values<unknown>(suites).filter(isOfPort);

function isOfPort(value: unknown): value is PortContract {
  return typeof value === 'object' && value !== null && 'port' in value && !/http/i.test(String(value.port));
}

export async function readPromises(): Promise<readonly Promised[]> {
  const files = (await readdir(PORTS)).filter((name) => name.endsWith('.ts')).toSorted();
  const sources = await Promise.all(files.map((name) => readFile(join(PORTS, name), 'utf8')));
  return sources.flatMap(promisesIn);
}

/** The promises of a source text: each begins with its tag and ends with the next, or with its comment. */
export function promisesIn(source: string): readonly Promised[] {
  const comments = source.match(/\/\*\*.*?\*\//gs) ?? [];
  return comments.flatMap((comment) => {
    const text = comment.slice(3, -2).replaceAll(/\n\s*\*[ \t]?/g, '\n');
    const tags = text.matchAll(/^\s*@promise ([a-z-]+\/[a-z-]+): ([^@]*)/gm);
    return [...tags].map(([, id = '', says = '']) => ({ id, says: says.trim().replaceAll(/\s+/g, ' ') }));
  });
}

export function promisesPage(): string {
  const tables = portContracts.map(({ port, clauses }) => {
    const rows = clauses.map(({ id, says }) => `| \`${id}\` | ${says.replaceAll('|', '\\|')} |`);
    return [`## ${port}`, '', '| clause | promise |', '|---|---|', ...rows, ''].join('\n');
  });
  return `${INTRODUCTION}\n${tables.join('\n')}`;
}

const INTRODUCTION = `# The promises of every port

*Reference.* Each promise stands on its port in \`@pinfold/core\` and is checked by the clause of the same id in
\`@pinfold/test-contracts\`. An id never changes its meaning: a promise that is taken back or changed is a major
release, a further clause for what was promised already is a minor one.

Made from the contracts by \`pnpm --filter pinfold-proof promises\`; do not edit it by hand.
`;
