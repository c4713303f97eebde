import {
  type AccountId,
  after,
  type Erasure,
  type EventId,
  hours,
  type Instant,
  minutes,
} from '@pinfold/core';
import { ACCOUNT, aToken, START } from '@pinfold/test-contracts/fixtures';
import type { Stores } from '../stores.ts';

export const OTHER = 'globex' as AccountId;
export const REPLACEMENT = 'erased:0001' as AccountId;
export const ERASURE: Erasure = { account: ACCOUNT, replacement: REPLACEMENT };
export const ERASED_AT: Instant = after(START, hours(2));
export const BY_OPERATOR = { kind: 'operator', id: 'olga' } as const;

export function begin(
  { erasures }: Pick<Stores, 'erasures'>,
  more: Partial<Erasure> = {},
): ReturnType<Stores['erasures']['begin']> {
  return erasures.begin({ ...ERASURE, at: ERASED_AT, actor: BY_OPERATOR, ...more });
}

export function newIds({ erasures }: Pick<Stores, 'erasures'>): readonly EventId[] {
  return Array.from({ length: erasures.eventsAtOnce }, () => crypto.randomUUID() as string as EventId);
}

let claims = 0;

/** Runs the steps of an erasure that has begun, up to its end. */
export async function finish(
  stores: Pick<Stores, 'erasures' | 'roles'>,
  erasure: Erasure = ERASURE,
): Promise<void> {
  const { erasures, roles } = stores;
  for (;;) {
    const step = await erasures.advance(erasure, ERASED_AT, newIds(stores));
    if (step === 'erased') return;
    if (step === 'continued') continue;
    claims += 1;
    const claim = {
      now: ERASED_AT,
      token: aToken(7_000 + claims),
      until: after(ERASED_AT, minutes(10)),
      limit: 16,
    };
    for (const task of await erasures.claimArchives(erasure.replacement, claim)) {
      await roles.settleCleanup(task, { kind: 'removed' }, []);
    }
  }
}

export async function erase(stores: Pick<Stores, 'erasures' | 'roles'>): Promise<void> {
  await begin(stores);
  await finish(stores);
}
