import { CHANGE_COST } from '@pinfold/core/internal';
import type { With } from '../options.ts';
import { refuseStranger } from '../request/rates.ts';
import { fieldOf, type RequestContext, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { refuse, refuseChanges } from '../response/refuse.ts';
import { type ConnectModel, connectView } from '../views/connect.ts';
import { keysFull, readKeyRequest } from './keys.ts';

/** After how many seconds a program is to ask again. */
const POLL_SECONDS = 2;
/** After how many seconds a program is to try again that finds too many others. */
const FULL_SECONDS = 30;

/** The answer to a poll before the person has agreed; an unknown secret is answered the same way. */
const WAITING: Answer = { kind: 'json', status: 202, body: { status: 'waiting' }, retryAfter: POLL_SECONDS };

/** Registers a program that is about to ask for a key, by the hash of its secret. */
export async function registerConnect(screen: With<'pairings'>, visit: RequestContext): Promise<Answer> {
  const limited = await refuseStranger(screen, visit, CHANGE_COST);
  if (limited !== undefined) return limited;
  const { kind } = await screen.pairings.register(fieldOf(visit, 'request') ?? '');
  if (kind === 'unknown') return refuse(visit, 400, 'badFormTitle', 'badFormText');
  if (kind === 'full') return { ...refuse(visit, 503, 'busyTitle', 'busyText'), retryAfter: FULL_SECONDS };
  return { kind: 'json', status: 200, body: { status: 'registered' }, retryAfter: POLL_SECONDS };
}

/** Shows what a program asks for, or how one is made to ask. */
export async function showConnect(
  { pairings, keys }: With<'pairings'>,
  visit: SignedInContext,
): Promise<Answer> {
  const { request, label } = visit.request.query;
  const secretHash = typeof request === 'string' ? request : undefined;
  const model = { secretHash, label: typeof label === 'string' ? label : '', trouble: undefined };
  if (secretHash === undefined) return page(connectView(visit, { ...model, kind: 'how' }));
  if (!(await pairings.isRegistered(secretHash))) return unknown(visit, model);
  const full = await keys?.refuseFurther(visit.account);
  if (full !== undefined)
    return refused(visit, 403, { ...model, kind: 'full', trouble: keysFull(visit, full) });
  return page(connectView(visit, { ...model, kind: 'form' }));
}

export async function connect({ pairings }: With<'pairings'>, visit: SignedInContext): Promise<Answer> {
  const secretHash = fieldOf(visit, 'request') ?? '';
  const { label, scopes, trouble } = readKeyRequest(visit);
  const model = { secretHash, label, trouble };
  if (trouble !== undefined) {
    const isKnown = await pairings.isRegistered(secretHash);
    return isKnown ? refused(visit, 422, { ...model, kind: 'form' }) : unknown(visit, model);
  }
  const { account, cause, credential } = visit;
  const given = { session: credential.session ?? null, apiKey: credential.key ?? null };
  const outcome = await pairings.agree({ secretHash, account, scopes, label, cause, given });
  switch (outcome.kind) {
    case 'agreed':
      return seeOther(`${visit.base}/keys`, { tone: 'good', message: 'didConnect' });
    case 'unknown':
      return unknown(visit, model);
    default:
      return refused(visit, 403, { ...model, kind: 'full', trouble: keysFull(visit, outcome) });
  }
}

/** Gives a program its key once a person has agreed. A secret that belongs to no registration counts as a guess. */
export async function handOverKey(screen: With<'pairings'>, visit: RequestContext): Promise<Answer> {
  const outcome = await screen.pairings.redeem(fieldOf(visit, 'secret') ?? '', visit.origin);
  switch (outcome.kind) {
    case 'unknown':
      return (await refuseStranger(screen, visit)) ?? WAITING;
    case 'waiting':
      return WAITING;
    case 'refused': {
      if (outcome.code !== 'quota_exceeded') return refuseChanges(visit, outcome);
      const body = { kind: 'refused', message: keysFull(visit, outcome) };
      return { kind: 'json', status: 403, body, log: { outcome: outcome.code } };
    }
    case 'made': {
      const { key, text } = outcome;
      const { id, account, scopes } = key;
      const body = { status: 'given', key: text, id, account, scopes };
      return { kind: 'json', status: 200, body, log: { account, key: id } };
    }
    default:
      return outcome satisfies never;
  }
}

function unknown(visit: SignedInContext, model: Omit<ConnectModel, 'kind'>): Answer {
  return refused(visit, 400, { ...model, kind: 'unknown' });
}

function refused(visit: SignedInContext, status: 400 | 403 | 422, model: ConnectModel): Answer {
  const outcome = status === 403 ? 'quota_exceeded' : 'invalid_form';
  return logged(page(connectView(visit, model), status), { outcome });
}
