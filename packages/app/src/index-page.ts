import { createHash } from 'node:crypto';

const STYLE = `:root{color-scheme:light dark;--surface:light-dark(oklch(99% .004 85),oklch(20% .012 265));--text:light-dark(oklch(25% .02 265),oklch(93% .008 265));--quiet:light-dark(oklch(45% .02 265),oklch(75% .015 265));--accent:light-dark(oklch(47% .14 255),oklch(78% .11 245))}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;box-sizing:border-box;background:var(--surface);color:var(--text);font:16px/1.5 system-ui,"Hiragino Sans","Noto Sans JP",sans-serif;overflow-wrap:anywhere}
main{max-width:32rem}
h1{margin:0 0 8px;font-size:1.5rem;line-height:1.3}
p{margin:0 0 16px;color:var(--quiet)}
a{color:var(--accent);text-underline-offset:.2em}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;

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
<h1>Pinfold</h1>
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
