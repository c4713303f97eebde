import { createHash } from 'node:crypto';
import { type Html, html, raw } from './html.ts';
import { paletteOf } from './palette.ts';

/** Settings of the public pages, for people who follow a link. */
export interface PublicPage {
  /** The service's name, in previews of links. */
  readonly name: string;
  /** The URL for reporting a page: http, https or mailto. Default: none. */
  readonly reportUrl?: string | undefined;
}

const RULES = `*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;background:var(--page);color:var(--text);font:16px/1.5 var(--sans);overflow-wrap:anywhere}
:lang(ja){line-break:strict}
:lang(ja) h1{word-break:auto-phrase}
main{width:100%;max-width:28rem;padding:24px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
h1{margin:0 0 8px;font-size:var(--title);line-height:32px;font-weight:600;text-wrap:balance}
p{margin:0 0 8px;color:var(--quiet);text-wrap:pretty}
p:last-child{margin:0}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
a:hover{color:var(--accent-strong)}
h1+p~div{margin-top:24px}
form{display:grid;gap:16px;margin-top:16px}
label{display:block;margin-bottom:4px;font-weight:600}
input,button{width:100%;min-height:44px;padding:8px 12px;border-radius:var(--radius);font:inherit}
input{border:1px solid var(--edge);background:var(--surface);color:inherit}
input[aria-invalid]{border-color:var(--bad)}
button{border:1px solid transparent;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
button:hover{background:var(--accent-strong)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.problem{display:flex;gap:12px;margin:0;padding:12px;border:1px solid var(--bad);border-radius:var(--radius);background:var(--bad-faint);color:var(--text)}
main>.report{margin-top:24px;font-size:var(--small)}
.report a{color:inherit}
svg{flex:none;width:16px;height:24px;fill:none;stroke:var(--bad);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
h1 svg{width:24px;margin-right:8px;stroke:var(--accent);vertical-align:-4px}`;
const STYLE = paletteOf(RULES) + RULES;

/** The Content-Security-Policy of {@link publicPage}: it loads nothing but the icon in it, and cannot be framed. */
export const PUBLIC_POLICY: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  'img-src data:',
].join('; ');

const FAVICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3f5bd8"/><path d="M18.6 6.2 25.8 13.4 23.2 14.8 18.9 19.1 18.4 24 8 13.6l4.9-.5 4.3-4.3zM12.6 18.4 7 24" fill="none" stroke="#fff" stroke-width="2.2"/></svg>',
)}`;

/** Writes a page for people who follow a link. Its preview names the service and nothing of a publication. */
export function publicPage(
  { name, reportUrl }: PublicPage,
  page: {
    readonly language: string;
    readonly title: string;
    readonly content: Html;
    readonly report: string;
  },
): Html {
  return html`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<link rel="icon" href="${FAVICON}" type="image/svg+xml">
<meta property="og:site_name" content="${name}">
<meta property="og:title" content="${name}">
<meta property="og:type" content="website">
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
${page.content}${
  reportUrl &&
  html`
<p class="report"><a href="${reportUrl}">${page.report}</a></p>`
}
</main>
</body>
</html>
`;
}

/** @throws TypeError unless the address is http, https or mailto. */
export function checkReportUrl(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  if (URL.canParse(url) && /^(?:https?|mailto):$/.test(new URL(url).protocol)) return url;
  throw new TypeError('reportUrl must be an address of http, https or mailto');
}
