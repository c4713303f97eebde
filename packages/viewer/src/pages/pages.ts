import { type Html, html, raw } from '@pinfold/http';
import { catalogues, type Language, type MessageId, waitInWords } from './catalogue.ts';
import { PAGE_STYLE } from './page-style.ts';

/** What went before, when the password is asked for again. */
export type PasswordNotice =
  | { readonly kind: 'wrong' }
  | { readonly kind: 'limited' | 'busy'; readonly seconds: number };

/** What went wrong is told by a shape too, not by the colour alone. */
const WARNING_SIGN = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.8 15 14H1z"/><path d="M8 6v3.6m0 1.8v.2"/></svg>`;

/** The page that asks for the password. Of the publication it says nothing. */
export function passwordPage(language: Language, notice?: PasswordNotice): string {
  const say = catalogues[language];
  const problem = notice && noticeText(language, notice);
  return documentOf(
    language,
    problem === undefined ? say.passwordTitle : `${problem} – ${say.passwordTitle}`,
    html`<h1>${say.passwordTitle}</h1>
<p>${say.passwordIntro}</p>
<form method="post">
${problem && html`<p class="problem" id="problem" role="alert">${WARNING_SIGN}${problem}</p>`}
<div><label for="password">${say.passwordLabel}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus${problem && html` aria-describedby="problem"`}${notice?.kind === 'wrong' && html` aria-invalid="true"`}></div>
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

/** Every page that asks nothing. */
export const plainPages = {
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
  notAdmitted: { title: 'notAdmittedTitle', text: ['notAdmittedText', 'askSender'] },
  notFound: { title: 'notFoundTitle', text: ['notFoundText', 'askSender'] },
  serviceWorker: { title: 'serviceWorkerTitle', text: ['serviceWorkerText'] },
  tooManyCookies: { title: 'cookiesTitle', text: ['cookiesText', 'cookiesClear'] },
  unavailable: { title: 'unavailableTitle', text: ['unavailableText'] },
} as const;

/** Writes a {@link PlainPage}. */
export function plainPage(language: Language, page: PlainPage): string {
  return documentOf(language, catalogues[language][page.title], contentOf(language, page));
}

/** Writes a {@link PlainPage} in every language, one below the other. */
export function bilingualPage(page: PlainPage): string {
  const content = html`${contentOf('en', page)}
<div lang="ja">${contentOf('ja', page)}</div>`;
  return documentOf('en', catalogues.en[page.title], content);
}

function contentOf(language: Language, { title, text }: PlainPage): Html {
  const say = catalogues[language];
  return html`<h1>${say[title]}</h1>${text.map(
    (id) => html`
<p>${say[id]}</p>`,
  )}`;
}

function documentOf(language: Language, title: string, content: Html): string {
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
  return String(page);
}
