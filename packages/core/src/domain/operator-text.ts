/** The rules of what an operator writes for others, a reason or a message, as a JSON Schema has them. */
export const OPERATOR_TEXT = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$',
} as const;

const TEXT = new RegExp(OPERATOR_TEXT.pattern, 'u');

/** Whether a value is a reason or a message: 1 to 255 characters, not all of them blanks, and none a control character. */
export function isOperatorText(value: unknown): value is string {
  return typeof value === 'string' && TEXT.test(value) && [...value].length <= OPERATOR_TEXT.maxLength;
}

/** @throws TypeError for a value that is no reason. */
export function expectReason(reason: string): void {
  if (!isOperatorText(reason)) throw new TypeError('a reason has 1 to 255 characters, no control characters');
}
