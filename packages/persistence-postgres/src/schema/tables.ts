import { quoted } from '../engine/statement.ts';

const NAMES = [
  'schemaState',
  'roles',
  'manifests',
  'idempotencyKeys',
  'comparison',
  'accounts',
  'apiKeys',
  'attemptWindows',
  'attempts',
  'sessions',
  'signInLinks',
  'events',
  'feed',
  'feedBegins',
  'sessionRefusals',
  'serviceMode',
  'takedowns',
  'views',
  'importMark',
  'pairings',
  'names',
] as const;

/** The tables of one schema by their qualified names, which do not depend on a search path. */
export type Tables = Readonly<Record<(typeof NAMES)[number], string>>;

export function tablesOf(schema: string): Tables {
  const snakeCase = (name: string): string =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(NAMES.map((name) => [name, `${quoted(schema)}.${snakeCase(name)}`])) as Tables;
}
