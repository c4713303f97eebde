import { randomUUID } from 'node:crypto';
import type { Instant } from '@pinfold/core';

const NAME = /^(\d+)-[0-9a-f-]{36}\.upload$/;

/** A new name for an upload begun at an instant. Nothing that a user sent is ever in it. */
export function stagedName(begun: Instant): string {
  return `${begun}-${randomUUID()}.upload`;
}

/** Whether the name is that of an upload begun before an instant. */
export function isBegunBefore(instant: Instant, name: string): boolean {
  // A name that is not one of ours has no number, and so comes before nothing.
  return Number(NAME.exec(name)?.[1]) < instant;
}
