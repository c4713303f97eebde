import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicUrl, RequestLog } from '@pinfold/http';
import {
  ALL_LANGUAGES,
  type Answer,
  encodeAnswer,
  type Html,
  html,
  outgoingBytes,
  PUBLIC_POLICY,
  type PublicPage,
  pathOf,
  preferredLanguage,
  publicPage,
  socketAddress,
} from '@pinfold/http/internal';
import { type Health, type HealthReport, type Need, parseNeeds } from '../health/health.ts';
import type { IsTrustedClient } from './client-address.ts';

interface OwnRoutesOptions {
  readonly health: Pick<Health, 'meets' | 'report'>;
  /** The dependencies that readiness checks, unless the request names others. */
  readonly needs: readonly Need[];
  /** The clients to which `/healthz` shows each dependency. */
  readonly isTrustedClient: IsTrustedClient;
  readonly log: RequestLog;
  readonly publicUrl: PublicUrl;
  readonly isStopping: () => boolean;
  /** The settings of the page at the public URL. */
  readonly service: PublicPage;
}

type Respond = (request: IncomingMessage) => Answer;

/**
 * Answers the probes `/livez`, `/readyz` and `/healthz`, all from memory, and the page at the public URL. Returns
 * whether the request was one of these.
 */
export function createOwnRoutes(
  options: OwnRoutesOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { log, publicUrl } = options;
  const publicPath = pathOf(publicUrl);
  const routes = createRoutes(options);
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const route = isBelow(path, publicPath) ? path.slice(publicPath.length) || '/' : path;
    const respond = routes[route];
    if (respond === undefined) return false;
    const began = performance.now();
    const answer: Answer =
      request.method === 'GET' || request.method === 'HEAD'
        ? respond(request)
        : { status: 405, headers: { Allow: 'GET, HEAD' }, json: { status: 'method_not_allowed' } };
    sendOwnAnswer(answer, { log, route, began }, request, response);
    return true;
  };
}

/** Whether a path is the public URL's own, with or without a slash at the end, or begins with it. */
function isBelow(path: string, publicPath: string): boolean {
  return path === publicPath || path.startsWith(`${publicPath}/`);
}

function createRoutes(options: OwnRoutesOptions): Readonly<Record<string, Respond>> {
  return {
    '/': ({ headers }) => ({
      status: 200,
      html: renderIndexPage(headers['accept-language'], options),
      headers: {
        'Content-Security-Policy': PUBLIC_POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Referrer-Policy': 'same-origin',
        Vary: 'Accept-Language',
      },
    }),
    '/livez': () => ({ status: 200, json: { status: 'ok' } }),
    '/readyz': ({ url }) => answerReadiness(options, url ?? ''),
    '/healthz': (request) => answerHealth(options.health.report(), options.isTrustedClient(request)),
  };
}

function answerReadiness({ health, needs, isStopping }: OwnRoutesOptions, url: string): Answer {
  const [requested, ...more] = new URLSearchParams(url.split('?')[1]).getAll('needs');
  const needed = requested === undefined ? needs : parseNeeds(requested);
  if (needed === undefined || more.length > 0) return { status: 400, json: { status: 'invalid_request' } };
  if (isStopping()) return { status: 503, json: { status: 'stopping' } };
  if (!health.meets(needed)) return { status: 503, json: { status: 'unavailable' } };
  return { status: 200, json: { status: 'ok' } };
}

function answerHealth({ status, parts, clock }: HealthReport, isTrusted: boolean): Answer {
  return {
    status: status === 'unavailable' ? 503 : 200,
    json: isTrusted ? { status, ...parts, clock } : { status },
  };
}

/** Sends an answer of the server itself, outside the API, the viewer and the screen, and logs it. */
export function sendOwnAnswer(
  answer: Answer,
  { log, route, began }: { readonly log: RequestLog; readonly route: string; readonly began: number },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = randomUUID();
  const { method = '' } = request;
  const { status, headers, body } = encodeAnswer(answer, requestId);
  response.writeHead(status, { 'X-Robots-Tag': 'noindex', ...headers });
  response.end(method === 'HEAD' ? undefined : body);
  outgoingBytes.followWritten(response, () => socketAddress(request));
  const milliseconds = performance.now() - began;
  log({ method, route, role: null, status, milliseconds, requestId }, request);
}

const PIN = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M9.5 1.8 14.2 6.5 12.6 7.4 9.9 10.1 9.6 13.2 2.8 6.4 5.9 6.1 8.6 3.4z"/><path d="M6 10 2 14"/></svg>`;

const words = {
  en: {
    report: 'Report a page',
    text: 'Pinfold shares static sites by link. If someone sent you a link, check that you copied all of it.',
    publish: (url: string) =>
      html`To publish, open the <a href="${url}/manage/">management screen</a>, or send a ZIP with your API key; see the <a href="${url}/openapi.json">API reference</a>.`,
  },
  ja: {
    report: 'ページを報告',
    text: 'サイトをリンクで共有するサービスです。リンクを受け取った方は、全体をコピーしたか確かめてください。',
    publish: (url: string) =>
      html`公開するには、<a href="${url}/manage/">管理画面</a>を開くか、API キーを添えて ZIP を送ります。方法は <a href="${url}/openapi.json">API リファレンス</a>にあります。`,
  },
} as const;

function renderIndexPage(
  acceptLanguage: string | undefined,
  { service, publicUrl }: Pick<OwnRoutesOptions, 'service' | 'publicUrl'>,
): Html {
  const language = preferredLanguage(acceptLanguage, ALL_LANGUAGES);
  const { text, publish, report } = words[language];
  const content = html`<h1>${PIN}Pinfold</h1>
<p>${text}</p>
<p>${publish(publicUrl)}</p>`;
  return publicPage(service, { language, title: 'Pinfold', content, report });
}
