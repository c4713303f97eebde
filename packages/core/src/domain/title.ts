import type { LimitAndActual, NoDetails, Refusal, RuleDetails } from '../refusal.ts';
import type { Branded } from './brand.ts';
import type { Limits } from './limits.ts';
import { codePoints, hasBrokenCharacter, hasControlCharacter } from './text.ts';

/** A management title: not empty, within the limit, without control characters. */
export type Title = Branded<string, 'Title'>;

/** The rules of a title. `type`: neither a string nor null; `encoding`: not whole Unicode characters. */
export interface TitleRules {
  readonly type: NoDetails;
  readonly encoding: NoDetails;
  readonly control_character: NoDetails;
  readonly too_long: LimitAndActual;
}

/** Reads a title; the empty string and null both mean none. */
export function parseTitle(
  value: unknown,
  limits: Pick<Limits, 'titleCharacters'>,
): Title | null | Refusal<'invalid_title'> {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return invalid({ rule: 'type' });
  if (hasBrokenCharacter(value)) return invalid({ rule: 'encoding' });
  if (hasControlCharacter(value)) return invalid({ rule: 'control_character' });
  const actual = codePoints(value);
  const limit = limits.titleCharacters;
  return actual > limit ? invalid({ rule: 'too_long', limit, actual }) : (value as Title);
}

function invalid(details: RuleDetails<TitleRules>): Refusal<'invalid_title'> {
  return { kind: 'refused', code: 'invalid_title', ...details };
}
