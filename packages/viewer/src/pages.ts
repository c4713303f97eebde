import { html } from 'ghtml';
import type { Language } from './accept-language.ts';
import { catalogues, type MessageId, waitInWords } from './catalogue.ts';
import { PAGE_STYLE } from './page-style.ts';

/** What went before, when the password is asked for again. */
export type PasswordNotice =
  | { readonly kind: 'wrong' }
  | { readonly kind: 'limited' | 'busy'; readonly seconds: number };

/** What went wrong is told by a shape too, not by the colour alone. */
const WARNING_SIGN =
  '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.8 15 14H1z"/><path d="M8 6v3.6m0 1.8v.2"/></svg>';

/** The page that asks for the password. Of the publication it says nothing. */
export function passwordPage(language: Language, notice?: PasswordNotice): string {
  const say = catalogues[language];
  const problem = notice === undefined ? '' : noticeText(language, notice);
  const described = problem === '' ? '' : ' aria-describedby="problem"';
  const invalid = notice?.kind === 'wrong' ? ' aria-invalid="true"' : '';
  return documentOf(
    language,
    problem === '' ? say.passwordTitle : `${problem} – ${say.passwordTitle}`,
    html`<h1>${say.passwordTitle}</h1>
<p>${say.passwordIntro}</p>
<form method="post">
!${problem === '' ? '' : html`<p class="problem" id="problem" role="alert">!${WARNING_SIGN}${problem}</p>`}
<div><label for="password">${say.passwordLabel}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus!${described}!${invalid}></div>
<button>${say.passwordButton}</button>
</form>`,
  );
}

function noticeText(language: Language, notice: PasswordNotice): string {
  const say = catalogues[language];
  switch (notice.kind) {
    case 'wrong':
      return say.passwordWrong;
    case 'busy':
      return say.busy;
    case 'limited':
      return say.tooManyTries.replace('{wait}', waitInWords(language, notice.seconds));
    default:
      return notice satisfies never;
  }
}

/** A page that says what happened, and what can be done. */
export interface PlainPage {
  readonly title: MessageId;
  readonly text: readonly MessageId[];
}

type PlainPageName =
  | 'badForm'
  | 'badRequest'
  | 'cookiesCleared'
  | 'error'
  | 'expired'
  | 'forbidden'
  | 'foreignForm'
  | 'method'
  | 'misdirected'
  | 'missingPage'
  | 'notFound'
  | 'serviceWorker'
  | 'tooManyCookies'
  | 'unavailable';

/** Every page that asks nothing. */
export const plainPages: Readonly<Record<PlainPageName, PlainPage>> = {
  badForm: { title: 'badFormTitle', text: ['badFormText'] },
  badRequest: { title: 'badRequestTitle', text: ['badRequestText'] },
  cookiesCleared: { title: 'cookiesTitle', text: ['cookiesText', 'cookiesCleared', 'cookiesClear'] },
  error: { title: 'errorTitle', text: ['errorText'] },
  expired: { title: 'expiredTitle', text: ['expiredText', 'askSender'] },
  forbidden: { title: 'forbiddenTitle', text: ['forbiddenText'] },
  foreignForm: { title: 'foreignFormTitle', text: ['foreignFormText'] },
  method: { title: 'methodTitle', text: ['methodText'] },
  misdirected: { title: 'misdirectedTitle', text: ['misdirectedText', 'askSender'] },
  missingPage: { title: 'missingPageTitle', text: ['missingPageText'] },
  notFound: { title: 'notFoundTitle', text: ['notFoundText', 'askSender'] },
  serviceWorker: { title: 'serviceWorkerTitle', text: ['serviceWorkerText'] },
  tooManyCookies: { title: 'cookiesTitle', text: ['cookiesText', 'cookiesClear'] },
  unavailable: { title: 'unavailableTitle', text: ['unavailableText'] },
};

/** Writes a {@link PlainPage}. */
export function plainPage(language: Language, page: PlainPage): string {
  return documentOf(language, catalogues[language][page.title], contentOf(language, page));
}

/** Writes a {@link PlainPage} in every language, one below the other. */
export function bilingualPage(page: PlainPage): string {
  const japanese = html`<div lang="ja">!${contentOf('ja', page)}</div>`;
  return documentOf('en', catalogues.en[page.title], `${contentOf('en', page)}\n${japanese}`);
}

function contentOf(language: Language, { title, text }: PlainPage): string {
  const say = catalogues[language];
  const paragraphs = text.map((id) => html`<p>${say[id]}</p>`).join('\n');
  return html`<h1>${say[title]}</h1>!${paragraphs}`;
}

function documentOf(language: Language, title: string, content: string): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>!${PAGE_STYLE}</style>
</head>
<body>
<main>
!${content}
</main>
</body>
</html>
`;
}
