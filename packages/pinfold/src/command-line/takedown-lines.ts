import {
  type AccountId,
  accountId,
  type Instant,
  instant,
  parseRoleId,
  type Sha256,
  type Takedown,
} from '@pinfold/core';
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

function takedownIn(line: string): KeptTakedown | undefined {
  const { id, account, sha256, reason, at } = membersOf(line);
  const read = {
    id: typeof id === 'string' ? parseRoleId(id) : undefined,
    account: accountOf(account),
    sha256: sha256Of(sha256),
    at: instantOf(at),
  };
  if (read.id === undefined || read.account === undefined) return undefined;
  if (read.sha256 === undefined || read.at === undefined || !isOperatorText(reason)) return undefined;
  return { id: read.id, account: read.account, sha256: read.sha256, reason, at: read.at };
}

function membersOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Unknown for publications of an early release. */
function sha256Of(text: unknown): Sha256 | undefined {
  if (typeof text !== 'string') return undefined;
  return text === '' ? (text as Sha256) : parseSha256(text);
}

function accountOf(name: unknown): AccountId | undefined {
  try {
    return accountId(name as string);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function instantOf(text: unknown): Instant | undefined {
  const isWritten = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = isWritten ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) || at < 0 ? undefined : instant(at);
}
