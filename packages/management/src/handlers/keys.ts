import { type KeyQuotaExceeded, MEMBER_SCOPES, type Scope } from '@pinfold/core';
import { codePoints } from '@pinfold/core/internal';
import type { With } from '../options.ts';
import { pageRequest, positionOf } from '../request/page-request.ts';
import { fieldOf, fieldsOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { refuseChanges } from '../response/refuse.ts';
import { type KeysModel, keysView } from '../views/keys.ts';

const LONGEST_LABEL = 100;

export function showKeys(screen: With<'keys'>, visit: SignedInContext): Promise<Answer> {
  return pageOfKeys(screen, visit, 200, {});
}

/** Makes a key; its text is shown on this page, and never again. */
export async function createKey(screen: With<'keys'>, visit: SignedInContext): Promise<Answer> {
  const { label, scopes, trouble: message } = readKeyRequest(visit);
  if (message !== undefined) {
    const answer = await pageOfKeys(screen, visit, 422, { trouble: { message, label } });
    return logged(answer, { outcome: 'invalid_form' });
  }
  const made = await screen.keys.create({ account: visit.account, label, scopes, cause: visit.cause });
  if ('text' in made) return await pageOfKeys(screen, visit, 200, { made: made.text });
  if (made.code !== 'quota_exceeded') return refuseChanges(visit, made);
  return logged(await pageOfKeys(screen, visit, 403, {}), { outcome: made.code });
}

export async function revokeKey({ keys }: With<'keys'>, visit: SignedInContext): Promise<Answer> {
  const outcome = await keys.revoke({
    id: String(visit.request.params.key),
    by: visit.account,
    cause: visit.cause,
  });
  const back = `${visit.base}/keys`;
  return outcome.kind === 'revoked'
    ? seeOther(back, { tone: 'good', message: 'didRevokeKey' })
    : logged(seeOther(back, { tone: 'bad', message: 'keyGone' }), { outcome: 'not_found' });
}

export function keysFull({ words }: Pick<SignedInContext, 'words'>, { limit }: KeyQuotaExceeded): string {
  return words.say('keysFull', { count: limit, limit });
}

async function pageOfKeys(
  { keys, pageTurns }: With<'keys'>,
  visit: SignedInContext,
  status: number,
  more: Pick<KeysModel, 'made' | 'trouble'>,
): Promise<Answer> {
  return await pageTurns.run(visit.account, visit.signal, async () => {
    const asked = pageRequest(visit);
    const listed = await keys.list({ by: visit.account, ...asked });
    if (listed.kind === 'refused') return seeOther(`${visit.base}/keys`);
    const refusal = await keys.refuseFurther(visit.account);
    const full = refusal && keysFull(visit, refusal);
    const model = { keys: listed.keys, position: positionOf(asked, listed), full, ...more };
    return page(keysView(visit, model), status);
  });
}

/** The fields of a new key; `trouble` says what is wrong with them. */
export interface KeyRequest {
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly trouble: string | undefined;
}

export function readKeyRequest(visit: SignedInContext): KeyRequest {
  const label = (fieldOf(visit, 'label') ?? '').trim();
  const scopes = fieldsOf(visit, 'scope').filter(isScope);
  const tooLong = codePoints(label) > LONGEST_LABEL || /\p{Cc}/u.test(label);
  const message = tooLong ? 'labelTooLong' : scopes.length === 0 ? 'scopeNeeded' : undefined;
  const trouble = message && visit.words.say(message, { limit: LONGEST_LABEL });
  return { label, scopes, trouble };
}

/** Only the command creates keys with the scope `admin`. */
function isScope(text: string): text is Scope {
  return (MEMBER_SCOPES as readonly string[]).includes(text);
}
