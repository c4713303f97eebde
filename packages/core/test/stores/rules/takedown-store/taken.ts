import type {
  HistoryEvent,
  Instant,
  PublicationEvent,
  Refusal,
  Role,
  Takedown,
  Versioned,
} from '@pinfold/core';
import { FIRST_GENERATION } from '@pinfold/core/adapter';
import { eventFor, loaded } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { TakedownStores } from '../stores.ts';

export const TAKEN_DOWN = { kind: 'taken_down' } as const;
export const CONFLICT = { kind: 'conflict' } as const;
export const FORBIDDEN: Refusal<'invalid_archive'> = {
  kind: 'refused',
  code: 'invalid_archive',
  problems: [{ rule: 'forbidden_content' }],
};

/** A stored role, to be stopped at an instant. */
export async function stoppedNow(
  stores: TakedownStores,
  { id }: Pick<Role, 'id'>,
  deletedAt: Instant,
): Promise<Versioned<Role>> {
  const { value, version } = await loaded(stores, id);
  const generation = (FIRST_GENERATION + 1) as Role['generation'];
  return { value: { ...value, deletedAt, generation }, version };
}

/** Takes a stored role down; returns the event. */
export async function takeDown(
  stores: TakedownStores,
  takedown: Takedown,
  event: HistoryEvent = takedownEvent(takedown),
): Promise<HistoryEvent> {
  const stopped = await stoppedNow(stores, takedown, takedown.at);
  expect(await stores.takedowns.takeDown(takedown, stopped, [event])).to.deep.equal(TAKEN_DOWN);
  return event;
}

/** The event of a takedown. */
export function takedownEvent(
  { id, account, at }: Takedown,
  more: Partial<PublicationEvent> = {},
): HistoryEvent {
  return eventFor({ id, account } as Role, { type: 'pin.taken_down', at, ...more });
}
