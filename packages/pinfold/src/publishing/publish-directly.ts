import {
  type AccountId,
  type Duration,
  isFault,
  type PublishOutcome,
  parseIdempotencyKey,
} from '@pinfold/core';
import { pinOf, wireWarnings } from '@pinfold/http-express';
import { byCommand } from '../command-line/by-command.ts';
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
  const { kind, publication, warnings } = await persist(
    useCases.clock,
    () => attempt(composition, account, wish),
    note,
  );
  return {
    pin: pinOf(publication, publicUrl),
    warnings: wireWarnings(warnings),
    replayed: kind === 'replayed',
  };
}

async function attempt(
  { useCases }: Composition,
  by: AccountId,
  { idempotencyKey, filename, title, bytes }: Wish,
): Promise<Try<Exclude<PublishOutcome, { kind: 'refused' }>>> {
  const { clock, limits } = useCases;
  const key = parseIdempotencyKey(idempotencyKey, limits);
  if (typeof key !== 'string') throw new UsageError(wishWords(key));
  try {
    const outcome = await useCases.publish({
      by,
      key,
      filename,
      title: title ?? null,
      archive: bytes,
      cause: byCommand(),
    });
    if (outcome.kind !== 'refused') return { kind: 'done', result: outcome };
    switch (outcome.code) {
      case 'idempotency_in_progress':
      case 'rate_limited':
        return {
          kind: 'again',
          after: Math.max(0, outcome.retryAt - clock.now()) as Duration,
          reason: new CommandFailure(
            outcome.code === 'rate_limited'
              ? 'the account has published as much as it may for now'
              : 'another process is publishing this right now',
          ),
        };
      case 'archive_too_large':
        throw new CommandFailure(
          `the ZIP has ${bytes.byteLength} bytes, more than the ${outcome.limit} allowed`,
        );
      case 'invalid_filename':
      case 'invalid_idempotency_key':
      case 'invalid_title':
        throw new UsageError(wishWords(outcome));
      default:
        throw new CommandFailure(publishWords(outcome));
    }
  } catch (error) {
    if (!isFault(error) || !error.retryable) throw error;
    return { kind: 'again', after: undefined, reason: error };
  }
}
