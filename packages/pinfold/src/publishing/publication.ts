import type * as client from '@pinfold/client';
import type { WireError, WireWarning } from '@pinfold/http-express/internal';
import { escapeControls } from '../command-line/escape-control-characters.ts';

export type { WireError, WireWarning };

/** A publication to send. */
export interface PublishRequest {
  readonly filename: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly title: string | undefined;
  readonly idempotencyKey: string;
  /** The name that is to show it. */
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

/** The answer, as the API gives it. */
export type Published = Omit<client.Published, 'idempotencyKey'>;

/** The result of a check that stores nothing. */
export type Checked = Omit<client.DryRun, 'pin'>;

/** An archive's broken rules for a person: each rule once, with the first of the files under it. */
export function brokenRules(errors: readonly WireError[]): string {
  const rules = new Map<string, WireError[]>();
  for (const error of errors) rules.set(error.rule, [...(rules.get(error.rule) ?? []), error]);
  return [...rules.values()].flatMap(linesOf).join('\n');
}

const SHOWN = 5;

function linesOf(errors: readonly WireError[]): readonly string[] {
  const [first] = errors;
  const paths = errors.flatMap(({ path }) => path ?? []);
  const more = paths.length > SHOWN ? [`    and ${paths.length - SHOWN} more`] : [];
  return [
    escapeControls(`  ${first?.detail} (${first?.rule})`),
    ...paths.slice(0, SHOWN).map((path) => `    ${JSON.stringify(path).slice(1, -1)}`),
    ...more,
  ];
}
