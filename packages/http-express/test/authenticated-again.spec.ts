import type { IncomingMessage } from 'node:http';
import { type AccountId, accountId, type Caller, Fault, MEMBER_SCOPES, OPERATOR } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import {
  archivePart,
  multipart,
  openRawConnection,
  type RawAnswer,
  titlePart,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { ApiOptions } from '../src/index.ts';
import { askRaw, latestRequest, publish, siteZip, until } from './client.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

const FIRST: AccountId = accountId('first');
const KNOWN: Caller = { account: FIRST, scopes: MEMBER_SCOPES };

/** A request whose body is sent separately. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Uint8Array;
}

function publication(query = '', title = 'Spring'): Request {
  const { contentType: type, body } = multipart([archivePart(siteZip()), titlePart(title)]);
  return { method: 'POST', path: `/api/v1/pins${query}`, type, body };
}

function json(method: string, path: string, body: unknown): Request {
  return { method, path, type: 'application/json', body: Buffer.from(JSON.stringify(body)) };
}

describe('A caller whose body arrives after the head', () => {
  let rig: Rig;
  let request: () => IncomingMessage | undefined;
  const open = async (options: RigOptions = {}): Promise<void> => {
    rig = await openRig(options);
    request = latestRequest(rig);
  };

  function headOf({ method, path, type, body }: Request, key = rig.keys.first): string {
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'Host: share.example',
      `Authorization: Bearer ${key}`,
      'Idempotency-Key: late',
      `Content-Type: ${type}`,
      `Content-Length: ${body.byteLength}`,
    ];
    return `${lines.join('\r\n')}\r\n\r\n`;
  }

  /** Sends the head, does something while the server waits for the body, and then sends the body. */
  async function sendBodyLate(
    sent: Request,
    meanwhile: () => Promise<unknown>,
    key?: string,
  ): Promise<RawAnswer> {
    const before = request();
    const connection = await openRawConnection(rig.baseUrl);
    await connection.send(headOf(sent, key));
    await until(() => request() !== before && (request()?.listenerCount('data') ?? 0) > 0);
    await meanwhile();
    await connection.send(sent.body);
    const answer = await connection.answer();
    connection.destroy();
    return answer;
  }

  async function revoke(text: string): Promise<void> {
    const key = await rig.manageKeys.recognize(text);
    await rig.manageKeys.revoke({ by: OPERATOR, id: key?.id ?? '' });
  }

  async function expectNothingPublished(): Promise<void> {
    expect(await rig.uploads()).to.deep.equal([]);
    expect(await rig.useCases.list({ by: FIRST }))
      .to.have.property('publications')
      .that.deep.equals([]);
    expect(await rig.memory.archives.list(undefined, 10)).to.deep.equal([]);
    expect(await rig.useCases.findByKey({ by: FIRST, key: 'late' })).to.deep.equal(undefined);
  }

  for (const [name, sent] of Object.entries({
    'a publication': publication(),
    'a dry run': publication('?dry_run=true'),
    'a publication whose title is wrong': publication('', 'x'.repeat(300)),
    'a dry run whose title is wrong': publication('?dry_run=true', 'x'.repeat(300)),
  })) {
    it(`gets 401 if its key was revoked in the meantime, and nothing is left of ${name}`, async () => {
      await open();
      const { status, headers, body } = await sendBodyLate(sent, () => revoke(rig.keys.first));
      expect(status).to.equal(401);
      expect(JSON.parse(body)).to.include({ code: 'unauthorized', retryable: false });
      expect(headers.get('www-authenticate')).to.equal('Bearer');
      await expectNothingPublished();
    });
  }

  it('gets 401 if its key was revoked in the meantime, and changes nothing', async () => {
    await open();
    const { id } = (await publish(rig)).json.pin;
    for (const body of [{ password: 'mallory was here' }, { nothing: 'known' }]) {
      const key = (await rig.manageKeys.create({ by: OPERATOR, account: FIRST })).text;
      const sent = json('PATCH', `/api/v1/pins/${id}`, body);
      expect((await sendBodyLate(sent, () => revoke(key), key)).status).to.equal(401);
    }
    const found = await rig.useCases.read({ by: FIRST, id });
    expect(found).to.have.nested.property('publication.passwordProtected', false);
  });

  it('gets 401 if its key was revoked in the meantime, and administers nothing', async () => {
    await open();
    const { id } = (await publish(rig)).json.pin;
    for (const sent of [
      json('PATCH', '/admin/v1/accounts/first', { blocked: { reason: 'x', sites: 'hide' } }),
      json('PATCH', '/admin/v1/service', { mode: 'read_only' }),
      json('POST', `/admin/v1/pins/${id}/takedown`, { reason: 'x', purge: true }),
      json('POST', `/admin/v1/pins/${id}/takedown`, { wrong: 'body' }),
    ]) {
      const admin = { by: OPERATOR, account: 'operators', scopes: ['admin'] } as const;
      const { text } = await rig.manageKeys.create(admin);
      expect((await sendBodyLate(sent, () => revoke(text), text)).status, sent.path).to.equal(401);
    }
    expect(await rig.administration.showService()).to.include({ kind: 'normal' });
    expect(await rig.administration.showAccount('first')).to.have.nested.property('account.blocked', null);
    expect(await rig.useCases.read({ by: FIRST, id })).to.have.nested.property('publication.deletedAt', null);
  });

  it('gets 401 if its key is revoked while its archive is stored, and the archive is deleted', async () => {
    let stored = 0;
    await open({
      ports: ({ archives }) => ({
        archives: replacing(archives, {
          put: async (id, archive) => {
            await archives.put(id, archive);
            stored += 1;
            await revoke(rig.keys.first);
          },
        }),
      }),
    });
    const sent = publication();
    expect((await askRaw(rig, headOf(sent), sent.body)).status).to.equal(401);
    expect(stored).to.equal(1);
    await expectNothingPublished();
  });

  describe('a caller of an embedding team’s own sign-in', () => {
    let calls: (Caller | undefined)[];
    let answer: (again: Caller) => Promise<Caller | undefined>;
    beforeEach(async () => {
      calls = [];
      const authenticate: ApiOptions['authenticate'] = async (_request, { again }) => {
        calls.push(again);
        return again === undefined ? KNOWN : await answer(again);
      };
      await open({ api: { authenticate } });
      calls = [];
    });

    const nothing = async (): Promise<void> => undefined;

    it('is authenticated again, with the earlier caller', async () => {
      answer = async (again) => again;
      expect((await sendBodyLate(publication(), nothing)).status).to.equal(201);
      expect(calls).to.deep.equal([undefined, KNOWN]);
    });

    it('is not authenticated again if the body came with the head', async () => {
      const sent = publication();
      const whole = Buffer.concat([Buffer.from(headOf(sent)), sent.body]);
      expect((await askRaw(rig, whole)).status).to.equal(201);
      expect(calls).to.deep.equal([undefined]);
    });

    it('is refused by its new scopes, and the key stays free', async () => {
      const answers: readonly [status: number, again: typeof answer][] = [
        [401, async () => undefined],
        [401, async () => ({ ...KNOWN, account: accountId('another') })],
        [403, async () => ({ ...KNOWN, scopes: ['pins:read'] })],
        [
          503,
          async () => {
            throw new Fault('store_unavailable', 'away');
          },
        ],
      ];
      for (const [status, next] of answers) {
        answer = next;
        expect((await sendBodyLate(publication(), nothing)).status).to.equal(status);
        await expectNothingPublished();
      }
      answer = async (again) => again;
      expect((await sendBodyLate(publication('', 'Another'), nothing)).status).to.equal(201);
    });
  });
});
