import { hours, isFault, seconds } from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import type { Answer } from '../service/client.ts';
import { oneRenewal } from '../service/one-renewal.ts';
import { LOCAL_BACKENDS, type OwnedNode, openOwnedNode } from '../service/owned-node.ts';
import { tryPassword } from '../service/visitor.ts';
import { type BrokenCall, PlannedFaults } from './planned-faults.ts';

type Reply = Pick<Answer, 'status' | 'retryAfter'>;

/** A request of a client, and its answers. */
interface Action {
  readonly name: string;
  readonly act: (service: Service, id: string) => Promise<Reply>;
  readonly needsPassword?: true;
  /** The status if no call fails. */
  readonly succeeds: number;
  /** The statuses of the repeated request: the first one may have taken effect, although a call failed. */
  readonly repeated: readonly number[];
}

interface Service extends OwnedNode<ManualClock> {
  readonly faults: PlannedFaults;
}

const PASSWORD = 'nobody would guess it';

async function openService(): Promise<Service> {
  const faults = new PlannedFaults();
  return { ...(await openOwnedNode(LOCAL_BACKENDS, createManualClock(), faults.wrap)), faults };
}

async function reply(answer: Promise<Response>): Promise<Reply> {
  const { status, headers, body } = await answer;
  await body?.cancel();
  return { status, retryAfter: headers.get('retry-after') };
}

function ask({ node, key }: Service, path: string, init: RequestInit = {}): Promise<Reply> {
  return reply(fetch(node.url + path, { ...init, headers: { authorization: `Bearer ${key}` } }));
}

const ACTIONS: readonly Action[] = [
  { name: 'reading', act: ({ client }, id) => client.read(id), succeeds: 200, repeated: [200] },
  { name: 'listing', act: ({ client }) => client.page(), succeeds: 200, repeated: [200] },
  {
    name: 'a new title',
    act: ({ client }, id) => client.patch(id, { title: 'New' }),
    succeeds: 200,
    repeated: [200],
  },
  {
    name: 'a new password',
    act: ({ client }, id) => client.patch(id, { password: 'another password' }),
    succeeds: 200,
    repeated: [200],
  },
  {
    name: 'renewing',
    act: ({ client }, id) => client.patch(id, { reset_expiration: true }),
    succeeds: 200,
    repeated: [200],
  },
  {
    name: 'showing it by a name',
    act: ({ client }, id) => client.point(`to-${id}`, id),
    succeeds: 201,
    repeated: [200, 201],
  },
  {
    name: 'opening it for automation',
    act: (service, id) => ask(service, `/api/v1/pins/${id}/grants`, { method: 'POST' }),
    succeeds: 201,
    repeated: [201],
  },
  {
    name: 'saving its archive',
    act: (service, id) => ask(service, `/api/v1/pins/${id}/archive`),
    succeeds: 200,
    repeated: [200],
  },
  { name: 'stopping', act: ({ client }, id) => client.stop(id), succeeds: 204, repeated: [204, 409] },
  {
    name: 'viewing',
    act: ({ node }, id) => reply(fetch(`${node.url}/s/${id}/`)),
    succeeds: 200,
    repeated: [200],
  },
  {
    name: 'giving the password',
    needsPassword: true,
    act: async ({ node }, id) => reply(tryPassword(node.url, id, PASSWORD)),
    succeeds: 303,
    repeated: [303],
  },
  {
    name: 'giving a wrong password',
    needsPassword: true,
    act: async ({ node }, id) => reply(tryPassword(node.url, id, 'somebody guessed it')),
    succeeds: 403,
    repeated: [403],
  },
];

function expectUnavailable({ status, retryAfter }: Reply, what: string): void {
  expect(status, what).to.equal(503);
  expect(retryAfter, `${what}: Retry-After`).to.match(/^[1-9]\d*$/);
}

function bothWays(calls: readonly string[]): readonly BrokenCall[] {
  return calls.flatMap((call) => [
    { call, when: 'before' },
    { call, when: 'after' },
  ]);
}

/**
 * The calls that every answer waits for. Leaves out three: the use of a key is recorded after the answer, a key is looked up
 * again only if the body arrives after the head, and an archive can be stored without having been prepared.
 */
function callsBeforeAnswer({ calls }: PlannedFaults): readonly string[] {
  return calls.filter((call) => !/^(?:apiKeys\.(?:touch|find [2-9])|archives\.prepare)/.test(call));
}

describe('A service in which a call of a port fails', () => {
  for (const action of ACTIONS) {
    it(`lets ${action.name} succeed or answers it with 503, and leaves the publication in the right state, for any call`, async () => {
      const service = await openService();
      const { client, faults, node } = service;
      const publish = async (key: string): Promise<string> => {
        faults.plan();
        const { pin } = await client.publish(key);
        if (action.needsPassword) await client.patch(pin?.id ?? '', { password: PASSWORD });
        return pin?.id ?? '';
      };
      const sound = await publish('sound');
      faults.plan();
      expect((await action.act(service, sound)).status).to.equal(action.succeeds);
      const calls = callsBeforeAnswer(faults);
      expect(
        calls.some((call) => /^(?:roles|names)\./.test(call)),
        'it asks the store',
      ).to.equal(true);
      for (const broken of bothWays(calls)) {
        const what = `${broken.call} ${broken.when}`;
        const id = await publish(what);
        faults.plan(broken);
        const answer = await action.act(service, id);
        expect(faults.hasBroken, `${what} was made`).to.equal(true);
        if (answer.status !== action.succeeds) expectUnavailable(answer, what);
        faults.plan();
        expect((await action.act(service, id)).status, `${what}, again`).to.be.oneOf(action.repeated);
        const { pin } = await client.read(id);
        expect(pin?.state, what).to.equal(action.name === 'stopping' ? 'deleted' : 'published');
      }
      expect(node.errors.every(isFault), 'what was logged').to.equal(true);
      await service.close();
    });
  }

  it('answers a publication with 503, and publishes once if it is repeated, for any call', async () => {
    const service = await openService();
    const { client, faults, clock, node } = service;
    faults.plan();
    expect((await client.publish('sound')).status).to.equal(201);
    const calls = callsBeforeAnswer(faults);
    const wanted = ['staging.receive 1', 'roles.reserve 1', 'inspector.prove 1', 'archives.put 1'];
    expect(calls).to.include.members([...wanted, 'roles.commit 1']);
    for (const broken of bothWays(calls)) {
      const key = `${broken.call} ${broken.when}`;
      faults.plan(broken);
      const answer = await client.publish(key);
      expect(faults.hasBroken, `${key} was made`).to.equal(true);
      expectUnavailable(answer, key);
      faults.plan();
      expect((await client.publish(key)).status, `${key}, again`).to.be.oneOf([200, 201, 409]);
      clock.advance(seconds(60));
      expect((await client.publish(key)).status, `${key}, after the lease`).to.be.oneOf([200, 201]);
      expect(await client.listByKey(key), key).to.have.length(1);
    }
    const published = (await client.list()).length;
    expect(published).to.equal(1 + 2 * calls.length);
    clock.advance(hours(25));
    expect(await node.cleaning.cleanUp()).to.deep.include({ missing: [], listing: 'done' });
    expect(await node.ports.archives.list(undefined, 1_000)).to.have.length(published);
    expect(await node.uploads()).to.deep.equal([]);
    expect(node.errors.every(isFault), 'what was logged').to.equal(true);
    await service.close();
  });

  it('publishes even if renewing the lease or preparing the archive fails', async () => {
    for (const broken of bothWays(['roles.renew 1', 'archives.prepare 1'])) {
      const faults = new PlannedFaults();
      const renewal = oneRenewal(createManualClock());
      const { client, close } = await openOwnedNode(LOCAL_BACKENDS, renewal.clock, (port, name) =>
        renewal.wrap(faults.wrap(port, name), name),
      );
      faults.plan(broken);
      expect((await client.publish(broken.call)).status).to.equal(201);
      expect(faults.hasBroken).to.equal(true);
      await close();
    }
  });
});
