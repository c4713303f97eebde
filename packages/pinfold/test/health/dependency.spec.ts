import { Fault } from '@pinfold/core';
import { expect } from 'chai';
import { Dependency, type DependencyState } from '../../src/health/dependency.ts';
import { openLog } from '../../src/server/log.ts';

const FAULT = new Fault('storage_unavailable', 'gone', { cause: new Error('connection refused') });
const FULL = new Fault('storage_unavailable', 'full', {
  cause: Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
});

const BARRED = new Fault('storage_unavailable', 'not for this release');

/** A part whose answers a test gives, and a clock that each of them may take some of. */
function rig(longest = 60_000) {
  const said: string[] = [];
  let now = 0;
  let asked = 0;
  let answer: (signal: AbortSignal) => Promise<unknown> = async () => undefined;
  const says = { unavailable: 'away', full: 'full', back: 'back' };
  const barred = { by: (error: unknown): boolean => error === BARRED, says: 'barred' };
  const options = { code: 'storage_unavailable', says, barred } as const;
  const part = new Dependency(options, { slow: 1_000, longest }, () => now);
  part.tellTo(openLog('info', (line) => said.push(JSON.parse(line).msg)));
  part.askedBy((signal) => {
    asked += 1;
    return answer(signal);
  });
  return {
    part,
    said,
    asked: () => asked,
    answers: (how: (signal: AbortSignal) => Promise<unknown>): void => {
      answer = how;
    },
    takes: (milliseconds: number): void => {
      answer = async () => {
        now += milliseconds;
      };
    },
    found: async (how: (signal: AbortSignal) => Promise<unknown>): Promise<DependencyState> => {
      answer = how;
      await part.look();
      return part.state;
    },
  };
}

const refuses = (error: unknown) => (): Promise<never> => Promise.reject(error);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a part that the server needs', () => {
  it('is well until something else is known', () => {
    expect(rig().part.state).to.equal('ok');
  });

  it('is what a look finds: well, slow, without room, or away', async () => {
    const { part, found, takes } = rig();
    expect(await found(refuses(FAULT))).to.equal('unavailable');
    expect(part.error).to.equal(FAULT);
    expect(await found(refuses(FULL))).to.equal('full');
    takes(1_000);
    await part.look();
    expect(part.state).to.equal('ok');
    takes(1_001);
    await part.look();
    expect(part.state).to.equal('slow');
  });

  it('is away when nothing comes in time, and what hangs is not asked again meanwhile', async () => {
    const { part, asked, found } = rig(1);
    const hanging = Promise.withResolvers<void>();
    expect(await found(() => hanging.promise)).to.equal('unavailable');
    await part.look();
    expect([part.state, asked()]).to.deep.equal(['unavailable', 1]);
    hanging.resolve();
    await settled();
    expect(await found(async () => undefined)).to.equal('ok');
    expect(asked()).to.equal(2);
  });

  it('tells who is asked that nobody waits any more', async () => {
    const { found } = rig(1);
    let reason: unknown;
    await found(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(reason);
          });
        }),
    );
    expect(reason).to.be.instanceOf(Error);
  });

  it('is looked at once by however many who want to know at the same time', async () => {
    const { part, asked } = rig();
    await Promise.all(Array.from({ length: 100 }, () => part.look()));
    expect(asked()).to.equal(1);
  });

  it('is away at once when a request meets it so, and back at once when one is answered', async () => {
    const { part, answers } = rig();
    answers(refuses(FAULT));
    part.failed(FAULT);
    expect(part.state).to.equal('unavailable');
    await settled();
    expect(part.state).to.equal('unavailable');
    part.answered();
    expect(part.state).to.equal('ok');
    part.failed(FULL);
    expect(part.state).to.equal('full');
  });

  it('is looked at when a request fails, which may be for the request alone; and once between two looks', async () => {
    const { part, asked } = rig();
    part.failed(FAULT);
    await settled();
    expect([part.state, asked()]).to.deep.equal(['ok', 1]);
    for (let n = 0; n < 10; n += 1) part.failed(FAULT);
    await settled();
    expect([part.state, asked()]).to.deep.equal(['unavailable', 1]);
    await part.look();
    expect([part.state, asked()]).to.deep.equal(['ok', 2]);
    part.failed(FAULT);
    await settled();
    expect(asked()).to.equal(3);
  });

  it('is not to blame for other faults, nor for what was broken off', () => {
    const { part } = rig();
    part.failed(new Fault('store_corrupt', 'damaged'));
    part.failed(new Fault('store_unavailable', 'another part'));
    part.failed(new DOMException('gone', 'AbortError'));
    expect(part.state).to.equal('ok');
  });

  it('is slow, and not away, when a look gets no answer while requests do', async () => {
    const { part, found } = rig(1);
    const busy = (): Promise<void> => {
      part.answered();
      return Promise.reject(FAULT);
    };
    expect(await found(busy)).to.equal('slow');
  });

  it('is away, and not slow, when a look finds it barred, though requests are answered', async () => {
    const { part, said, found } = rig(1);
    const barred = (): Promise<void> => {
      part.answered();
      return Promise.reject(BARRED);
    };
    expect(await found(barred)).to.equal('unavailable');
    expect(said).to.deep.equal(['barred']);
  });

  it('is told of when looks find it away or back, and not for each request', async () => {
    const { part, said, found } = rig();
    part.answered();
    await found(refuses(FAULT));
    part.failed(FAULT);
    await settled();
    part.answered();
    await found(refuses(FAULT));
    expect(said).to.deep.equal(['away']);
    await found(async () => undefined);
    await found(async () => undefined);
    expect(said).to.deep.equal(['away', 'back']);
    await found(refuses(FULL));
    await found(refuses(FULL));
    expect(said.slice(2)).to.deep.equal(['full']);
  });

  it('is looked at no more once it is closed, and what runs is ended', async () => {
    const { part, asked, said } = rig();
    const hanging = rig();
    hanging.answers(() => new Promise(() => undefined));
    const looking = hanging.part.look();
    await Promise.all([hanging.part.close(), looking]);
    expect(hanging.part.state).to.equal('ok');
    await part.close();
    await part.look();
    expect([asked(), said.length]).to.deep.equal([0, 0]);
  });
});
