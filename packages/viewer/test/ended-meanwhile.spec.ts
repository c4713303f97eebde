import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type RoleId, seconds } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { restOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openRig, type Rig } from './rig.ts';

/** Far more than sockets of this machine buffer for a viewer who reads nothing. */
const MIBS = 24;
const LARGE = new Uint8Array(MIBS * MAX_READ);
const FILES = { '/stored.bin': { stored: LARGE }, '/deflated.bin': LARGE };
type Path = keyof typeof FILES;

describe('a body that is being sent', () => {
  let rig: Rig;
  let id: RoleId;
  let loads: number;

  beforeEach(async () => {
    loads = 0;
    rig = await openRig({
      viewer: { cacheBytes: 5 * MIBS * MAX_READ },
      limits: { archiveBytes: 64 * MAX_READ, expandedBytes: 200 * MAX_READ, fileBytes: 64 * MAX_READ },
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          load: (role, signal) => {
            loads += 1;
            return roles.load(role, signal);
          },
        }),
      }),
    });
  });

  async function publish(path: Path): Promise<void> {
    id = await rig.publish({ 'index.html': 'home', [path.slice(1)]: FILES[path] });
  }

  /** Requests a file, without reading it yet. */
  async function begin(path: Path, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const host = rig.siteHost(id);
    const options = { host: '127.0.0.1', port: rig.port, path, headers: { host, ...headers }, agent: false };
    const [answer] = (await once(request(options).end(), 'response')) as [IncomingMessage];
    return answer;
  }

  for (const [path, headers] of [
    ['/stored.bin', {}],
    ['/stored.bin', { range: 'bytes=5-' }],
    ['/deflated.bin', {}],
  ] as const) {
    const what = `${path} ${JSON.stringify(headers)}`;

    it(`checks its role before each further MiB: ${what}`, async () => {
      await publish(path);
      loads = 0;
      const whole = await restOf(await begin(path, headers));
      expect(whole.isWhole).to.equal(true);
      expect(loads, 'once for the request, and before each further MiB').to.be.within(MIBS, MIBS + 2);
    });

    it(`is cut off when its role is stopped: ${what}`, async () => {
      await publish(path);
      const answer = await begin(path, headers);
      await rig.stop(id);
      const { bytes, isWhole } = await restOf(answer);
      expect(isWhole).to.equal(false);
      expect(bytes).to.be.lessThan((MIBS - 1) * MAX_READ);
    });
  }

  it('checks its role even if all of the body is cached', async () => {
    await publish('/deflated.bin');
    const range = { range: `bytes=${MAX_READ}-` };
    await restOf(await begin('/deflated.bin', { range: `bytes=${MAX_READ}-${MAX_READ}` }));
    loads = 0;
    expect((await restOf(await begin('/deflated.bin', range))).isWhole).to.equal(true);
    expect(loads).to.be.within(MIBS - 1, MIBS + 1);
  });

  it('is cut off when its role expires', async () => {
    await publish('/stored.bin');
    const answer = await begin('/stored.bin');
    rig.clock.advance(seconds(8 * 86_400));
    expect((await restOf(answer)).isWhole).to.equal(false);
  });
});
