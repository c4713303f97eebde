import { randomUUID } from 'node:crypto';
import type { Instant } from '@pinfold/core';

const NAME = /^(\d{13})-[0-9a-f-]{36}\.upload$/;

/** A new name for an upload begun at an instant. Nothing that a user sent is ever in it. */
export function stagedName(begun: Instant): string {
  return `${String(begun).padStart(13, '0')}-${randomUUID()}.upload`;
}

/** When the upload of that name was begun; `undefined` when it is not one of ours. */
export function begunAt(name: string): Instant | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : (Number(digits) as Instant);
}
