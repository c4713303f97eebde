import { createHash } from 'node:crypto';

/** In the palette of every screen of Pinfold. */
const STYLE = `:root{color-scheme:light dark;
--page:light-dark(oklch(0.982 0.003 95),oklch(0.185 0.008 265));
--surface:light-dark(oklch(1 0 0),oklch(0.225 0.01 265));
--text:light-dark(oklch(0.245 0.018 265),oklch(0.935 0.006 265));
--quiet:light-dark(oklch(0.49 0.018 265),oklch(0.73 0.014 265));
--line:light-dark(oklch(0.9 0.006 265),oklch(0.335 0.014 265));
--accent:light-dark(oklch(0.5 0.17 268),oklch(0.76 0.11 268));
--accent-strong:light-dark(oklch(0.44 0.17 268),oklch(0.82 0.09 268));
--sans:system-ui,"Hiragino Sans","Noto Sans JP","Noto Sans CJK JP","Yu Gothic UI",Meiryo,sans-serif;
--title:1.5rem;
--radius:8px}
*{box-sizing:border-box}
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

/** The pin beside the name, as on the management screen. */
const PIN =
  '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M9.5 1.8 14.2 6.5 12.6 7.4 9.9 10.1 9.6 13.2 2.8 6.4 5.9 6.1 8.6 3.4z"/><path d="M6 10 2 14"/></svg>';

/** The page's Content-Security-Policy: nothing is loaded but the icon in it, and nobody frames it. */
export const INDEX_POLICY: string = [
  "default-src 'none'",
  'img-src data:',
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
].join('; ');

const words = {
  en: {
    lang: 'en',
    text: 'Folders become links here. If somebody sent you one, open all of it: it is longer than this address.',
    publish:
      'To publish, open the <a href="manage/">management screen</a>, or send a ZIP with your API key; the <a href="openapi.json">API document</a> says how.',
  },
  ja: {
    lang: 'ja',
    text: 'フォルダーをリンクにして共有するサーバーです。受け取った共有 URL は、この先にも続きがあります。全体を開いてください。',
    publish:
      '公開するには、<a href="manage/">管理画面</a>を開くか、API キーを添えて ZIP を送ります。方法は <a href="openapi.json">API の文書</a>にあります。',
  },
} as const;

/** What somebody sees who opens the public URL itself, in English or Japanese by Accept-Language. */
export function indexPage(acceptLanguage: string | undefined): string {
  const { lang, text, publish } = words[preferred(acceptLanguage ?? '')];
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pinfold</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${PIN}Pinfold</h1>
<p>${text}</p>
<p>${publish}</p>
</main>
</body>
</html>
`;
}

/** Browsers name their languages in order of preference. */
function preferred(acceptLanguage: string): keyof typeof words {
  const languages = acceptLanguage.toLowerCase().split(',');
  const first = languages.map((part) => part.trim().slice(0, 2)).find((tag) => tag === 'en' || tag === 'ja');
  return first === 'ja' ? 'ja' : 'en';
}
