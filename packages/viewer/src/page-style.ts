import { createHash } from 'node:crypto';

/** The one style sheet of the viewers' pages. */
export const PAGE_STYLE = `:root{color-scheme:light dark;--surface:light-dark(oklch(98% .005 250),oklch(21% .015 250));--text:light-dark(oklch(25% .02 250),oklch(93% .01 250));--quiet:light-dark(oklch(45% .02 250),oklch(75% .015 250));--line:light-dark(oklch(60% .02 250),oklch(58% .02 250));--field:light-dark(#fff,oklch(16% .015 250));--accent:light-dark(oklch(48% .15 255),oklch(78% .11 250));--on-accent:light-dark(#fff,oklch(18% .03 255));--bad:light-dark(oklch(48% .18 27),oklch(78% .12 25))}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;background:var(--surface);color:var(--text);font:16px/1.5 system-ui,"Hiragino Sans","Noto Sans JP",sans-serif;overflow-wrap:anywhere}
main{width:100%;max-width:24rem}
h1{margin:0 0 8px;font-size:1.375rem;line-height:1.3;text-wrap:balance}
p{margin:0 0 16px;color:var(--quiet)}
form{margin-top:24px}
label{display:block;margin-bottom:4px;font-weight:600}
input,button{display:block;width:100%;min-height:44px;padding:8px 12px;border-radius:8px;font:inherit}
input{border:1px solid var(--line);background:var(--field);color:inherit}
input[aria-invalid]{border-color:var(--bad)}
button{margin-top:16px;border:0;background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.problem{margin:0 0 8px;color:var(--bad)}
@media(forced-colors:active){button{border:1px solid}}`;

/** The pages' Content-Security-Policy: nothing is loaded, and nobody frames them. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
].join('; ');
