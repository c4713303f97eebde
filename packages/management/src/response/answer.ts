import type { AccountId } from '@pinfold/core';
import type { Html, Answer as WireAnswer } from '@pinfold/http/internal';
import type { Flash } from './flash.ts';

export interface LogFields {
  readonly account?: AccountId;
  readonly key?: string;
  /** Why nothing was done. */
  readonly outcome?: string;
  /** What of the operator's rules did not hold. */
  readonly reason?: string;
  readonly error?: Error;
}

export type Answer = { readonly log?: LogFields } & (
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly html: Html;
      /** The page, once it is written, and until it is sent. */
      body?: Buffer | undefined;
      readonly coding?: 'gzip';
      readonly retryAfter?: number;
    }
  /** A redirect; the flash message is shown there if that is a page of this screen. */
  | { readonly kind: 'see_other'; readonly status: 303; readonly to: string; readonly flash?: Flash }
  /** A ZIP, a part of it, or why none of it is sent: without a page. */
  | { readonly kind: 'download'; readonly status: number; readonly answer: WireAnswer }
  | { readonly kind: 'picture'; readonly status: 200; readonly svg: string }
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly retryAfter?: number }
);

export function page(markup: Html, status = 200): Answer {
  return { kind: 'page', status, html: markup };
}

export function seeOther(to: string, flash?: Flash): Answer {
  return { kind: 'see_other', status: 303, to, ...(flash === undefined ? {} : { flash }) };
}

export function logged<Given extends Answer>(answer: Given, log: LogFields): Given {
  return { ...answer, log: { ...answer.log, ...log } };
}

/** An address of this screen as a path. Two slashes, or what browsers take for them, would name another host. */
export function onThisHost(path: string): string {
  return path.replace(/^[/\\\s]+/, '/');
}
