import {
  type Attempt,
  type AttemptCounter,
  type AttemptOutcome,
  type AttemptTicket,
  type Duration,
  type Instant,
  minutes,
} from '@pinfold/core';
import { expect } from 'chai';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';

export const WINDOW: Duration = minutes(5);

export const BUSY = { kind: 'busy' } as const;

/** A try at the first role from one address, with limits that it does not reach alone. */
export function aTry(more: Partial<Attempt> = {}): Attempt {
  return {
    role: aRoleId(1),
    address: '192.0.2.1',
    now: START,
    window: WINDOW,
    perAddress: 1_000,
    perRole: 1_000,
    ...more,
  };
}

export function limitedUntil(until: Instant): object {
  return { kind: 'limited', until };
}

/** Begins a try that must be admitted, and does not settle it. */
export async function admit(port: AttemptCounter, attempt: Attempt): Promise<AttemptTicket> {
  const outcome = await port.begin(attempt);
  expect(outcome.kind, `a try from ${attempt.address.slice(0, 300)}`).to.equal('admitted');
  return ticketOf(outcome);
}

export function ticketOf(outcome: AttemptOutcome): AttemptTicket {
  return outcome.kind === 'admitted' ? outcome.ticket : ('' as AttemptTicket);
}

/** Begins tries that must be admitted, one from each address, and does not settle them. */
export async function admitAll(
  port: AttemptCounter,
  addresses: readonly string[],
  more: Partial<Attempt> = {},
): Promise<readonly AttemptTicket[]> {
  const tickets: AttemptTicket[] = [];
  for (const address of addresses) tickets.push(await admit(port, aTry({ ...more, address })));
  return tickets;
}

/** A complete try with a wrong password. */
export async function fail(port: AttemptCounter, attempt: Attempt): Promise<void> {
  await port.settle(await admit(port, attempt));
}

/** Wrong passwords, one from each address. */
export async function failAll(
  port: AttemptCounter,
  addresses: readonly string[],
  more: Partial<Attempt> = {},
): Promise<void> {
  for (const address of addresses) await fail(port, aTry({ ...more, address }));
}
