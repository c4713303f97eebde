import { randomUUID } from 'node:crypto';
import { defaultLimits } from '@pinfold/core';
import { compile } from 'proxy-addr';
import type { TrustProxy } from '../../settings/trust-proxy.ts';
import { type EchoedRequest, MARK_HEADER, MIRROR_PATH, markOf } from '../doctor-token.ts';
import { type Finding, type Trying, trying } from '../finding.ts';
import { type Answered, ask, type Question } from './ask.ts';
import type { Outside } from './outside.ts';
import { unanswered } from './unanswered.ts';

/** An address for documentation (RFC 5737): nobody has it. */
const NOBODY = '192.0.2.77';
/** What stands around a ZIP in its form, and more. */
const AROUND = 65_536;
/** As many as hostile sites can put into a browser, half of what the server takes. */
const COOKIE_BYTES = 30_000;

/** What came of a question to the mirror. */
type Mirrored =
  | { readonly kind: 'seen'; readonly seen: EchoedRequest; readonly port: number }
  | { readonly kind: 'answer'; readonly answer: Answered }
  | { readonly kind: 'none'; readonly error: unknown };

/** Asks the server how requests arrive at it, and finds what a proxy on the way has changed. */
export async function* proxyFindings(
  outside: Outside,
  check: 'proxy' | 'sites',
  url: URL,
): AsyncGenerator<Finding> {
  const looking = trying(`${check}.host`, `ask the server which Host arrives for ${url.host}`);
  if (outside.grants === undefined) {
    yield looking.skipped(
      "the server's secret is not known here: run this with its settings, on its machine",
    );
    return;
  }
  // Two slashes, an encoded one, and a dot: what proxies like to tidy up.
  const more = `a%2Fb//c/./${randomUUID()}%20d`;
  const origin = url.origin;
  const mirrored = await mirror(outside, url, more, { headers: { origin } });
  if (mirrored.kind !== 'seen') {
    yield unseen(looking, mirrored);
    return;
  }
  const { seen } = mirrored;
  yield seen.host.toLowerCase() === url.host
    ? looking.ok('as it was sent')
    : looking.failed(
        `${JSON.stringify(seen.host)} arrived`,
        'pass on Host as it came: with nginx, proxy_set_header Host $http_host',
      );
  if (check === 'sites') return;
  yield pathFinding(url, more, seen);
  yield originFinding(origin, seen);
  yield* clientFindings(outside, url, seen, seen.peer.port !== mirrored.port);
  yield await bodyFinding(outside, url);
  yield await cookieFinding(outside, url);
}

async function mirror(
  { grants, ids, clock, way }: Outside,
  url: URL,
  more: string,
  question: Question = {},
): Promise<Mirrored> {
  if (grants === undefined) throw new Error('there is nothing to sign with');
  const headers = { ...question.headers, [MARK_HEADER]: markOf(grants, ids, clock.now()) };
  const target = `${url.pathname.replace(/\/$/, '')}${MIRROR_PATH}${more}`;
  try {
    const answer = await ask(url, { ...question, target, headers }, way);
    const seen = reflectionIn(answer);
    return seen === undefined ? { kind: 'answer', answer } : { kind: 'seen', seen, port: answer.port };
  } catch (error) {
    return { kind: 'none', error };
  }
}

function reflectionIn({ status, text }: Answered): EchoedRequest | undefined {
  if (status !== 200) return undefined;
  try {
    const parsed = JSON.parse(text) as Partial<EchoedRequest> | null;
    return typeof parsed?.body_bytes === 'number' ? (parsed as EchoedRequest) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unseen(looking: Trying, mirrored: Exclude<Mirrored, { kind: 'seen' }>): Finding {
  if (mirrored.kind === 'none') return looking.failed(...unanswered(mirrored.error));
  return looking.failed(
    `${mirrored.answer.status} came: the server does not know this command as its own`,
    'run this with the settings of that very server, PINFOLD_SECRET or its data folder among them, and at its release; see that the proxy passes on headers and paths',
  );
}

function pathFinding(url: URL, more: string, { target }: EchoedRequest): Finding {
  const looking = trying('proxy.path', 'send a path with an encoded slash, two slashes and a dot');
  const sent = `${url.pathname.replace(/\/$/, '')}${MIRROR_PATH}${more}`;
  return target === sent
    ? looking.ok('it arrived as it was sent')
    : looking.failed(
        `another one arrived: ${JSON.stringify(target)}`,
        'pass on paths as they came: with nginx, proxy_pass without a path, and merge_slashes off',
      );
}

function originFinding(sent: string, { origin }: EchoedRequest): Finding {
  const looking = trying('proxy.origin', 'send the Origin of the management screen');
  return origin === sent
    ? looking.ok('it arrived as it was sent')
    : looking.failed(
        `${origin === null ? 'none' : JSON.stringify(origin)} arrived`,
        'pass on Origin as it came: forms of the management screen are refused without it',
      );
}

async function* clientFindings(
  outside: Outside,
  url: URL,
  seen: EchoedRequest,
  isProxied: boolean,
): AsyncGenerator<Finding> {
  const { trustProxy } = outside.settings;
  const looking = trying('proxy.client', 'ask which address counts as the client');
  if (isProxied) {
    const wrong = wrongTrust(looking, trustProxy, seen, url.protocol === 'https:');
    if (wrong !== undefined) {
      yield wrong;
      return;
    }
  }
  const forged = await mirror(outside, url, 'forged', { headers: { 'x-forwarded-for': NOBODY } });
  if (forged.kind !== 'seen') {
    yield unseen(looking, forged);
    return;
  }
  const { client, forwarded_for: forwarded } = forged.seen;
  if (client !== NOBODY) {
    yield looking.ok(`${seen.client}, and a forged one is not believed`);
    return;
  }
  const isBelieved = trustProxy.kind === 'addresses' && isTrusted(trustProxy, seen.client);
  if (isBelieved && (forwarded !== NOBODY || !isProxied)) {
    yield looking.ok(`${seen.client}, which is trusted: so it cannot be told whether others may forge one`);
    return;
  }
  yield looking.failed(
    'any that a client writes into X-Forwarded-For: passwords may be guessed without end',
    isProxied
      ? 'let the proxy add the address it sees to X-Forwarded-For, or replace it; let PINFOLD_TRUST_PROXY name the proxy, and no more hops than there are'
      : 'unset PINFOLD_TRUST_PROXY, since there is no proxy, or let requests come through it alone',
  );
}

/**
 * Why all viewers would count as one.
 *
 * @param isCertain whether there is a proxy: addresses may have been translated on the way instead.
 */
function wrongTrust(
  looking: Trying,
  trust: TrustProxy,
  { forwarded_for, peer }: EchoedRequest,
  isCertain: boolean,
): Finding | undefined {
  if (forwarded_for === null) {
    const came = `no X-Forwarded-For comes from ${peer.address}, so that all viewers who come that way count as one`;
    const advice =
      'let the proxy write the header into every request: with nginx, proxy_set_header X-Forwarded-For $remote_addr';
    return isCertain
      ? looking.failed(came, advice)
      : looking.warning(came, `${advice}; where there is none, all is well`);
  }
  if (isTrusted(trust, peer.address)) return undefined;
  return looking.failed(
    `the proxy's own, ${peer.address}: all viewers count as one, and ten wrong passwords of anybody shut out all`,
    `PINFOLD_TRUST_PROXY=${peer.address}`,
  );
}

function isTrusted(trust: TrustProxy, address: string): boolean {
  switch (trust.kind) {
    case 'none':
      return false;
    case 'hops':
      return true;
    case 'addresses':
      return compile([...trust.addresses])(address, 0);
    default:
      return trust satisfies never;
  }
}

async function bodyFinding(outside: Outside, url: URL): Promise<Finding> {
  const { archiveBytes = defaultLimits.archiveBytes } = outside.settings.archives;
  const size = archiveBytes + AROUND;
  const looking = trying('proxy.body', `send ${size} bytes, as much as the largest ZIP in its form`);
  const mirrored = await mirror(outside, url, 'body', { method: 'POST', body: new Uint8Array(size) });
  if (mirrored.kind === 'seen') {
    const { body_bytes: bytes } = mirrored.seen;
    return bytes === size
      ? looking.ok('all of them arrived')
      : looking.failed(`${bytes} arrived`, 'let the proxy pass on bodies as they come');
  }
  const larger = `let the proxy take larger bodies: with nginx, client_max_body_size ${Math.ceil(size / 1_048_576)}m`;
  if (mirrored.kind === 'none') return looking.failed(unanswered(mirrored.error)[0], larger);
  const { status } = mirrored.answer;
  return looking.failed(`${status} came from the proxy`, larger);
}

async function cookieFinding(outside: Outside, url: URL): Promise<Finding> {
  const looking = trying(
    'proxy.cookies',
    `send ${COOKIE_BYTES} bytes of cookies, as a hostile site can make browsers do`,
  );
  const cookies = Array.from({ length: COOKIE_BYTES / 3_000 }, (_, n) => `doctor${n}=${'x'.repeat(2_990)}`);
  const mirrored = await mirror(outside, url, 'cookies', { headers: { cookie: cookies.join('; ') } });
  if (mirrored.kind === 'seen') return looking.ok('they arrived, and the server tells viewers what to do');
  const came =
    mirrored.kind === 'none'
      ? unanswered(mirrored.error)[0]
      : `${mirrored.answer.status} came from the proxy`;
  return looking.warning(
    came,
    'let the proxy take heads of 64 KiB, so that viewers are told what to do: with nginx, large_client_header_buffers 12 64k',
  );
}
