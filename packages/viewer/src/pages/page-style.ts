import { createHash } from 'node:crypto';
import { PUBLIC_IMAGES, paletteOf } from '@pinfold/http/internal';

const PALETTE = paletteOf(
  ...(['page', 'surface', 'text', 'quiet', 'line', 'edge', 'accent', 'accent-strong', 'on-accent'] as const),
  ...(['bad', 'bad-faint', 'sans', 'small', 'title', 'radius'] as const),
);

export const PAGE_STYLE: string = `${PALETTE}*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:24px 16px;background:var(--page);color:var(--text);font:16px/1.5 var(--sans);overflow-wrap:anywhere}
:lang(ja){line-break:strict}
:lang(ja) h1{word-break:auto-phrase}
main{width:100%;max-width:28rem;padding:24px;border:1px solid var(--line);border-radius:var(--radius);background:var(--surface)}
h1{margin:0 0 8px;font-size:var(--title);line-height:32px;font-weight:600;text-wrap:balance}
p{margin:0 0 8px;color:var(--quiet);text-wrap:pretty}
p:last-child{margin:0}
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
.report{margin-top:24px;font-size:var(--small)}
.report a{color:inherit}
svg{flex:none;width:16px;height:24px;fill:none;stroke:var(--bad);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}`;

/** The pages' Content-Security-Policy: they load nothing and cannot be framed. */
export const PAGE_POLICY: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  PUBLIC_IMAGES,
].join('; ');
