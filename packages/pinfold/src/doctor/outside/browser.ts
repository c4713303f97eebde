import { type Finding, failed, ok, type Result, runChecks } from '../finding.ts';
import { type Answer, ask, type RequestSettings } from './ask.ts';
import { explainNoAnswer } from './explain-no-answer.ts';
import type { Outside } from './outside.ts';

const EXPECTED_HEADERS: Readonly<Record<string, RegExp>> = {
  'content-type': /^text\/html; charset=utf-8$/,
  'cache-control': /^no-store$/,
  'content-security-policy': /^default-src 'none';(?!.*default-src)/,
  'x-content-type-options': /^nosniff$/,
};

const SCREEN = '/manage/sign-in';

/** Loads the sign-in page and its files as a browser would. */
export function checkBrowser({ addresses, request }: Outside): AsyncGenerator<Finding> {
  const url = new URL(`${addresses.publicUrl}${SCREEN}`);
  return runChecks([
    {
      name: 'browser',
      expected: `${url.href} and its files arrive unchanged`,
      run: async () => {
        try {
          const headers = { accept: 'text/html', 'accept-encoding': 'identity' };
          const page = await ask(url, { headers }, request);
          return judgePage(page, url) ?? (await checkAssets(page, url, request));
        } catch (error) {
          return failed(...explainNoAnswer(error));
        }
      },
    },
  ]);
}

const FORWARD_ALL = 'configure the proxy to forward every path below the public URL';

function judgePage(page: Answer, url: URL): Result | undefined {
  if (page.status !== 200) return failed(`the sign-in page answered ${page.status}`, FORWARD_ALL);
  const changed = Object.entries(EXPECTED_HEADERS).find(
    ([name, form]) => !form.test(String(page.headers[name] ?? '')),
  );
  if (changed !== undefined) {
    return failed(
      `the header ${changed[0]} arrived with another value`,
      'configure the proxy to add no headers, and not to change or cache answers',
    );
  }
  const cookies = page.headers['set-cookie'] ?? [];
  const isAccepted = cookies.some((cookie) => url.protocol === 'http:' || /; *secure/i.test(cookie));
  return isAccepted
    ? undefined
    : failed('no cookie arrived that a browser would store', 'configure the proxy to forward Set-Cookie');
}

async function checkAssets({ text }: Answer, url: URL, request: RequestSettings): Promise<Result> {
  const matches = [...text.matchAll(/<(?:link|script)\b[^<>]*?\b(?:href|src)="([^"]+)"/g)];
  const assets = matches.map(([, reference = '']) => new URL(reference.replaceAll('&amp;', '&'), url));
  for (const asset of assets) {
    if (asset.origin !== url.origin)
      return failed(`the page refers to ${asset.origin}`, 'configure the proxy to leave pages unchanged');
    const { status } = await ask(asset, {}, request);
    if (status !== 200) return failed(`${asset.pathname} answered ${status}`, FORWARD_ALL);
  }
  return ok(`the page and ${assets.length} files arrived unchanged`);
}
