import { type EventType, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import type { Survivor } from './start-victim.ts';

/** Expects an event of a type for each of these roles, one and no more, and none for any other. */
export async function expectTold(
  { node }: Survivor,
  type: EventType,
  roles: readonly string[],
): Promise<void> {
  const page = await node.history.list({ by: OPERATOR, limit: 100 });
  if (page.kind !== 'page') throw new Error(page.code);
  const told = page.events.filter((event) => event.type === type);
  expect(
    told.map(({ pin }) => pin),
    `the history of ${type}`,
  ).to.have.members(roles);
}
