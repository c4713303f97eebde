import { join } from 'node:path';
import {
  accountId,
  after,
  days,
  duration,
  hours,
  type Instant,
  instant,
  minutes,
  OPERATOR,
  seconds,
} from '@pinfold/core';
import { aroundCalls, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openNode, type WrapPort } from 'pinfold-proof/service/open-node.ts';
import type { RecordsKind } from 'pinfold-proof/service/places.ts';
import { Client } from '../service/client.ts';
import { type Backends, type OwnedNode, openOwnedNode } from '../service/owned-node.ts';
import { enter, tryPassword } from '../service/visitor.ts';
import { createSettableClock, type SettableClock } from './settable-clock.ts';

/** Time zones, each with an instant at which daylight saving time begins or ends. */
const CHANGES: Readonly<Record<string, Instant>> = {
  'America/New_York': instant(Date.UTC(2027, 2, 14, 7)),
  'Europe/Berlin': instant(Date.UTC(2027, 9, 31, 1)),
  'Australia/Lord_Howe': instant(Date.UTC(2027, 3, 3, 15)),
};

const rfc3339 = (at: Instant): string => new Date(at).toISOString();

describe('A service', () => {
  const opened: OwnedNode<SettableClock>[] = [];

  async function openService(
    { records = 'memory', start = START }: { records?: RecordsKind; start?: Instant } = {},
    wrap?: WrapPort,
  ): Promise<OwnedNode<SettableClock>> {
    const backends: Backends = { records, archives: records === 'memory' ? 'memory' : 'files' };
    const service = await openOwnedNode(backends, createSettableClock(start), wrap);
    opened.push(service);
    return service;
  }

  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });

  describe('on a host in the time zone', () => {
    const zone = process.env.TZ;
    afterEach(() => {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    });

    for (const [place, change] of Object.entries(CHANGES)) {
      it(`${place} is not affected by daylight saving time`, async () => {
        process.env.TZ = place;
        const [eve, morning] = [instant(change - hours(1)), after(change, hours(1))];
        const offsets = [eve, morning].map((at) => new Date(at).getTimezoneOffset());
        expect(offsets[0], 'the zone is in force').not.to.equal(offsets[1]);
        const { client, clock } = await openService({ start: eve });
        const { pin } = await client.publish('overnight');
        const expiresAt = rfc3339(after(eve, days(7)));
        expect(pin).to.include({ published_at: rfc3339(eve), expires_at: expiresAt });
        clock.advance(duration(days(7) - 1));
        expect((await client.read(pin?.id ?? '')).pin?.state).to.equal('published');
        clock.advance(duration(1));
        expect((await client.read(pin?.id ?? '')).pin?.state).to.equal('expired');
      });
    }
  });

  describe('whose clock is set', () => {
    for (const [direction, by] of [
      ['forward', hours(2)],
      ['back', -hours(2)],
    ] as const) {
      it(`${direction} while an archive is proved makes exactly one publication`, async () => {
        const proving = Promise.withResolvers<void>();
        const resume = Promise.withResolvers<void>();
        const { client, clock, node } = await openService({}, pausing('inspector', 'list', proving, resume));
        const first = client.publish('the key');
        await proving.promise;
        clock.set(by);
        const other = await client.publish('the key');
        resume.resolve();
        const answers = [await first, other];
        expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
        for (const { status } of answers) expect(status).to.be.oneOf([200, 201, 409]);
        clock.advance(hours(3));
        expect((await client.publish('the key')).status).to.equal(200);
        expect(await client.list()).to.have.length(1);
        clock.advance(hours(25));
        await node.cleaning.cleanUp();
        expect(await node.ports.archives.list(undefined, 10)).to.have.length(1);
        expect(await client.view((await first).pin?.id ?? other.pin?.id ?? '')).to.equal(200);
      });
    }

    it('back keeps its publications, and lists them by the instant of the clock', async () => {
      const { client, clock } = await openService();
      const { pin } = await client.publish('before');
      clock.set(-days(2));
      expect(await client.view(pin?.id ?? '')).to.equal(200);
      expect((await client.publish('before')).pin?.id).to.equal(pin?.id);
      const { pin: later } = await client.publish('after');
      expect((await client.list()).map(({ id }) => id)).to.deep.equal([pin?.id, later?.id]);
      const reset = await client.patch(pin?.id ?? '', { reset_expiration: true });
      expect(reset.pin).to.include({ expires_at: rfc3339(after(clock.now(), days(7))) });
      expect((await client.stop(pin?.id ?? '')).status).to.equal(204);
      expect(await client.view(pin?.id ?? '')).to.equal(404);
    });

    it('back allows no more guesses of a password, and locks no role for good', async () => {
      const { client, clock, node } = await openService();
      const { pin } = await client.publish('guessed');
      const id = pin?.id ?? '';
      await client.patch(id, { password: 'correct horse' });
      const guess = async (): Promise<number> => (await tryPassword(node.url, id, 'a guess')).status;
      for (let n = 0; n < 5; n += 1) expect(await guess()).to.equal(403);
      clock.set(-hours(1));
      for (let n = 0; n < 5; n += 1) expect(await guess()).to.equal(403);
      expect(await guess()).to.equal(429);
      clock.advance(hours(1));
      clock.advance(minutes(5));
      expect(await guess()).to.equal(403);
    });

    it('neither prolongs nor shortens the grant of a viewer', async () => {
      const { client, clock, node } = await openService();
      const { pin } = await client.publish('granted');
      const id = pin?.id ?? '';
      await client.patch(id, { password: 'correct horse' });
      const visitor = await enter(node.url, id, 'correct horse');
      clock.set(-hours(1));
      expect(await visitor.file(node.url)).to.equal(200);
      clock.set(hours(1));
      clock.advance(duration(hours(12) - 1));
      expect(await visitor.file(node.url)).to.equal(200);
      clock.advance(duration(1));
      expect(await visitor.file(node.url)).to.equal(403);
      clock.set(hours(24));
      expect(await visitor.file(node.url)).to.equal(403);
    });

    it('a few seconds apart on two nodes makes no second role and loses nothing', async () => {
      const { client, clock, node, addresses } = await openService({ records: 'sqlite' });
      await node.cleaning.cleanUp();
      const ahead = createSettableClock(after(clock.now(), seconds(5)));
      const folder = join(addresses.folder, 'other');
      const other = await openNode({ ...addresses, folder, clock: ahead });
      const { text: key } = await other.keys.create({ by: OPERATOR, account: accountId('owner') });
      const both = [client, new Client(other.url, key)];
      const answers = await Promise.all(both.flatMap((one) => [one.publish('a key'), one.publish('a key')]));
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
      const [role] = await client.list();
      expect((await both[1]?.stop(role?.id ?? ''))?.status).to.equal(204);
      expect(await client.view(role?.id ?? '')).to.equal(404);
      for (const each of [clock, ahead]) each.advance(hours(1));
      const removed = [await other.cleaning.cleanUp(), await node.cleaning.cleanUp()];
      expect(removed.reduce((sum, { archives }) => sum + archives, 0)).to.equal(1);
      await other.close();
    });
  });
});

/** Pauses the first call of a method. */
function pausing(
  port: string,
  method: string,
  reached: PromiseWithResolvers<void>,
  resume: PromiseWithResolvers<void>,
): WrapPort {
  let first = true;
  return (wrapped, name) =>
    name !== port
      ? wrapped
      : aroundCalls(wrapped, async (member, call) => {
          if (first && member === method) {
            first = false;
            reached.resolve();
            await resume.promise;
          }
          return call();
        });
}
