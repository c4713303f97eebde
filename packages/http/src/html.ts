import { raw as asItIs, html as tag } from 'hono/html';

/** Markup whose values were escaped. */
export type Html = ReturnType<typeof asItIs>;

/** What stands in markup: text and numbers are escaped, markup stays, and what is absent or a truth value is nothing. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[];

/**
 * Writes markup. Values are escaped, unless they are markup themselves.
 *
 * @example
 * import { html } from '@pinfold/http/internal';
 *
 * String(html`<p title="${'"'}">${'<b>'}${html`<br>`}</p>`); // <p title="&quot;">&lt;b&gt;<br></p>
 */
export const html: (strings: TemplateStringsArray, ...values: readonly HtmlValue[]) => Html = tag as (
  ...all: Parameters<typeof tag>
) => Html;

/**
 * Marks a text of ours as markup. Never use it for input.
 *
 * @example
 * import { html, raw } from '@pinfold/http/internal';
 *
 * const style = 'p>a{color:red}';
 * html`<style>${raw(style)}</style>`;
 */
export const raw: (markup: string) => Html = asItIs;
