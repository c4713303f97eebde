import { accountId, type Instant, instant, parseRoleId, type Sha256, type Takedown } from '@pinfold/core';
import { isOperatorText, parseSha256 } from '@pinfold/core/internal';
import { CommandFailure } from './failures.ts';

/** A takedown as it was exported. */
export type KeptTakedown = Omit<Takedown, 'liftedAt'>;

/**
 * Reads what `pinfold takedowns export` wrote: one JSON object a line.
 *
 * @throws CommandFailure that names the first invalid line, before any change.
 */
export function readTakedowns(text: string): readonly KeptTakedown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const takedown = takedownIn(line);
    if (takedown !== undefined) return [takedown];
    throw new CommandFailure(`line ${index + 1} is no takedown; nothing was imported`);
  });
}

/** `undefined` for a line that is none; parsers throw a TypeError or return `undefined` for a wrong member. */
function takedownIn(line: string): KeptTakedown | undefined {
  try {
    const { id, account, sha256, reason, at } = JSON.parse(line);
    const read = {
      id: parseRoleId(id),
      account: accountId(account),
      // Unknown for publications of an early release.
      sha256: sha256 === '' ? (sha256 as Sha256) : parseSha256(sha256),
    };
    if (read.id === undefined || read.sha256 === undefined || !isOperatorText(reason)) return undefined;
    return { ...read, id: read.id, sha256: read.sha256, reason, at: instantIn(at) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** @throws TypeError for what is no time of RFC 3339 since 1970. */
function instantIn(text: unknown): Instant {
  const isWritten = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = isWritten ? Date.parse(text) : Number.NaN;
  return instant(at < 0 ? Number.NaN : at);
}
