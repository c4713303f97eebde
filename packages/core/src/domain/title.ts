import { type Refusal, refuse } from '../refusal.ts';
import type { Branded } from './brand.ts';
import type { Limits } from './limits.ts';
import { codePoints, hasControlCharacter, hasLoneSurrogate } from './text.ts';

/** A management title: not empty, within the limit, without control characters. */
export type Title = Branded<string, 'Title'>;

/** Reads a title; the empty string and null both mean none. */
export function parseTitle(
  value: unknown,
  limits: Pick<Limits, 'titleCharacters'>,
): Title | null | Refusal<'invalid_title'> {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') return invalid('type', 'The title must be a string or null.');
  if (hasLoneSurrogate(value)) return invalid('encoding', 'The title must be whole Unicode characters.');
  if (hasControlCharacter(value)) return invalid('control_character', 'The title has a control character.');
  const actual = codePoints(value);
  if (actual > limits.titleCharacters) {
    const detail = `The title has ${actual} characters; at most ${limits.titleCharacters} are allowed.`;
    return refuse('invalid_title', {
      errors: [{ rule: 'too_long', detail, limit: limits.titleCharacters, actual }],
    });
  }
  return value as Title;
}

function invalid(rule: string, detail: string): Refusal<'invalid_title'> {
  return refuse('invalid_title', { errors: [{ rule, detail }] });
}
