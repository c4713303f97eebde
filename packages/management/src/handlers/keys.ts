import type { KeyQuotaExceeded, Keys } from '@pinfold/core';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { refuseChanges } from '../response/refuse.ts';
import { type KeysModel, keysView } from '../views/keys.ts';
import { keyWishOf } from './key-wish.ts';

const PAGE_SIZE = 50;

/** Shows a page of the account's API keys. */
export function showKeys(keys: Keys, visit: SignedInContext): Promise<Answer> {
  const { cursor } = visit.request.query;
  return pageOfKeys(keys, visit, 200, {}, typeof cursor === 'string' ? cursor : undefined);
}

/** Makes a key; its text is shown on this page, and never again. */
export async function createKey(keys: Keys, visit: SignedInContext): Promise<Answer> {
  const { label, scopes, trouble: message } = keyWishOf(visit);
  if (message !== undefined) {
    visit.who.outcome = 'invalid_form';
    return await pageOfKeys(keys, visit, 422, { trouble: { message, label } });
  }
  const made = await keys.create({ account: visit.account, label, scopes, cause: visit.cause });
  if ('text' in made) return await pageOfKeys(keys, visit, 200, { made: made.text });
  if (made.code !== 'quota_exceeded') return refuseChanges(visit, made);
  visit.who.outcome = made.code;
  return await pageOfKeys(keys, visit, 403, {});
}

/** Ends a key. */
export async function revokeKey(keys: Keys, visit: SignedInContext): Promise<Answer> {
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

/** Says that the account has as many keys as it may have. */
export function keysFull({ words }: Pick<SignedInContext, 'words'>, { limit }: KeyQuotaExceeded): string {
  return words.say('keysFull', { count: limit, limit });
}

async function pageOfKeys(
  keys: Keys,
  visit: SignedInContext,
  status: number,
  more: Pick<KeysModel, 'made' | 'trouble'>,
  cursor?: string,
): Promise<Answer> {
  const further = cursor !== undefined;
  const listed = await keys.list({ by: visit.account, limit: PAGE_SIZE, ...(further ? { cursor } : {}) });
  if (listed.kind === 'refused') return seeOther(`${visit.base}/keys`);
  const refusal = await keys.refuseFurther(visit.account);
  const full = refusal && keysFull(visit, refusal);
  return page(keysView(visit, { keys: listed.keys, next: listed.next, further, full, ...more }), status);
}
