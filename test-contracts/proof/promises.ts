import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as suites from '@pinfold/test-contracts';
import * as rules from 'pinfold-core-stores/contracts.ts';

/** A promise in the comment of a port, or in a clause. */
export interface Promised {
  readonly id: string;
  readonly text: string;
}

/** The part of a contract that can be compared with its port. */
interface PortContract {
  readonly port: string;
  readonly clauses: readonly Promised[];
}

const PORTS = join(import.meta.dirname, '../../packages/core/src/ports');

export const PROMISES_PAGE: string = join(import.meta.dirname, '../../docs/adapter-authors/promises.md');

/** The published contracts of ports, without those of a service over HTTP. */
export const publishedContracts: readonly PortContract[] = Object.values<unknown>(suites).filter(isOfPort);

/** The contracts of all ports: those of the stores that are written once, over any database, are the core's own. */
export const portContracts: readonly PortContract[] = [
  ...publishedContracts,
  ...Object.values<unknown>(rules).filter(isOfPort),
];

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
    return [...tags].map(([, id = '', text = '']) => ({ id, text: text.trim().replaceAll(/\s+/g, ' ') }));
  });
}

export function promisesPage(): string {
  return [INTRODUCTION, ...publishedContracts.map(lineOf), ''].join('\n');
}

function lineOf({ port, clauses }: PortContract): string {
  const file = port.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  const ids = clauses.map(({ id }) => `\`${id.slice(id.indexOf('/') + 1)}\``);
  return `- [${port}](../../packages/core/src/ports/${file}.ts), \`${file}/…\`: ${ids.join(', ')}`;
}

const INTRODUCTION = `# The promises of every port

*Reference.* Each promise is a sentence on its port in \`@pinfold/core\`, behind its id, and is checked by the clause of
the same id; a clause that fails says its promise. An id never changes its meaning: a removed or changed
promise is a major release, a further clause for an existing promise a minor one.

Made from the contracts by \`pnpm --filter pinfold-proof promises\`; do not edit it by hand.

## Rules of the stores over a database

The core's own stores keep them over every database that passes its suite; the core's tests check them. They stand on
the ports in [packages/core/src/ports](../../packages/core/src/ports).

## Ports with a published suite

\`@pinfold/test-contracts\` checks them in your adapter, and so it does the promises of [a database](database.md).
`;
