import { ACCOUNT, aToken, START } from '@pinfold/test-contracts/fixtures';
import {
  type AccountId,
  after,
  before,
  days,
  duration,
  type ErasureRequest,
  type ErasureStore,
  type EventId,
  minutes,
} from '../../../src/index.ts';
import type { Call } from './every-order.ts';

const END = after(START, days(7));
const LATER = after(START, days(8));

function erasure(n: number): ErasureRequest {
  const replacement = `erased:${n}` as AccountId;
  return { account: ACCOUNT, replacement, at: LATER, actor: { kind: 'operator', id: 'olga' } };
}

function erasureIds({ eventsAtOnce }: ErasureStore): readonly EventId[] {
  return Array.from({ length: eventsAtOnce }, (_, n) => `event-${n}` as EventId);
}

/** Begins an erasure, as the data before other calls. */
export const beginErasure: Call = ({ erasures }) => erasures.begin(erasure(1));

/** Runs an erasure that has begun, until only the archives are left. */
export const eraseAllButArchives: Call = async ({ erasures }) => {
  while ((await erasures.advance(erasure(1), LATER, erasureIds(erasures))) === 'continued');
};

/** Calls that erase, drop and record data of one account or of the service. */
export const ERASING_CALLS: Readonly<Record<string, Call>> = {
  'begin an erasure': ({ erasures }) => erasures.begin(erasure(1)),
  'begin the erasure again': ({ erasures }) => erasures.begin(erasure(2)),
  'advance an erasure': ({ erasures }) => erasures.advance(erasure(1), LATER, erasureIds(erasures)),
  'claim the archives of an erased account': ({ erasures }) =>
    erasures.claimArchives(erasure(1).replacement, {
      now: LATER,
      token: aToken(95),
      until: after(LATER, minutes(1)),
      limit: 2,
    }),
  'drop titles': ({ roles }) => roles.dropTitles(after(END, duration(1)), 5),
  'record a scheduled export': ({ snapshot }) => snapshot.recordScheduledExport(LATER),
  'record an earlier scheduled export': ({ snapshot }) =>
    snapshot.recordScheduledExport(before(LATER, minutes(1))),
};
