import { isOperatorText } from '@pinfold/core/administration';
import { UsageError } from './failures.ts';

/** Reads the value of `--reason`. */
export function readReason(text: string | undefined): string {
  if (isOperatorText(text)) return text;
  throw new UsageError('--reason takes 1 to 255 characters, none of them a control character');
}
