import { type Html, html, LANGUAGES, type Language, raw } from '@pinfold/http/internal';
import { remarkList } from '../problem-lists.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import type { Flash } from '../response/flash.ts';
import { buttonForm, READ_ONLY_ID } from './forms.ts';
import { icon, iconSheet } from './icons.ts';

/** The parts of the screen that a person may have beside the publications. */
const PARTS = ['names', 'keys', 'history', 'administration'] as const;

export interface PageParts {
  readonly title: string;
  readonly main: Html;
  readonly signedIn?: SignedInContext;
  readonly part?: 'publications' | (typeof PARTS)[number];
  readonly head?: Html;
  /** Shown above the page instead of the message about what was just done. */
  readonly flash?: Flash;
  /** The page itself says that the service is read-only. */
  readonly showsMode?: boolean;
}

export function layout(visit: RequestContext, parts: PageParts): Html {
  const { words, base, nonce, screen } = visit;
  const { look } = screen;
  const assets = `${base}/assets`;
  const { style, icon: mark, script } = screen.assets.names;
  const flash = parts.flash ?? visit.flash;
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${parts.title} · ${look.productName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${assets}/${style}">
${look.sheet && html`<style nonce="${nonce}">${raw(look.sheet)}</style>`}
<link rel="icon" href="${assets}/${mark}" type="image/svg+xml">
<script type="module" src="${assets}/${script}" nonce="${nonce}"></script>
${parts.head}
</head>
<body data-copied="${words.say('copied')}">
${iconSheet()}
<a class="skip" href="#main">${words.say('skip')}</a>
<header class="top">
<div class="top-in">
${look.back && html`<a class="back" href="${look.back.url}" dir="auto">${look.back.text}</a>`}
<a class="mark" href="${base}/">${look.logoUrl === undefined ? icon('pin') : html`<img src="${look.logoUrl}" alt="" height="24">`}<span dir="auto">${look.productName}</span></a>
${parts.signedIn && navigation(parts.signedIn, parts.part)}
</div>
</header>
<main id="main" tabindex="-1">
${parts.signedIn?.mode.kind === 'read_only' && !parts.showsMode ? readOnlyView(parts.signedIn) : undefined}
${flash && flashView(visit, flash)}
${parts.main}
</main>
<footer class="foot">
${look.languages.length > 1 && look.languages.map((one) => languageLink(visit, one))}
</footer>
</body>
</html>`;
}

export function cardPage(
  visit: RequestContext,
  title: string,
  content: Html,
  parts: Omit<PageParts, 'main' | 'title'> = {},
): Html {
  const main = html`<section class="card narrow"><h1>${title}</h1>
${content}</section>`;
  return layout(visit, { ...parts, title, main });
}

function languageLink({ words }: RequestContext, language: Language): Html {
  const { name } = LANGUAGES[language];
  return language === words.language
    ? html`<span lang="${language}" aria-current="true">${name}</span>`
    : html`<a lang="${language}" hreflang="${language}" href="?language=${language}">${name}</a>`;
}

function navigation(visit: SignedInContext, part: PageParts['part']): Html {
  const { words, base, displayName, offers, screen } = visit;
  const { signOutUrl } = screen.look;
  const link = (name: NonNullable<typeof part>, path = `/${name}`) =>
    html`<a href="${base}${path}"${part === name && html` aria-current="page"`}>${words.say(name)}</a>
`;
  return html`<button type="button" class="menu-button" popovertarget="menu">${icon('menu')}${words.say('menu')}</button>
<div id="menu" class="top-menu" popover><nav aria-label="${words.say('navigation')}">
${link('publications', '/')}${PARTS.map((name) => offers[name] && link(name))}</nav>
<div class="who">
<span class="quiet clip" title="${words.say('accountNamed', { name: displayName })}" dir="auto">${displayName}</span>
${
  offers.signOut
    ? buttonForm(visit, `${base}/sign-out`, words.say('signOut'), html` class="plain"`)
    : signOutUrl && html`<a href="${signOutUrl}">${words.say('signOut')}</a>`
}
</div></div>`;
}

function readOnlyView({ words, mode: { message } }: SignedInContext): Html {
  return html`<section class="said warn" role="status">
${icon('bad')}<div class="said-text"><p id="${READ_ONLY_ID}">${words.say('read_only')}</p>
${message && html`<p dir="auto">${message}</p>`}</div>
</section>`;
}

function flashView({ words }: RequestContext, flash: Flash): Html {
  const text = words.say(flash.message, flash.values);
  return html`<section class="said ${flash.tone}" role="${flash.tone === 'good' ? 'status' : 'alert'}">
${icon(flash.tone)}<div class="said-text"><p dir="auto">${text}</p>
${flash.remarks?.length ? remarkList(words, flash.remarks) : undefined}</div>
</section>`;
}
