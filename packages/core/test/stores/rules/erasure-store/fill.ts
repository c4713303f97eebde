import { type AccountId, type Day, minutes, type PasswordHash, type Title } from '@pinfold/core';
import {
  ACCOUNT,
  aConsent,
  aLink,
  anApiKey,
  anEvent,
  aPublication,
  aRegistration,
  aReservation,
  aRoleId,
  aSession,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { aChange } from '../name-store/values.ts';
import type { Stores } from '../stores.ts';

export const PERSON = { kind: 'person', id: 'alice' } as const;
const HASH = 'a hash' as PasswordHash;

/** Stores something in every table for one account. */
export async function fill(stores: Stores, account: AccountId = ACCOUNT, first = 0): Promise<void> {
  const { roles, apiKeys, sessions, pairings, names, views, attempts } = stores;
  const numberOf = (n: number) => first + n;
  const events = [
    anEvent({ account, actor: PERSON, address: '192.0.2.1', request: 'r', type: 'link.created' }),
  ];
  for (const n of [1, 2, 3]) {
    const more = { account, title: `Alice ${n}` as Title, passwordHash: HASH };
    await publishTo(roles, aPublication(numberOf(n), n === 2 ? { ...more, deletedAt: START } : more));
  }
  for (const n of [1, 2]) await apiKeys.create(anApiKey(numberOf(n), { account }), []);
  await sessions.begin(aSession(numberOf(1), { account, actor: PERSON }), events);
  await sessions.offer(aLink(numberOf(1), { account }), []);
  await pairings.register(aRegistration(numberOf(1)));
  await pairings.agree(aRegistration(numberOf(1)).secretHash, aConsent(numberOf(1), { account }), START, []);
  await names.set(aChange(numberOf(1), { account, role: aRoleId(numberOf(1)) }), []);
  await views.add([{ role: aRoleId(numberOf(1)), day: 20_777 as Day, views: 3, refusedPasswords: 0 }]);
  await attempts.begin({
    role: aRoleId(numberOf(1)),
    address: '192.0.2.7',
    now: START,
    window: minutes(5),
    perAddress: 10,
    perRole: 300,
  });
  await roles.reserve(aReservation(numberOf(9), { account }));
}
