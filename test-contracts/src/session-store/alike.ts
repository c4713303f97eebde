import type { AccountId, ApiKeyId, Session, SessionStore, Sha256 } from '@pinfold/core';
import { expect } from 'chai';
import type { Subject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { anEvent } from '../fixtures/roles.ts';
import { aLink, aRedemption, aSession } from '../fixtures/sessions.ts';
import { everyText } from '../sequences/values.ts';

const DIGITS = 64;

/** A hash as most are: all digits of it count. */
export const ALIKE_HASH = '3f9a0c7be1d845260b9d7f13ca68e254970e1bd3c6a2f8450d9b3e71a5c8f624' as Sha256;

/** A hash that differs in one digit. */
export function withAnother(hash: Sha256, place: number): Sha256 {
  const digit = hash[place] === '7' ? '8' : '7';
  return `${hash.slice(0, place)}${digit}${hash.slice(place + 1)}` as Sha256;
}

/** All hashes that differ from one in one digit, in order. */
const ALIKE = Array.from({ length: DIGITS }, (_, place) => withAnother(ALIKE_HASH, place)).toSorted();

/** Fails unless every digit of a hash counts, of a session and of a link. */
export async function expectEveryDigitToCount({ port, peer }: Subject<SessionStore>): Promise<void> {
  const other = await peer();
  const one = aSession(0, { tokenHash: ALIKE_HASH });
  const link = aLink(0, { tokenHash: ALIKE_HASH });
  await port.begin(one, [anEvent()]);
  await port.offer(link, [anEvent()]);
  for (const tokenHash of ALIKE) {
    expect(await other.find(tokenHash, START), `nearly ${ALIKE_HASH}`).to.equal(undefined);
    const request = { ...aRedemption(link, aSession(1)), link: tokenHash };
    expect(await other.redeem(request, []), `nearly ${ALIKE_HASH}`).to.deep.equal({ kind: 'unknown' });
    await other.end(tokenHash, []);
  }
  expect(await port.find(ALIKE_HASH, START), 'once others were ended').to.deep.equal(one);
  const sessions = ALIKE.map((tokenHash, n) => aSession(n, { tokenHash, displayName: `Ada ${n}` }));
  for (const session of sessions) await port.begin(session, [anEvent()]);
  await port.end(ALIKE_HASH, []);
  for (const session of sessions) {
    expect(await other.find(session.tokenHash, START), 'one of many').to.deep.equal(session);
  }
  const all = { account: undefined, now: START, after: undefined, limit: 2 * DIGITS };
  expect(await other.list(all), 'in order').to.deep.equal(sessions);
  const half = { ...all, after: ALIKE_HASH };
  const rest = sessions.filter(({ tokenHash }) => tokenHash > ALIKE_HASH);
  expect(await other.list(half), 'after one that is gone').to.deep.equal(rest);
  const redeemed = await other.redeem(aRedemption(link, aSession(1)), []);
  expect(redeemed.kind, 'after all that were nearly it').to.equal('redeemed');
}

/** A session all of whose texts are one. */
function sessionOf(text: string, n: number): Session {
  return aSession(n, {
    account: text as AccountId,
    apiKey: text as ApiKeyId,
    actor: { kind: 'person', id: text },
    displayName: text,
  });
}

/** Fails unless sessions of every text are kept as they are, and are listed for exactly their own account. */
export async function expectEveryTextToStay(
  { port, peer }: Subject<SessionStore>,
  start: (session: Session, n: number) => Promise<void>,
): Promise<void> {
  const other = await peer();
  const sessions = everyText.map(sessionOf);
  for (const [n, session] of sessions.entries()) await start(session, n);
  const all = { now: START, after: undefined, limit: sessions.length + 1 };
  expect(await port.list({ ...all, account: undefined })).to.deep.equal(sessions);
  for (const session of sessions) {
    const { account, tokenHash } = session;
    expect(await other.find(tokenHash, START), `of ${JSON.stringify(account)}`).to.deep.equal(session);
    const own = await other.list({ ...all, account });
    expect(own, `those of ${JSON.stringify(account)}`).to.deep.equal([session]);
  }
}

/** Keeps a link for a session, and begins the session with it. */
export async function startByLink(port: SessionStore, session: Session, n: number): Promise<void> {
  const { account, actor, scope } = session;
  const link = aLink(n, { account, actor, scope });
  await port.offer(link, []);
  const redeemed = await port.redeem(aRedemption(link, session), []);
  expect(redeemed, `of ${JSON.stringify(account)}`).to.deep.equal({ kind: 'redeemed', session });
}
