import type { AccountId } from '@pinfold/core';
import type { Html, Answer as WireAnswer } from '@pinfold/http/internal';
import type { Flash } from './flash.ts';

export interface LogFields {
  readonly account?: AccountId;
  readonly key?: string;
  /** The code of the refusal. */
  readonly outcome?: string;
  /** The rule of the operator that refused a sign-in. */
  readonly reason?: string;
  readonly error?: Error;
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
  /** A ZIP, a range of it, or a refusal without a page. */
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

export function withLog<Given extends Answer>(answer: Given, log: LogFields): Given {
  return { ...answer, log: { ...answer.log, ...log } };
}

/** Makes an address a path of this host: browsers read two leading slashes or backslashes as another host. */
export function onThisHost(path: string): string {
  return path.replace(/^[/\\\s]+/, '/');
}
