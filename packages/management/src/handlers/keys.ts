import type { Keys, Scope } from '@pinfold/core';
import { codePoints } from '@pinfold/core/adapter';
import { type Answer, page, seeOther } from '../answering/answer.ts';
import { GIVEN_SCOPES, keysView } from '../views/keys.ts';
import { fieldOf, fieldsOf, type SignedInVisit } from '../visiting/visit.ts';

const LONGEST_LABEL = 100;

/** Shows the account's API keys. */
export async function showKeys(keys: Keys, visit: SignedInVisit): Promise<Answer> {
  return page(keysView(visit, { keys: await listed(keys, visit) }));
}

/** Makes a key; its text is shown on this page, and never again. */
export async function createKey(keys: Keys, visit: SignedInVisit): Promise<Answer> {
  const label = (fieldOf(visit, 'label') ?? '').trim();
  const scopes = fieldsOf(visit, 'scope').filter(isScope);
  const tooLong = codePoints(label) > LONGEST_LABEL || /\p{Cc}/u.test(label);
  if (tooLong || scopes.length === 0) {
    visit.who.outcome = 'invalid_form';
    const message = visit.words.say(tooLong ? 'labelTooLong' : 'scopeNeeded', { limit: LONGEST_LABEL });
    return page(keysView(visit, { keys: await listed(keys, visit), trouble: { message, label } }), 422);
  }
  const { text } = await keys.create({ account: visit.account, label, scopes, cause: visit.cause });
  return page(keysView(visit, { keys: await listed(keys, visit), made: text }));
}

/** Ends a key. */
export async function revokeKey(keys: Keys, visit: SignedInVisit): Promise<Answer> {
  const outcome = await keys.revoke({
    id: String(visit.request.params.key),
    by: visit.account,
    cause: visit.cause,
  });
  if (outcome.kind !== 'revoked') visit.who.outcome = 'not_found';
  const back = `${visit.base}/keys`;
  return outcome.kind === 'revoked'
    ? seeOther(back, { tone: 'good', message: 'didRevokeKey' })
    : seeOther(back, { tone: 'bad', message: 'keyGone' });
}

async function listed(keys: Keys, { account }: SignedInVisit) {
  return [...(await keys.list(account))]
    .reverse()
    .sort((one, other) => Number(one.revokedAt !== null) - Number(other.revokedAt !== null));
}

function isScope(text: string): text is Scope {
  return (GIVEN_SCOPES as readonly string[]).includes(text);
}
