import { MEMBER_SCOPES, type Scope } from '@pinfold/core';
import { codePoints } from '@pinfold/core/adapter';
import { fieldOf, fieldsOf, type SignedInContext } from '../request/request-context.ts';

const LONGEST_LABEL = 100;

/** What a form says of a new key; `trouble` says what is wrong with it. */
export interface KeyWish {
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly trouble: string | undefined;
}

/** Reads the fields of a new key. */
export function keyWishOf(visit: SignedInContext): KeyWish {
  const label = (fieldOf(visit, 'label') ?? '').trim();
  const scopes = fieldsOf(visit, 'scope').filter(isScope);
  const tooLong = codePoints(label) > LONGEST_LABEL || /\p{Cc}/u.test(label);
  const message = tooLong ? 'labelTooLong' : scopes.length === 0 ? 'scopeNeeded' : undefined;
  const trouble = message && visit.words.say(message, { limit: LONGEST_LABEL });
  return { label, scopes, trouble };
}

/** Only the command makes a key that administers. */
function isScope(text: string): text is Scope {
  return (MEMBER_SCOPES as readonly string[]).includes(text);
}
