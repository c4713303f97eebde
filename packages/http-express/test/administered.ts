import { accountId, OPERATOR } from '@pinfold/core';
import { checkAgainstDocument } from '@pinfold/test-contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { openRig, type Rig, type RigOptions } from './rig.ts';

/** A publication as an answer tells it. */
export interface PinJson {
  readonly id: string;
  readonly state: string;
  readonly taken_down: { readonly reason: string; readonly at: string } | null;
}

/** The members of an answer's JSON that tests look at. */
export interface AnswerJson {
  readonly code: string;
  readonly account: object;
  readonly accounts: readonly { readonly name: string }[];
  readonly pin: PinJson;
  readonly pins: readonly PinJson[];
  readonly copies: readonly string[];
  readonly takedowns: readonly { readonly id: string }[];
  readonly events: readonly {
    readonly type: string;
    readonly account: string;
    readonly actor: object;
    readonly request: string;
  }[];
  readonly service: object;
  readonly detail: string;
  readonly next_cursor: string | null;
  readonly paths: object;
}

/** The API and a key of the scope admin. */
export interface Administered {
  readonly rig: Rig;
  /** Asks below `/admin/v1`, with a key of the scope admin unless another is given. */
  readonly ask: (
    method: string,
    path: string,
    body?: unknown,
    key?: string,
    type?: string,
  ) => Promise<Response>;
}

/** Runs a test against a service of its own. */
export async function administered(
  test: (tools: Administered) => Promise<void>,
  options: RigOptions = {},
): Promise<void> {
  const rig = await openRig(options);
  const admin = await rig.manageKeys.create({
    by: OPERATOR,
    account: accountId('operators'),
    scopes: ['admin'],
  });
  const ask: Administered['ask'] = async (
    method,
    path,
    body,
    key = admin.text,
    type = 'application/json',
  ) => {
    const answer = await fetch(`${rig.baseUrl}/admin/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': type },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const headers = Object.fromEntries(answer.headers);
    const told = { status: answer.status, headers, text: await answer.clone().text() };
    checkAgainstDocument(rig.administrationDocument, { method, path: `/admin/v1${path}` }, told);
    return answer;
  };
  await test({ rig, ask });
}

export async function jsonOf(answer: Response): Promise<AnswerJson> {
  return (await answer.json()) as AnswerJson;
}

/** Bodies that the document's schema of them takes, or not; in texts, what JSON would lose of them. */
export interface Bodies {
  readonly right: object;
  readonly wrong: readonly unknown[];
  readonly texts: readonly string[];
}

/** Sends what is no body of an operation: in another form it is 415, broken it is 400, and otherwise 422 with the members it may have. */
export async function expectRefused(
  { rig, ask }: Administered,
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
    const { code, detail } = await jsonOf(await ask(method, path, body));
    expect(code, JSON.stringify(body)).to.equal('invalid_update');
    expect(detail).to.match(/^Send an object with [^.]+ as the API document describes it\.$/);
  }
  const broken = await jsonOf(await ask(method, path, '{'));
  expect(broken.code).to.equal('invalid_request');
  const typed = await ask(method, path, JSON.stringify(right), undefined, 'text/plain');
  const { code, detail } = await jsonOf(typed);
  expect({ code, detail }).to.deep.equal({
    code: 'unsupported_media_type',
    detail: 'Send a body of application/json.',
  });
}
