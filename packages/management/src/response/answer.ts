import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountId, Warning } from '@pinfold/core';
import type { Html, Answer as WireAnswer } from '@pinfold/http/internal';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';

/** Bytes of JSON. Browsers accept cookies of 4,096 bytes, and base64 makes the text a third longer. */
const MAX_LENGTH = 2_600;

interface LogFields {
  readonly account?: AccountId;
  readonly key?: string;
  /** The code of the refusal. */
  readonly outcome?: string;
  /** The rule of the operator that refused a sign-in. */
  readonly reason?: string;
  readonly error?: Error;
}

/** A message about what was just done, shown on the next page. It is in a cookie, so nothing in it is secret. */
export interface Flash {
  readonly tone: 'good' | 'bad';
  readonly message: MessageId;
  readonly values?: Values;
  readonly warnings?: readonly Warning[];
}

export type Answer = { readonly log?: LogFields } & (
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly html: Html;
      /** The written page; removed once it is sent. */
      body?: Buffer | undefined;
      readonly coding?: 'gzip';
      readonly retryAfter?: number;
    }
  /** A redirect; a page of this screen then shows the flash message. */
  | { readonly kind: 'see_other'; readonly status: 303; readonly to: string; readonly flash?: Flash }
  /** A picture, a ZIP, a range of it, or a refusal without a page. */
  | { readonly kind: 'file'; readonly status: number; readonly answer: WireAnswer }
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly retryAfter?: number }
);

export function page(markup: Html, status = 200): Answer {
  return { kind: 'page', status, html: markup };
}

export function seeOther(to: string, flash?: Flash): Answer {
  return { kind: 'see_other', status: 303, to, ...(flash === undefined ? {} : { flash }) };
}

export function withLog<Given extends Answer>(answer: Given, log: LogFields): Given {
  return { ...answer, log: { ...answer.log, ...log } };
}

/** Makes an address a path of this host: browsers read two leading slashes or backslashes as another host. */
export function onThisHost(path: string): string {
  return path.replace(/^[/\\\s]+/, '/');
}

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
