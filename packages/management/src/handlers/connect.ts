import type { Pairings } from '@pinfold/core';
import { pairingCode } from '@pinfold/core/accounts';
import { type Answer, page, seeOther } from '../answering/answer.ts';
import { refuseChanges } from '../answering/refuse.ts';
import type { Screen } from '../options.ts';
import { type ConnectModel, connectView } from '../views/connect.ts';
import { refuseStranger } from '../visiting/rates.ts';
import { fieldOf, type SignedInVisit, type Visit } from '../visiting/visit.ts';
import { keyWishOf } from './key-wish.ts';

/** Shows what a program asks for, or how one is made to ask. */
export async function showConnect(_: Pairings, visit: SignedInVisit): Promise<Answer> {
  const { request, label } = visit.request.query;
  const secretHash = typeof request === 'string' ? request : undefined;
  const model = { secretHash, label: typeof label === 'string' ? label : '', trouble: undefined };
  const isWrong = secretHash !== undefined && pairingCode(secretHash) === undefined;
  return isWrong ? refused(visit, 400, model) : page(connectView(visit, model));
}

/** Agrees that the program gets a key. */
export async function connect(pairings: Pairings, visit: SignedInVisit): Promise<Answer> {
  const secretHash = fieldOf(visit, 'request') ?? '';
  const { label, scopes, trouble } = keyWishOf(visit);
  if (trouble !== undefined) return refused(visit, 422, { secretHash, label, trouble });
  const { account, cause } = visit;
  const outcome = await pairings.agree({ secretHash, account, scopes, label, cause });
  if (outcome.kind === 'unknown') return refused(visit, 400, { secretHash, label, trouble });
  return seeOther(`${visit.base}/keys`, { tone: 'good', message: 'didConnect' });
}

/** Gives a program its key, once somebody has agreed. It shows nothing but its secret, which may be a guess. */
export async function handOverKey(
  { pairings, ...screen }: Screen & { readonly pairings: Pairings },
  visit: Visit,
): Promise<Answer> {
  const made = await pairings.redeem(fieldOf(visit, 'secret') ?? '', visit.origin);
  if (made === undefined) {
    const waiting: Answer = { kind: 'json', status: 202, body: { status: 'waiting' } };
    return (await refuseStranger(screen, visit)) ?? waiting;
  }
  if ('code' in made) return refuseChanges(visit, made);
  const { key, text } = made;
  const { id, account, scopes } = key;
  visit.who.account = account;
  visit.who.key = id;
  return { kind: 'json', status: 200, body: { status: 'given', key: text, id, account, scopes } };
}

function refused(visit: SignedInVisit, status: number, model: ConnectModel): Answer {
  visit.who.outcome = 'invalid_form';
  return page(connectView(visit, model), status);
}
