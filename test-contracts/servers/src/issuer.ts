import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { IssuerRecords } from './issuer-records.ts';
import { closed, listening } from './service.ts';

export const CLIENT_ID = 'pinfold';
export const CLIENT_SECRET = 'a secret that only this test knows';

/** The claims about a person, except `sub`. */
export type IssuedRecord = Readonly<Record<string, unknown>>;

/** An issuer of OpenID Connect in this process. */
export interface Issuer {
  readonly url: string;
  /** The claims about people, by their sign-in names. */
  readonly people: Map<string, IssuedRecord>;
  /** Changes the claims of further id_tokens, which stay signed. */
  forge: ((claims: IssuedRecord) => IssuedRecord) | undefined;
  /** The requests, as method and path. */
  readonly requests: string[];
  /** Registers a client, and signs with a new key. */
  serve(redirectUri: string, configuration?: IssuedRecord, client?: IssuedRecord): void;
  /** Expires all issued codes. */
  expireCodes(): void;
  /** Signs further id_tokens with a key that it no longer publishes. */
  signWithWithdrawnKey(): void;
  /** Stops answering. */
  fail(): void;
  close(): Promise<void>;
}

interface Key {
  readonly id: string;
  readonly secret: KeyObject;
}

/** @param host its host: `localhost`, or `127.0.0.1` to be another site for browsers. */
export async function openIssuer(host: string = 'localhost'): Promise<Issuer> {
  const server = await listening();
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, IssuedRecord>();
  const records = new IssuerRecords();
  let answer: RequestListener | undefined;
  let key: Key | undefined;
  let keys = 0;
  const issuer: Issuer = {
    url,
    people,
    forge: undefined,
    requests: [],
    serve: (redirectUri, configuration = {}, client = {}) => {
      keys += 1;
      key = newKey(`key-${keys}`);
      const clients = [
        { client_id: CLIENT_ID, client_secret: CLIENT_SECRET, redirect_uris: [redirectUri], ...client },
      ];
      answer = new Provider(url, {
        ...configurationOf(people, key),
        clients,
        adapter: (kind: string) => records.adapterOf(kind),
        ...configuration,
      }).callback();
    },
    expireCodes: () => records.expireCodes(),
    signWithWithdrawnKey: () => {
      key = newKey('withdrawn');
      issuer.forge = (claims) => claims;
    },
    fail: () => {
      answer = undefined;
    },
    close: () => closed(server),
  };
  server.on('request', (request, response) => {
    issuer.requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (answer === undefined) {
      request.socket.destroy();
      return;
    }
    if (key !== undefined) forging(issuer, key, request, response);
    answer(request, response);
  });
  return issuer;
}

function newKey(id: string): Key {
  return { id, secret: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey };
}

function configurationOf(people: ReadonlyMap<string, IssuedRecord>, { id, secret }: Key): IssuedRecord {
  return {
    jwks: { keys: [{ ...secret.export({ format: 'jwk' }), kid: id, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub, ...people.get(sub) }),
    }),
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 30, Interaction: 600, Session: 600, Grant: 600 },
  };
}

/** Passes on the genuine answer of the token endpoint, with other claims in its id_token. */
function forging(issuer: Issuer, key: Key, { method, url }: IncomingMessage, response: ServerResponse): void {
  const { forge } = issuer;
  if (forge === undefined || method !== 'POST' || url !== '/token') return;
  const end = response.end.bind(response);
  response.end = ((body: string) => {
    const tokens = JSON.parse(String(body)) as { id_token?: string };
    if (tokens.id_token === undefined) return end(body);
    const claims = JSON.parse(
      Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as IssuedRecord;
    const forged = JSON.stringify({ ...tokens, id_token: signed(forge(claims), key) });
    response.setHeader('Content-Length', Buffer.byteLength(forged));
    return end(forged);
  }) as typeof response.end;
}

function signed(claims: IssuedRecord, { id, secret }: Key): string {
  const parts = [{ alg: 'RS256', typ: 'JWT', kid: id }, claims];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('sha256', Buffer.from(text), secret).toString('base64url')}`;
}
