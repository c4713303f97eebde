import { stringify } from 'node:querystring';
import { type Html, html, LANGUAGES, type Language, raw } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { warningList } from '../problem-lists.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { type Flash, onThisHost } from '../response/answer.ts';
import { buttonForm, READ_ONLY_ID } from './forms.ts';
import { icon, iconSheet } from './parts.ts';
import { filters } from './tables.ts';

/** The optional parts of the screen for everyone. */
const PARTS = ['names', 'keys', 'history'] as const;

const ADMINISTRATION_PARTS = [
  ['accounts', ''],
  ['allPublications', '/publications'],
  ['takedowns', '/takedowns'],
  ['history', '/history'],
  ['sessions', '/sessions'],
  ['service', '/service'],
] as const;

interface PageParts {
  readonly title: string;
  readonly main: Html;
  /** The part that the navigation marks. */
  readonly part?: 'publications' | (typeof PARTS)[number] | 'administration';
  /** Whether there is no navigation, even for a person who has signed in: the page leads away. */
  readonly isBare?: boolean;
  readonly head?: Html;
  /** Replaces the flash message of the cookie. */
  readonly flash?: Flash;
  /** Whether the page itself shows the mode, so that the layout need not. */
  readonly showsMode?: boolean;
}

export function layout(context: RequestContext, parts: PageParts): Html {
  const { messages, base, nonce, screen } = context;
  const { branding } = screen;
  const assets = `${base}/assets`;
  const { style, icon: mark, script } = screen.assets.names;
  const flash = parts.flash ?? context.flash;
  const signedIn = isSignedIn(context) && !parts.isBare ? context : undefined;
  return html`<!doctype html>
<html lang="${messages.language}">
<head>
<meta charset="utf-8">
<title>${parts.title} · ${branding.productName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assets}/${style}">
${branding.sheet && html`<style nonce="${nonce}">${raw(branding.sheet)}</style>`}
<link rel="icon" href="${assets}/${mark}" type="image/svg+xml">
<script type="module" src="${assets}/${script}" nonce="${nonce}"></script>
${parts.head}
</head>
<body data-copied="${messages.text('copied')}">
${iconSheet()}
<a class="skip" href="#main">${messages.text('skip')}</a>
<header class="top">
<div class="top-in">
${branding.back && html`<a class="back" href="${branding.back.url}" dir="auto">${branding.back.text}</a>`}
<a class="mark" href="${base}/">${branding.logoUrl === undefined ? icon('pin') : html`<img src="${branding.logoUrl}" alt="" height="24">`}<span dir="auto">${branding.productName}</span></a>
${signedIn && navigation(signedIn, parts.part)}
</div>
</header>
<main id="main" tabindex="-1">
${signedIn?.mode.kind === 'read_only' && !parts.showsMode && readOnlyView(signedIn)}
${flash && flashView(context, flash)}
${parts.main}
</main>
<footer class="foot">
${branding.languages.length > 1 && branding.languages.map((one) => languageLink(context, one))}
</footer>
</body>
</html>`;
}

/** On the answer to a form, leads to the page above it: nothing is shown at the form's own address. */
function languageLink({ messages, query, request }: RequestContext, language: Language): Html {
  const { name } = LANGUAGES[language];
  const path = request.method === 'POST' ? './' : '';
  return language === messages.language
    ? html`<span lang="${language}" aria-current="true">${name}</span>`
    : html`<a lang="${language}" hreflang="${language}" href="${path}?${stringify({ ...query, language })}">${name}</a>`;
}

function navigation(context: SignedInContext, part: PageParts['part']): Html {
  const { messages, base, displayName, isAdministrator, screen } = context;
  const { signOutUrl } = screen.branding;
  const link = (name: NonNullable<typeof part>, path = `/${name}`) =>
    html`<a href="${base}${path}"${part === name && html` aria-current="page"`}>${messages.text(name)}</a>
`;
  return html`<button type="button" class="menu-button" popovertarget="menu">${icon('menu')}${messages.text('menu')}</button>
<div id="menu" class="top-menu" popover><nav aria-label="${messages.text('navigation')}">
${link('publications', '/')}${PARTS.map((name) => screen[name] && link(name))}${isAdministrator && link('administration')}</nav>
<div class="who">
<span class="quiet clip" title="${messages.text('accountNamed', { name: displayName })}" dir="auto">${displayName}</span>
${
  screen.sessions
    ? buttonForm(context, `${base}/sign-out`, messages.text('signOut'), html` class="plain"`)
    : signOutUrl && html`<a href="${signOutUrl}">${messages.text('signOut')}</a>`
}
</div></div>`;
}

function readOnlyView({ messages, mode: { message } }: SignedInContext): Html {
  return html`<section class="flash warn" role="status">
${icon('bad')}<div class="flash-text"><p id="${READ_ONLY_ID}">${messages.text('read_only')}</p>
${message && html`<p dir="auto">${message}</p>`}</div>
</section>`;
}

function flashView({ messages }: RequestContext, flash: Flash): Html {
  const text = messages.text(flash.message, flash.values);
  return html`<section class="flash ${flash.tone}" role="${flash.tone === 'good' ? 'status' : 'alert'}">
${icon(flash.tone)}<div class="flash-text"><p dir="auto">${text}</p>
${flash.warnings?.length ? warningList(messages, flash.warnings) : undefined}</div>
</section>`;
}

/** A page for administrators; `title` defaults to the part's. */
export function administrationPage(
  context: SignedInContext,
  part: (typeof ADMINISTRATION_PARTS)[number][0],
  main: Html,
  { title, isReasonWrong }: { readonly title?: string; readonly isReasonWrong?: boolean } = {},
): Html {
  const { messages, base, screen } = context;
  const shown = ADMINISTRATION_PARTS.filter(
    ([name]) => (name !== 'history' && name !== 'sessions') || screen[name] !== undefined,
  );
  const links = shown.map(([name, path]) => [name, `${base}/administration${path}`, name === part] as const);
  const flash: Flash = { tone: 'bad', message: 'reasonWrong' };
  return layout(context, {
    ...(isReasonWrong ? { flash } : {}),
    title: title ?? messages.text(part),
    part: 'administration',
    showsMode: part === 'service',
    main: html`${filters(context, 'administration', links)}
${main}`,
  });
}

export function accountPath({ base }: SignedInContext, name: string): string {
  return `${base}/administration/accounts/${encodeURIComponent(name)}`;
}

export function accountLink(context: SignedInContext, name: string): Html {
  return html`<a href="${accountPath(context, name)}" class="clip" title="${name}" dir="auto">${name}</a>`;
}

export function cardPage(
  context: RequestContext,
  title: string,
  content: Html,
  parts: Omit<PageParts, 'main' | 'title'> = {},
): Html {
  const main = html`<section class="card narrow"><h1>${title}</h1>
${content}</section>`;
  return layout(context, { ...parts, title, main });
}

export function errorView(
  context: RequestContext,
  title: MessageId,
  text: MessageId,
  note: string | null = null,
): Html {
  const { messages, base } = context;
  const back = isSignedIn(context) ? 'backToList' : 'signIn';
  const content = html`<p>${messages.text(text)}</p>
${note && html`<p dir="auto">${note}</p>`}
<p><a class="button" href="${base}/">${messages.text(back)}</a></p>`;
  return cardPage(context, messages.text(title), content);
}

function isSignedIn(context: RequestContext): context is SignedInContext {
  return 'caller' in context;
}

export function signInFirstView(context: RequestContext): Html {
  const { messages, screen } = context;
  const { signInUrl } = screen.branding;
  if (signInUrl === undefined) return errorView(context, 'signInFirstTitle', 'signInFirstText');
  const content = html`<p><a class="button" href="${signInUrl}">${messages.text('signIn')}</a></p>`;
  return cardPage(context, messages.text('signInFirstTitle'), content, { isBare: true });
}

/** A page that reloads itself, or opens another page of this screen: browsers then send SameSite=Strict cookies. */
export function bounceView(context: RequestContext, to: string = context.base + context.request.url): Html {
  return leaveView(context, onThisHost(to));
}

/** A page that opens another site: browsers would block the redirect of a form to it. */
export function leaveView(
  context: RequestContext,
  url: string,
  title: MessageId = 'continueTitle',
  link: MessageId = 'continueHere',
): Html {
  const { messages } = context;
  const content = html`<p><a class="button" href="${url}">${messages.text(link)}</a></p>`;
  const head = html`<meta http-equiv="refresh" content="0; url=${url}">`;
  return cardPage(context, messages.text(title), content, { head, isBare: true });
}
