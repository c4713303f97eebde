import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Warning } from '@pinfold/core';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';

/** A message about what was just done, shown on the next page. It is in a cookie, so nothing in it is secret. */
export interface Flash {
  readonly tone: 'good' | 'bad';
  readonly message: MessageId;
  readonly values?: Values;
  readonly warnings?: readonly Warning[];
}

/** Bytes of JSON. Browsers accept cookies of 4,096 bytes, and base64 makes the text a third longer. */
const MAX_LENGTH = 2_600;

/** Signs a message for one browser: it cannot be forged without that browser's secret. */
export function signFlash(flash: Flash, secret: string): string {
  const text = Buffer.from(serializeWithinLimit(flash)).toString('base64url');
  return `${text}.${signature(text, secret)}`;
}

/** Reads a signed message; `undefined` unless it is JSON that was signed with this secret. */
export function readFlash(signed: string, secret: string): Flash | null | undefined {
  const [text = '', sent] = signed.split('.');
  const [expected, given] = [Buffer.from(signature(text, secret)), Buffer.from(sent ?? '')];
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Flash | null;
  } catch {
    return undefined;
  }
}

function serializeWithinLimit(flash: Flash): string {
  for (let warnings = flash.warnings; ; warnings = warnings.slice(0, -1)) {
    const text = JSON.stringify(warnings === undefined ? flash : { ...flash, warnings });
    if (warnings === undefined || warnings.length === 0 || Buffer.byteLength(text) <= MAX_LENGTH) return text;
  }
}

function signature(text: string, secret: string): string {
  return createHmac('sha256', secret).update(`pinfold flash\n${text}`).digest('base64url');
}
