import type { AccountId, ApiKeyId, Session, SessionStore } from '@pinfold/core';
import type { Subject } from '@pinfold/test-contracts';
import { aLink, anEvent, aRedemption, aSession, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ALIKE_HASH, withAnother } from './hashes.ts';

const DIGITS = 64;

/** All hashes that differ from one in one digit, in order. */
const ALIKE = Array.from({ length: DIGITS }, (_, place) => withAnother(ALIKE_HASH, place)).toSorted();

/** Fails unless hashes of sessions and links are compared in every digit. */
export async function expectEveryDigitToCount({ port, peer }: Subject<SessionStore>): Promise<void> {
  const other = await peer();
  const [one, link] = [aSession(0, { tokenHash: ALIKE_HASH }), aLink(0, { tokenHash: ALIKE_HASH })];
  await port.begin(one, [anEvent()]);
  await port.offer(link, [anEvent()]);
  for (const tokenHash of ALIKE) {
    expect(await other.find(tokenHash, START), `nearly ${ALIKE_HASH}`).to.equal(undefined);
    const request = { ...aRedemption(link, aSession(1)), link: tokenHash };
    expect(await other.redeem(request, []), `nearly ${ALIKE_HASH}`).to.deep.equal({ kind: 'unknown' });
    await other.end(tokenHash, []);
  }
  expect(await port.find(ALIKE_HASH, START), 'once others were ended').to.deep.equal(one);
  const sessions = ALIKE.map((tokenHash, n) => aSession(n, { tokenHash, account: `Ada ${n}` as AccountId }));
  for (const session of sessions) await port.begin(session, [anEvent()]);
  await port.end(ALIKE_HASH, []);
  const third = await peer();
  for (const session of sessions) {
    expect(await third.find(session.tokenHash, START), 'one of many').to.deep.equal(session);
  }
  const redeemed = await other.redeem(aRedemption(link, aSession(1)), []);
  expect(redeemed.kind, 'after similar hashes').to.equal('redeemed');
}

/** A session whose texts are all the same. */
export function sessionOf(text: string, n: number): Session {
  return aSession(n, {
    account: text as AccountId,
    apiKey: text as ApiKeyId,
    actor: { kind: 'person', id: text },
    displayName: text,
  });
}

/** Stores a link with the hash of a session, and begins the session with it. */
export async function startByLink(port: SessionStore, session: Session): Promise<void> {
  const { tokenHash, account, actor, scope } = session;
  const link = aLink(0, { tokenHash, account, actor, scope });
  await port.offer(link, []);
  const redeemed = await port.redeem(aRedemption(link, session), []);
  expect(redeemed, `of ${JSON.stringify(account)}`).to.deep.equal({ kind: 'redeemed', session, ended: 0 });
}
