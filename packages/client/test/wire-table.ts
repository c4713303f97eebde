// src/wire-table.ts: the objects of the API document as the client's table. `pnpm --filter @pinfold/client wire` writes it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '@pinfold/http-express';

export const WIRE_TABLE = join(import.meta.dirname, '../src/wire-table.ts');

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** The client's names of objects that have another in the document, or none. */
const NAMES: Readonly<Record<string, string>> = {
  ProblemError: 'RuleError',
  'GrantAnswer.grant': 'Grant',
  'DryRun.archive': 'ArchiveSize',
  'ViewedPinAnswer.views': 'DayOfViews',
  'Event.actor': 'EventActor',
  'LimitsAnswer.limits': 'Limits',
  'LimitsAnswer.rates': 'Rates',
  'Rates.requests': 'Rate',
  'Rates.publications': 'Rate',
  'LimitsAnswer.quotas': 'Quotas',
  'Quotas.sites': 'Quota',
  'Quotas.bytes': 'Quota',
};

/** Texts of which a later server may have more. */
const OPEN = new Set(['Event.type', 'Warning.rule']);

const { components, paths } = openApiDocument({ publicUrl: 'https://share.example' }) as unknown as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses?: object }>>>>;
};

/** The objects of successful answers, and the one that the client reads of a problem. */
const ANSWERS = [...new Set([...Object.values(paths).flatMap(answersOf), 'ProblemError'])];

function answersOf(operations: (typeof paths)[string]): readonly string[] {
  const responses = Object.values(operations).flatMap(({ responses = {} }) => Object.entries(responses));
  const successes = JSON.stringify(responses.filter(([status]) => status.startsWith('2')));
  return [...successes.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
}

/** The source of the table, as the formatter leaves it. */
export function wireTable(): string {
  const objects = new Map<string, string>();
  for (const answer of ANSWERS) typeOf(components.schemas[answer] ?? {}, answer, objects);
  const source = `// Generated from the API document by \`pnpm --filter @pinfold/client wire\`.
/** The objects of the API; wire-objects.ts says how a member is written. */
export const OBJECTS = {\n${[...objects].map(([name, members]) => `${name}: {${members}},`).join('\n')}\n} as const;\n`;
  const format = ['format', `--stdin-file-path=${WIRE_TABLE}`];
  const { stdout, stderr, status } = spawnSync('biome', format, { input: source, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** The word for a schema at a path, such as `Pin.title`; objects in it are added. */
function typeOf(schema: Schema, path: string, objects: Map<string, string>): string {
  const { $ref, type, items, properties, enum: texts } = schema;
  const name = NAMES[path] ?? path;
  if ($ref !== undefined) {
    const named = $ref.slice($ref.lastIndexOf('/') + 1);
    return typeOf(components.schemas[named] ?? {}, named, objects);
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.map((choice) => typeOf(choice, path, objects)).join(' | ');
  if (properties !== undefined) {
    if (name.includes('.')) throw new Error(`${name} needs a name: in NAMES here, or by T.named in the API`);
    if (!objects.has(name)) {
      objects.set(name, '');
      objects.set(name, membersOf(schema, name, objects));
    }
    return name;
  }
  if (items !== undefined) return `${typeOf(items, path, objects)}[]`;
  if (texts !== undefined) return OPEN.has(path) ? 'string' : texts.map((text) => text ?? 'null').join(' | ');
  return [type ?? []].flat().join(' | ').replace('integer', 'number');
}

function membersOf(
  { properties = {}, required = [] }: Schema,
  name: string,
  objects: Map<string, string>,
): string {
  const members = Object.entries(properties).map(([member, schema]) => {
    const optional = required.includes(member) ? '' : ' | undefined';
    const comment = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
    return `${comment}${member}: '${typeOf(schema, `${name}.${member}`, objects)}${optional}',`;
  });
  return `\n${members.join('\n')}\n`;
}

if (process.argv[1] === import.meta.filename) writeFileSync(WIRE_TABLE, wireTable());
