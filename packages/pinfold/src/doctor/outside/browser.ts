import { type Finding, trying } from '../finding.ts';
import { type Answered, ask } from './ask.ts';
import type { Outside } from './outside.ts';
import { unanswered } from './unanswered.ts';

/** Headers that browsers are to get as they were sent. */
const OURS: Readonly<Record<string, RegExp>> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'cache-control': /^no-store$/,
  'content-security-policy': /^default-src 'none';(?!.*default-src)/,
  'x-content-type-options': /^nosniff$/,
};

const SCREEN = '/manage/sign-in';

/** Loads the sign-in page as a browser does, with what it names; and asks in plain HTTP where it should be TLS. */
export async function* browserFindings(outside: Outside): AsyncGenerator<Finding> {
  const { addresses, way } = outside;
  const url = new URL(`${addresses.publicUrl}${SCREEN}`);
  const looking = trying('browser', `load ${url.href} with what it names`);
  try {
    const page = await ask(url, { headers: { accept: 'text/html', 'accept-encoding': 'identity' } }, way);
    yield pageFinding(looking, page, url) ?? (await assetsFinding(looking, page, url, outside));
  } catch (error) {
    yield looking.failed(...unanswered(error));
  }
  if (url.protocol === 'https:') yield await plainFinding(outside);
}

function pageFinding(looking: ReturnType<typeof trying>, page: Answered, url: URL): Finding | undefined {
  if (page.status !== 200) {
    return looking.failed(`${page.status} came`, 'let the proxy pass on every path below the public URL');
  }
  const changed = Object.entries(OURS).find(([name, form]) => !form.test(String(page.headers[name] ?? '')));
  if (changed !== undefined) {
    return looking.failed(
      `another ${changed[0]} came than Pinfold sends`,
      'let the proxy neither add headers nor change or cache answers',
    );
  }
  const cookies = page.headers['set-cookie'] ?? [];
  const isKept = cookies.some((cookie) => url.protocol === 'http:' || /; *secure/i.test(cookie));
  return isKept
    ? undefined
    : looking.failed('no cookie came that a browser would keep', 'let the proxy pass on Set-Cookie');
}

async function assetsFinding(
  looking: ReturnType<typeof trying>,
  { text }: Answered,
  url: URL,
  { way }: Outside,
): Promise<Finding> {
  const named = [...text.matchAll(/<(?:link|script)\b[^>]*?\b(?:href|src)="([^"]+)"/g)];
  const assets = named.map(([, reference = '']) => new URL(reference.replaceAll('&amp;', '&'), url));
  for (const asset of assets) {
    if (asset.origin !== url.origin) {
      return looking.failed(`the page names ${asset.origin}`, 'let the proxy leave pages as they are');
    }
    const { status } = await ask(asset, {}, way);
    if (status !== 200) {
      return looking.failed(
        `${status} came for ${asset.pathname}`,
        'let the proxy pass on every path below the public URL',
      );
    }
  }
  return looking.ok(`the page and ${assets.length} files came as they were sent`);
}

/** Whoever types the name comes by plain HTTP first. */
async function plainFinding({ addresses, way }: Outside): Promise<Finding> {
  const url = new URL(addresses.publicUrl);
  if (url.port !== '')
    return trying('browser.plain', 'ask without TLS').skipped('the public URL has a port of its own');
  url.protocol = 'http:';
  const looking = trying('browser.plain', `ask without TLS: GET ${url.href}`);
  try {
    const { status, headers } = await ask(url, {}, way);
    return status >= 300 && status < 400 && headers.location?.startsWith('https://') === true
      ? looking.ok('it leads to https')
      : looking.warning(`${status} came`, 'let the proxy lead to https, and answer nothing else without TLS');
  } catch (error) {
    return looking.skipped(unanswered(error)[0]);
  }
}
