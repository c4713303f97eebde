import { accountId, OPERATOR } from '@pinfold/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { type Answer, ask as askApi } from './client.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

/** The API, administered over HTTP. */
export interface Administered {
  readonly rig: Rig;
  /** A key of the scope admin. */
  readonly key: string;
  /** Sends a request below `/admin/v1`, with a key of the scope admin unless another is given. */
  ask(method: string, path: string, body?: unknown, key?: string, type?: string): Promise<Answer>;
  /** Sends a request as the first account. */
  askAsFirst(path: string, init?: RequestInit): Promise<Answer>;
  /** Changes an account, and returns it from the answer. */
  change(name: string, body: object): Promise<Readonly<Record<string, unknown>>>;
}

/** Opens a service that is administered over HTTP. */
export async function openAdministered(options: RigOptions = {}): Promise<Administered> {
  const rig = await openRig(options);
  const fields = { by: OPERATOR, account: accountId('operators'), scopes: ['admin'] } as const;
  const admin = await rig.manageKeys.create(fields);
  const ask: Administered['ask'] = (method, path, body, key = admin.text, type = 'application/json') =>
    askApi(rig, `/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    rig,
    key: admin.text,
    ask,
    askAsFirst: (path, init) => askApi(rig, path, init),
    change: async (name, body) => {
      const { status, json } = await ask('PATCH', `/accounts/${encodeURIComponent(name)}`, body);
      expect(status).to.equal(200);
      return json.account;
    },
  };
}

/** Bodies that the document's schema accepts or refuses, and JSON texts that are refused for what parsing would lose. */
export interface Bodies {
  readonly right: object;
  readonly wrong: readonly unknown[];
  readonly texts: readonly string[];
}

/** Sends invalid bodies of an operation: another media type gets 415, broken JSON 400, anything else 422 with the allowed members. */
export async function expectRefused(
  { rig, ask }: Pick<Administered, 'rig' | 'ask'>,
  [method, path]: readonly [method: string, path: string],
  schema: string,
  { right, wrong, texts }: Bodies,
): Promise<void> {
  const isRight = new Ajv2020({ strict: false }).compile(
    rig.administrationDocument.components.schemas?.[schema] ?? {},
  );
  expect(isRight(right)).to.equal(true);
  for (const body of wrong) expect(isRight(body), JSON.stringify(body)).to.equal(false);
  for (const body of [...wrong, ...texts, 'null']) {
    const { code, detail } = (await ask(method, path, body)).json;
    expect(code, JSON.stringify(body)).to.equal('invalid_update');
    expect(detail).to.match(/^Send an object with [^.]+ as the API document describes it\.$/);
  }
  const broken = await ask(method, path, '{');
  expect(broken.json.code).to.equal('invalid_request');
  const typed = await ask(method, path, JSON.stringify(right), undefined, 'text/plain');
  const { code, detail } = typed.json;
  expect({ code, detail }).to.deep.equal({
    code: 'unsupported_media_type',
    detail: 'Send a body of application/json.',
  });
}
