import { type Composition, DEFAULT_ACCOUNT, type WebAddresses } from '@pinfold/app';
import {
  type AccountId,
  type Duration,
  type Filename,
  type IdempotencyKey,
  isFault,
  type PublishOutcome,
  parseFilename,
  parseIdempotencyKey,
  parseTitle,
  type Title,
} from '@pinfold/core';
import { pinOf } from '@pinfold/http-express';
import { CommandFailure } from '../command-failure.ts';
import { UsageError } from '../usage-error.ts';
import { persist, type Try } from './persist.ts';
import { brokenRules, type Published, type Wish } from './publication.ts';

type Note = (reason: Error, pause: Duration) => void;

/** Publishes by the use cases themselves, on the stores that the settings name: no server and no key are needed. */
export async function publishDirectly(
  composition: Composition,
  { publicUrl }: WebAddresses,
  wish: Wish,
  account: AccountId = DEFAULT_ACCOUNT,
  note: Note,
): Promise<Published> {
  const { useCases } = composition;
  const request = readWish(composition, wish);
  const { role, warnings } = await persist(
    useCases.clock,
    () => attempt(composition, account, request, wish),
    note,
  );
  return { pin: pinOf(role, publicUrl, useCases.clock.now()), warnings };
}

interface Request {
  readonly key: IdempotencyKey;
  readonly filename: Filename;
  readonly title: Title | null;
}

function readWish({ useCases: { limits } }: Composition, wish: Wish): Request {
  const key = parseIdempotencyKey(wish.idempotencyKey, limits);
  const filename = parseFilename(wish.filename);
  const title = parseTitle(wish.title ?? null, limits);
  for (const value of [key, filename, title]) {
    if (value !== null && typeof value === 'object')
      throw new UsageError(value.errors?.[0]?.detail ?? value.code);
  }
  return { key, filename, title } as Request;
}

async function attempt(
  { useCases }: Composition,
  account: AccountId,
  request: Request,
  { bytes }: Wish,
): Promise<Try<Exclude<PublishOutcome, { kind: 'refused' }>>> {
  const { staging, limits, clock, publish } = useCases;
  try {
    const received = await staging.receive(once(bytes), limits.archiveBytes);
    if (received.kind === 'too_large') {
      throw new CommandFailure(
        `the ZIP has ${bytes.byteLength} bytes, more than the ${limits.archiveBytes} allowed`,
      );
    }
    const outcome = await publish.publish({ account, ...request, archive: received.archive });
    if (outcome.kind !== 'refused') return { kind: 'done', result: outcome };
    if (outcome.code === 'idempotency_in_progress') {
      const wait = Math.max(0, (outcome.retryAt ?? clock.now()) - clock.now()) as Duration;
      return {
        kind: 'again',
        after: wait,
        reason: new CommandFailure('another process is publishing this just now'),
      };
    }
    if (outcome.code === 'idempotency_mismatch') throw new CommandFailure(MISMATCH);
    throw new CommandFailure(`the archive breaks these rules:\n${brokenRules(outcome.errors ?? [])}`);
  } catch (error) {
    if (!isFault(error) || !error.retryable) throw error;
    return { kind: 'again', after: undefined, reason: error };
  }
}

const MISMATCH = 'this Idempotency-Key has published something else; take a new one';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
