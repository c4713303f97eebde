import { defaultLimits } from '@pinfold/core';
import { compile } from 'proxy-addr';
import type { TrustProxy } from '../server/client-address.ts';
import { tryParseJson } from '../try-parse-json.ts';
import { type Answer, ask, explainNoAnswer, type RequestOptions } from './ask.ts';
import { DOCTOR_TOKEN_HEADER, ECHO_PATH, type EchoedRequest, signDoctorToken } from './echo.ts';
import { type Check, type Finding, failed, ok, type Result, runChecks, skipped, warning } from './finding.ts';
import type { Outside } from './outside.ts';

/** An address for documentation (RFC 5737), which no client has. */
const FORGED = '192.0.2.77';
/** More bytes than a form adds to its ZIP. */
const FORM_BYTES = 65_536;

interface Echoed {
  readonly kind: 'echoed';
  readonly received: EchoedRequest;
  readonly port: number;
}

type Echo =
  | Echoed
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'none'; readonly error: unknown };

export async function* checkProxy(outside: Outside, url: URL): AsyncGenerator<Finding, boolean> {
  const headers = { origin: url.origin };
  const echo = outside.grants && (await requestEcho(outside, url, { headers }));
  const host: Check = {
    name: 'proxy.host',
    expected: `requests for ${url.host} arrive with that Host`,
    run: () => judgeHost(echo, url),
  };
  const others = echo?.kind === 'echoed' ? createArrivalChecks(outside, url, echo) : [];
  return yield* runChecks([host, ...others]);
}

function judgeHost(echo: Echo | undefined, url: URL): Result {
  if (echo === undefined)
    return skipped("the server's secret is not known here: run doctor on its machine, with its settings");
  if (echo.kind !== 'echoed') return explainMissingEcho(echo);
  const { host } = echo.received;
  return host.toLowerCase() === url.host
    ? ok('Host arrives unchanged')
    : failed(
        `${JSON.stringify(host)} arrived as Host`,
        'configure the proxy to forward Host unchanged: with nginx, proxy_set_header Host $http_host',
      );
}

function createArrivalChecks(outside: Outside, url: URL, echo: Echoed): readonly Check[] {
  const { origin } = echo.received;
  return [
    {
      name: 'proxy.origin',
      expected: 'the Origin of the management screen arrives unchanged',
      run: () =>
        origin === url.origin
          ? ok('Origin arrives unchanged')
          : failed(
              `${origin === null ? 'no Origin' : JSON.stringify(origin)} arrived`,
              'configure the proxy to forward Origin unchanged: the management screen refuses its own forms without it',
            ),
    },
    {
      name: 'proxy.client',
      expected: 'every viewer has an address of its own, and cannot choose it',
      run: () => checkClient(outside, url, echo),
    },
    {
      name: 'proxy.body',
      expected: `a request of ${largestForm(outside)} bytes arrives: the largest ZIP in its form`,
      run: () => checkBody(outside, url),
    },
  ];
}

async function requestEcho(
  { grants, ids, clock, request }: Outside,
  url: URL,
  options: RequestOptions,
): Promise<Echo> {
  if (grants === undefined) throw new Error('the token needs a secret');
  const token = await signDoctorToken(grants, ids, clock.now());
  const headers = { ...options.headers, [DOCTOR_TOKEN_HEADER]: token };
  try {
    const answer = await ask(url, { ...options, target: `${url.pathname}${ECHO_PATH}`, headers }, request);
    const received = readEcho(answer);
    return received === undefined
      ? { kind: 'answer', answer }
      : { kind: 'echoed', received, port: answer.port };
  } catch (error) {
    return { kind: 'none', error };
  }
}

function readEcho(answer: Answer): EchoedRequest | undefined {
  if (answer.status !== 200) return undefined;
  const parsed = tryParseJson(answer.text) as Partial<EchoedRequest> | null | undefined;
  return typeof parsed?.body_bytes === 'number' ? (parsed as EchoedRequest) : undefined;
}

function explainMissingEcho(echo: Exclude<Echo, Echoed>): Result {
  if (echo.kind === 'none') return failed(...explainNoAnswer(echo.error));
  return failed(
    `the answer was ${echo.answer.status}: the server does not accept the token of this command`,
    'run doctor with the settings of this server, with the same PINFOLD_SECRET or data folder and the same release; check that the proxy forwards headers and paths',
  );
}

async function checkClient(outside: Outside, url: URL, { received, port }: Echoed): Promise<Result> {
  const { trustProxy } = outside.settings;
  const isProxied = received.peer.port !== port;
  const trustProblem = isProxied ? judgeTrust(trustProxy, received, url.protocol === 'https:') : undefined;
  if (trustProblem !== undefined) return trustProblem;
  const forged = await requestEcho(outside, url, { headers: { 'x-forwarded-for': FORGED } });
  if (forged.kind !== 'echoed') return explainMissingEcho(forged);
  const { client, forwarded_for: forwarded } = forged.received;
  if (client !== FORGED) return ok(`the client address is ${received.client}; a forged one is ignored`);
  const isTrustedClient = trustProxy.kind === 'addresses' && isTrusted(trustProxy, received.client);
  if (isTrustedClient && (forwarded !== FORGED || !isProxied)) {
    return ok(
      `the client address is ${received.client}, a trusted one; whether others can forge one is unknown`,
    );
  }
  return failed(
    'clients can choose their address by X-Forwarded-For: the limit of password attempts has no effect',
    isProxied
      ? 'configure the proxy to add the address it sees to X-Forwarded-For, or to replace the header; let PINFOLD_TRUST_PROXY name the proxy, and no more hops than there are'
      : 'unset PINFOLD_TRUST_PROXY if there is no proxy, or let all requests pass through it',
  );
}

/**
 * Explains why all viewers would have the same address. If the scheme is not https, a different port may also come
 * from NAT instead of a proxy.
 */
function judgeTrust(
  trust: TrustProxy,
  { forwarded_for, peer, client }: EchoedRequest,
  isCertain: boolean,
): Result | undefined {
  if (forwarded_for === null) {
    const observed = `${peer.address} sends no X-Forwarded-For: all viewers behind it have the same address`;
    const advice =
      'configure the proxy to set the header: with nginx, proxy_set_header X-Forwarded-For $remote_addr';
    return isCertain
      ? failed(observed, advice)
      : warning(observed, `${advice}; without a proxy, ignore this`);
  }
  if (!isTrusted(trust, peer.address)) {
    return failed(
      `all viewers have the proxy's address, ${peer.address}: ten wrong passwords of one viewer block all of them`,
      `PINFOLD_TRUST_PROXY=${peer.address}`,
    );
  }
  // This command sends no X-Forwarded-For, so proxies added all addresses: the first one is the command's.
  const added = forwarded_for.split(',').map((address) => address.trim());
  if (added.length < 2 || added[0]?.includes(client)) return undefined;
  return failed(
    `all viewers have the address of a proxy, ${client}, since ${added.length} proxies are in a row: ten wrong passwords of one viewer block all of them`,
    trust.kind === 'hops' ? `PINFOLD_TRUST_PROXY=${added.length}` : `add ${client} to PINFOLD_TRUST_PROXY`,
  );
}

function isTrusted(trust: TrustProxy, address: string): boolean {
  return trust.kind === 'addresses' ? compile([...trust.addresses])(address, 0) : trust.kind === 'hops';
}

function largestForm({ settings }: Outside): number {
  return (settings.limits.archiveBytes ?? defaultLimits.archiveBytes) + FORM_BYTES;
}

async function checkBody(outside: Outside, url: URL): Promise<Result> {
  const size = largestForm(outside);
  const echo = await requestEcho(outside, url, { method: 'POST', body: new Uint8Array(size) });
  if (echo.kind === 'echoed') {
    const { body_bytes: bytes } = echo.received;
    return bytes === size
      ? ok('the whole request arrived')
      : failed(`${bytes} bytes arrived`, 'configure the proxy to forward bodies unchanged');
  }
  const advice = `configure the proxy to accept larger bodies: with nginx, client_max_body_size ${Math.ceil(size / 1_048_576)}m`;
  return failed(describeRefusal(echo), advice);
}

function describeRefusal(echo: Exclude<Echo, Echoed>): string {
  return echo.kind === 'none' ? explainNoAnswer(echo.error)[0] : `the proxy answered ${echo.answer.status}`;
}
