import type { Html } from '@pinfold/http';
import type { Flash } from './flash.ts';

/** What a handler wants sent. */
export type Answer =
  | { readonly kind: 'page'; readonly status: number; readonly html: Html; readonly retryAfter?: number }
  /** Elsewhere, by GET; what is said is shown there, where that is on this screen. */
  | { readonly kind: 'see_other'; readonly to: string; readonly said?: Flash }
  | { readonly kind: 'picture'; readonly svg: string }
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown; readonly retryAfter?: number };

/** A page, with 200 unless another status is given. */
export function page(markup: Html, status = 200): Answer {
  return { kind: 'page', status, html: markup };
}

/** A redirect that ends a form. */
export function seeOther(to: string, said?: Flash): Answer {
  return { kind: 'see_other', to, ...(said === undefined ? {} : { said }) };
}

/**
 * An address of this screen as a path that stays on its host: where the screen is mounted at the root, a path that
 * begins with two slashes, or with what browsers take for them, would name another.
 */
export function onThisHost(path: string): string {
  return path.replace(/^[/\\\s]+/, '/');
}
