import { type Html, html, LANGUAGES, type Language, raw } from '@pinfold/http/internal';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import type { Flash } from '../response/flash.ts';
import { icon, iconSheet } from './icons.ts';
import { READ_ONLY_ID } from './parts.ts';
import { remarkList } from './problems.ts';

export interface PageParts {
  /** The window's title, before the product's name. */
  readonly title: string;
  readonly main: Html;
  readonly signedIn?: SignedInContext;
  readonly part?: 'publications' | 'names' | 'keys' | 'history' | 'administration';
  readonly head?: Html;
  /** Shown above the page instead of the message about what was just done. */
  readonly flash?: Flash;
  /** The page itself says that the service is read-only. */
  readonly showsMode?: boolean;
}

export function layout(visit: RequestContext, parts: PageParts): Html {
  const { words, base, assets, nonce, look } = visit;
  const flash = parts.flash ?? visit.flash;
  return html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${parts.title} · ${look.productName}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${base}/assets/${assets.style}">
${look.sheet === undefined ? undefined : html`<style nonce="${nonce}">${raw(look.sheet)}</style>`}
<link rel="icon" href="${base}/assets/${assets.icon}" type="image/svg+xml">
<script type="module" src="${base}/assets/${assets.script}" nonce="${nonce}"></script>
${parts.head}
</head>
<body data-copied="${words.say('copied')}">
${iconSheet()}
<a class="skip" href="#main">${words.say('skip')}</a>
<header class="top">
<div class="top-in">
${look.back === undefined ? undefined : html`<a class="back" href="${look.back.url}" dir="auto">${look.back.text}</a>`}
<a class="mark" href="${base}/">${look.logoUrl === undefined ? icon('pin') : html`<img src="${look.logoUrl}" alt="" height="24">`}<span dir="auto">${look.productName}</span></a>
${parts.signedIn === undefined ? undefined : navigation(parts.signedIn, parts.part)}
</div>
</header>
<main id="main" tabindex="-1">
${parts.signedIn?.mode.kind === 'read_only' && !parts.showsMode ? readOnlyView(parts.signedIn) : undefined}
${flash === undefined ? undefined : flashView(visit, flash)}
${parts.main}
</main>
<footer class="foot">
${look.languages.length === 1 ? undefined : look.languages.map((one) => languageLink(visit, one))}
</footer>
</body>
</html>`;
}

/** A page of one card. */
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
  const { words, base, displayName, formToken, offers, look } = visit;
  const current = (name: PageParts['part']) => (part === name ? html` aria-current="page"` : undefined);
  return html`<button type="button" class="menu-button" popovertarget="menu">${icon('menu')}${words.say('menu')}</button>
<div id="menu" class="top-menu" popover><nav aria-label="${words.say('navigation')}">
<a href="${base}/"${current('publications')}>${words.say('publications')}</a>
${offers.names ? html`<a href="${base}/names"${current('names')}>${words.say('names')}</a>` : undefined}
${offers.keys ? html`<a href="${base}/keys"${current('keys')}>${words.say('keys')}</a>` : undefined}
${offers.history ? html`<a href="${base}/history"${current('history')}>${words.say('history')}</a>` : undefined}
${offers.administration ? html`<a href="${base}/administration"${current('administration')}>${words.say('administration')}</a>` : undefined}
</nav>
<div class="who">
<span class="quiet clip" title="${words.say('accountNamed', { name: displayName })}" dir="auto">${displayName}</span>
${
  offers.signOut
    ? html`<form method="post" action="${base}/sign-out"><input type="hidden" name="form" value="${formToken}"><button class="plain">${words.say('signOut')}</button></form>`
    : look.signOutUrl && html`<a href="${look.signOutUrl}">${words.say('signOut')}</a>`
}
</div></div>`;
}

/** Every page says so while nothing can be changed. */
function readOnlyView({ words, mode: { message } }: SignedInContext): Html {
  return html`<section class="said warn" role="status">
${icon('bad')}<div class="said-text"><p id="${READ_ONLY_ID}">${words.say('readOnlyText')}</p>
${message === null ? undefined : html`<p dir="auto">${message}</p>`}</div>
</section>`;
}

function flashView({ words }: RequestContext, flash: Flash): Html {
  const text = words.say(flash.message, flash.values);
  return html`<section class="said ${flash.tone}" role="${flash.tone === 'good' ? 'status' : 'alert'}">
${icon(flash.tone)}<div class="said-text"><p dir="auto">${text}</p>
${flash.remarks === undefined || flash.remarks.length === 0 ? undefined : remarkList(words, flash.remarks)}</div>
</section>`;
}
