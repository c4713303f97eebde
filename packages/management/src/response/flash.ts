import { createHmac } from 'node:crypto';
import type { KeptWarning } from '@pinfold/core';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import { isSameToken } from '../request/form-guard.ts';

/** What the next page says of what was just done. It crosses in a cookie, so nothing in it is secret. */
export interface Flash {
  readonly tone: 'good' | 'bad';
  readonly message: MessageId;
  readonly values?: Values;
  readonly remarks?: readonly KeptWarning[];
}

/** Browsers keep 4,096 bytes of a cookie; base64 and the name take their part. */
const LONGEST = 2_600;

/** Signs what is said for the one browser that is told it: nobody makes one without the browser's secret. */
export function signSaid(said: Flash, secret: string): string {
  const text = Buffer.from(fitting(said)).toString('base64url');
  return `${text}.${signature(text, secret)}`;
}

/** Reads what was signed with the same secret; `undefined` for anything else. */
export function readSaid(signed: string, secret: string): Flash | undefined {
  const [text = '', sent] = signed.split('.');
  if (!isSameToken(signature(text, secret), sent)) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Flash;
}

/** As many remarks as a cookie carries. */
function fitting(said: Flash): string {
  for (let remarks = said.remarks; ; remarks = remarks.slice(0, -1)) {
    const text = JSON.stringify(remarks === undefined ? said : { ...said, remarks });
    if (remarks === undefined || remarks.length === 0 || Buffer.byteLength(text) <= LONGEST) return text;
  }
}

function signature(text: string, secret: string): string {
  return createHmac('sha256', secret).update(`pinfold said\n${text}`).digest('base64url');
}
