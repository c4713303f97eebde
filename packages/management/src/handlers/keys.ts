import type { Keys } from '@pinfold/core';
import { type Answer, page, seeOther } from '../answering/answer.ts';
import { refuseChanges } from '../answering/refuse.ts';
import { keysView } from '../views/keys.ts';
import type { SignedInVisit } from '../visiting/visit.ts';
import { keyWishOf } from './key-wish.ts';

/** Shows the account's API keys. */
export async function showKeys(keys: Keys, visit: SignedInVisit): Promise<Answer> {
  return page(keysView(visit, { keys: await listed(keys, visit) }));
}

/** Makes a key; its text is shown on this page, and never again. */
export async function createKey(keys: Keys, visit: SignedInVisit): Promise<Answer> {
  const { label, scopes, trouble: message } = keyWishOf(visit);
  if (message !== undefined) {
    visit.who.outcome = 'invalid_form';
    return page(keysView(visit, { keys: await listed(keys, visit), trouble: { message, label } }), 422);
  }
  const made = await keys.create({ account: visit.account, label, scopes, cause: visit.cause });
  if ('code' in made) return refuseChanges(visit, made);
  return page(keysView(visit, { keys: await listed(keys, visit), made: made.text }));
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
