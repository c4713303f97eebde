import { createHash } from 'node:crypto';
import {
  ALL_LANGUAGES,
  type Html,
  html,
  PUBLIC_IMAGES,
  type PublicPage,
  paletteOf,
  preferredLanguage,
  publicHead,
  raw,
} from '@pinfold/http/internal';

const PALETTE = paletteOf(
  ...(['page', 'surface', 'text', 'quiet', 'line', 'accent', 'accent-strong'] as const),
  ...(['sans', 'title', 'radius'] as const),
);

const STYLE = `${PALETTE}*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;background:var(--page);color:var(--text);font:16px/1.5 var(--sans);overflow-wrap:anywhere}
:lang(ja){line-break:strict}
:lang(ja) h1{word-break:auto-phrase}
main{width:100%;max-width:28rem;padding:24px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
h1{display:flex;align-items:center;gap:8px;margin:0 0 8px;font-size:var(--title);line-height:32px;font-weight:600}
svg{flex:none;width:24px;height:24px;fill:none;stroke:var(--accent);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
p{margin:0 0 8px;color:var(--quiet);text-wrap:pretty}
p:last-child{margin:0}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:3px}
a:hover{color:var(--accent-strong)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}`;

const PIN = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M9.5 1.8 14.2 6.5 12.6 7.4 9.9 10.1 9.6 13.2 2.8 6.4 5.9 6.1 8.6 3.4z"/><path d="M6 10 2 14"/></svg>`;

/** The page's Content-Security-Policy: it loads only the icon in it, and no page may frame it. */
export const INDEX_POLICY: string = [
  "default-src 'none'",
  PUBLIC_IMAGES,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
].join('; ');

const words = {
  en: {
    lang: 'en',
    report: 'Report a page',
    text: 'Pinfold shares static sites by link. If someone sent you a link, check that you copied all of it.',
    publish: html`To publish, open the <a href="manage/">management screen</a>, or send a ZIP with your API key; see the <a href="openapi.json">API reference</a>.`,
  },
  ja: {
    lang: 'ja',
    report: 'ページを報告',
    text: 'サイトをリンクで共有するサービスです。リンクを受け取った方は、全体をコピーしたか確かめてください。',
    publish: html`公開するには、<a href="manage/">管理画面</a>を開くか、API キーを添えて ZIP を送ります。方法は <a href="openapi.json">API リファレンス</a>にあります。`,
  },
} as const;

export function indexPage(acceptLanguage: string | undefined, service: PublicPage): Html {
  const { lang, text, publish, report } = words[preferredLanguage(acceptLanguage, ALL_LANGUAGES)];
  return html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pinfold</title>
${publicHead(service)}
<style>${raw(STYLE)}</style>
</head>
<body>
<main>
<h1>${PIN}Pinfold</h1>
<p>${text}</p>
<p>${publish}</p>
${service.reportUrl && html`<p><a href="${service.reportUrl}">${report}</a></p>`}
</main>
</body>
</html>
`;
}
