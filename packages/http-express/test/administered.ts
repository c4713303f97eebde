import { accountId, OPERATOR, type Role } from '@pinfold/core';
import { expect } from 'chai';
import { siteZip } from './client.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

/** A rig with somebody who administers it. */
export interface Administered {
  readonly rig: Rig;
  /** Asks below `/admin/v1`, with a key of the scope admin unless another is given. */
  readonly ask: (method: string, path: string, body?: unknown, key?: string) => Promise<Response>;
  /** The account as the answer tells it. */
  readonly change: (name: string, body: object) => Promise<Record<string, unknown>>;
}

/** Opens such a rig for a test. */
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
  const ask: Administered['ask'] = (method, path, body, key = admin.text) =>
    fetch(`${rig.baseUrl}/admin/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const change: Administered['change'] = async (name, body) => {
    const answer = await ask('PATCH', `/accounts/${encodeURIComponent(name)}`, body);
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as { account: Record<string, unknown> }).account;
  };
  try {
    await test({ rig, ask, change });
  } finally {
    await rig.close();
  }
}

/** The body of an answer. */
export const json = async (answer: Response): Promise<Record<string, never>> =>
  (await answer.json()) as Record<string, never>;

/** Publishes a site of an account. */
export async function publish({ useCases }: Rig, by = 'first'): Promise<Role> {
  const outcome = await useCases.publish({
    by,
    key: 'one',
    filename: 'site.zip',
    archive: siteZip(),
  });
  if (outcome.kind === 'refused') throw new Error(outcome.code);
  return outcome.role;
}
