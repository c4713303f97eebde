import { type Event, type Pin, PinfoldError } from '@pinfold/client';
import { expect } from 'chai';
import type { Answer } from './scripted-server.ts';

export const KEY = 'pf_abc_averyveryverysecretkey';
export const ID = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';
/** A server of another release may answer with fewer members. */
export const PIN = {
  id: ID,
  title: null,
  state: 'published',
  shared_url: `https://share.example/s/${ID}`,
} as Pin;
export const EVENT: Event = {
  id: '5b0e3c52-7f1d-4c0a-9d3e-2a6f8b1c4d7e',
  at: '2026-11-20T12:00:00.000Z',
  type: 'pin.published',
  account: 'default',
  pin: ID,
  actor: { kind: 'key', id: 'abc' },
  request: null,
};
export const ARCHIVE = new Uint8Array([80, 75]);
export const PUBLISHED: Extract<Answer, object> = { status: 201, body: { pin: PIN, warnings: [] } };
export const PIN_ANSWER: Answer = { status: 200, body: { pin: PIN } };
export const STOPPED: Answer = { status: 200, body: { pin: { ...PIN, state: 'deleted' } } };
/** Headers for a wait without jitter. */
export const WAIT_1_S = { 'retry-after': '1' };

export const problem = (status: number, code: string, headers = {}, more = {}): Answer => ({
  status,
  body: {
    type: `urn:pinfold:problem:${code}`,
    code,
    status,
    detail: 'What to do.',
    retryable: true,
    ...more,
  },
  headers: { 'content-type': 'application/problem+json', 'x-request-id': 'the id', ...headers },
});

/** The error that a call rejects with. */
export async function failure(work: Promise<unknown>): Promise<PinfoldError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(PinfoldError);
  return error as PinfoldError;
}

/** All items of an iterable. */
export async function all<Member>(iterable: AsyncIterable<Member>): Promise<readonly Member[]> {
  const members: Member[] = [];
  for await (const member of iterable) members.push(member);
  return members;
}
