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
import { pinOf, wireWarnings } from '@pinfold/http-express';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Composition } from '../compose/composition.ts';
import type { WebAddresses } from '../settings/web-addresses.ts';
import { DEFAULT_ACCOUNT } from '../start/first-start.ts';
import { persist, type Try } from './persist.ts';
import type { Published, Wish } from './publication.ts';
import { publishWords, wishWords } from './refusal-words.ts';

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
  return { pin: pinOf(role, publicUrl, useCases.clock.now()), warnings: wireWarnings(warnings) };
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
  if (typeof key !== 'string') throw new UsageError(wishWords(key));
  if (typeof filename !== 'string') throw new UsageError(wishWords(filename));
  if (title !== null && typeof title !== 'string') throw new UsageError(wishWords(title));
  return { key, filename, title };
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
    if (outcome.code !== 'idempotency_in_progress') throw new CommandFailure(publishWords(outcome));
    return {
      kind: 'again',
      after: Math.max(0, outcome.retryAt - clock.now()) as Duration,
      reason: new CommandFailure('another process is publishing this right now'),
    };
  } catch (error) {
    if (!isFault(error) || !error.retryable) throw error;
    return { kind: 'again', after: undefined, reason: error };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
