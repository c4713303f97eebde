import { UsageError } from './failures.ts';

/** Reads the value of `--reason`. */
export function readReason(text: string | undefined): string {
  if (isReason(text)) return text;
  throw new UsageError('--reason takes 1 to 255 characters, none of them a control character');
}

/** Whether something says why. */
export function isReason(text: unknown): text is string {
  return typeof text === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(text);
}
