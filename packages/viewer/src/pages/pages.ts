import {
  ALL_LANGUAGES,
  type Html,
  html,
  type Language,
  type PublicPage,
  publicPage,
} from '@pinfold/http/internal';
import { textsIn } from '@pinfold/http/internal/texts';
import { COOKIES_PAGE, PAGES, type PageName, TEXTS, waitText } from './catalogue.ts';

/** The reason for asking for the password again; its kind is the outcome in the log. */
export type PasswordNotice =
  | { readonly kind: 'wrong_password'; readonly seconds?: never }
  | { readonly kind: 'too_many_tries' | 'busy'; readonly seconds: number };

const PINFOLD: PublicPage = { name: 'Pinfold' };

/** Marks errors by a shape, not only by a color. */
const WARNING_SIGN = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M8 1.8 15 14H1z"/><path d="M8 6v3.6m0 1.8v.2"/></svg>`;

/** The page that asks for the password. It reveals nothing about the publication. */
export function passwordPage(
  language: Language,
  notice?: PasswordNotice,
  service: PublicPage = PINFOLD,
): string {
  const texts = textsIn(language, TEXTS);
  const problem = notice && texts[notice.kind].replace('{wait}', waitText(language, notice.seconds ?? 0));
  return documentOf(
    language,
    problem === undefined ? texts.passwordTitle : `${problem} – ${texts.passwordTitle}`,
    html`<h1>${texts.passwordTitle}</h1>
<p>${texts.passwordIntro}</p>
<form method="post">
${problem && html`<p class="problem" id="problem" role="alert">${WARNING_SIGN}${problem}</p>`}
<div><label for="password">${texts.passwordLabel}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus${problem && html` aria-describedby="problem"`}${notice?.kind === 'wrong_password' && html` aria-invalid="true"`}></div>
<button>${texts.passwordButton}</button>
</form>`,
    service,
  );
}

/** The page for a browser that stores no cookies of `host`, with a link to the shared URL. */
export function cookiesPage(
  language: Language,
  { host, url }: { readonly host: string; readonly url: string },
  service: PublicPage = PINFOLD,
): string {
  const [title, ...sentences] = COOKIES_PAGE[language];
  return documentOf(
    language,
    title,
    html`<h1>${title}</h1>${sentences.map(
      (sentence) => html`
<p>${sentence.replace('{host}', host)}</p>`,
    )}
<p><a href="${url}">${TEXTS.cookiesLink[language]}</a></p>`,
    service,
  );
}

export function plainPage(language: Language, page: PageName, service: PublicPage = PINFOLD): string {
  return documentOf(language, PAGES[page][language][0], contentOf(language, page), service);
}

export function pageInEveryLanguage(page: PageName): string {
  const [first, ...others] = ALL_LANGUAGES;
  const content = html`${contentOf(first, page)}${others.map(
    (language) => html`
<div lang="${language}">${contentOf(language, page)}</div>`,
  )}`;
  return documentOf(first, PAGES[page][first][0], content);
}

function contentOf(language: Language, page: PageName): Html {
  const [title, ...sentences] = PAGES[page][language];
  return html`<h1>${title}</h1>${sentences.map(
    (sentence) => html`
<p>${sentence}</p>`,
  )}`;
}

function documentOf(language: Language, title: string, content: Html, service: PublicPage = PINFOLD): string {
  return String(publicPage(service, { language, title, content, report: TEXTS.report[language] }));
}
