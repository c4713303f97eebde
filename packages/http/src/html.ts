import { raw as asItIs, html as tag } from 'hono/html';

/** Markup whose values were escaped. */
export type Html = ReturnType<typeof asItIs>;

/** What stands in markup: text and numbers are escaped, markup stays, and what is absent or a truth value is nothing. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[];

/** Writes markup. Values are escaped, unless they are markup themselves. */
export const html: (strings: TemplateStringsArray, ...values: readonly HtmlValue[]) => Html = tag as (
  ...all: Parameters<typeof tag>
) => Html;

/** Marks a text of ours as markup. Never use it for input. */
export const raw: (markup: string) => Html = asItIs;
