import { Fault } from '@pinfold/core';
import { expect } from 'chai';
import { Dependency, type DependencyState } from '../../src/health/dependency.ts';
import { openLog } from '../../src/server/log.ts';

const FAULT = new Fault('storage_unavailable', 'gone', { cause: new Error('connection refused') });
const FULL = new Fault('storage_unavailable', 'full', {
  cause: Object.assign(new Error('no space left'), { code: 'ENOSPC' }),
});

const NOT_SUPPORTED = new Fault('storage_unavailable', 'not for this release');

/** A dependency whose answers and delays a test controls. */
function createDependency(timeout = 60_000) {
  const logged: string[] = [];
  let now = 0;
  let checks = 0;
  let answer: (signal: AbortSignal) => Promise<unknown> = async () => undefined;
  const message = { unavailable: 'away', full: 'full', back: 'back' };
  const persistent = (error: unknown) => (error === NOT_SUPPORTED ? 'not supported' : undefined);
  const options = { code: 'storage_unavailable', message, persistent } as const;
  const part = new Dependency(options, { slow: 1_000, unavailable: timeout }, () => now);
  part.logTo(openLog('info', (line) => logged.push(JSON.parse(line).msg)));
  part.probeWith((signal) => {
    checks += 1;
    return answer(signal);
  });
  return {
    part,
    logged,
    checks: () => checks,
    setProbe: (probe: (signal: AbortSignal) => Promise<unknown>): void => {
      answer = probe;
    },
    setDuration: (milliseconds: number): void => {
      answer = async () => {
        now += milliseconds;
      };
    },
    stateAfter: async (probe: (signal: AbortSignal) => Promise<unknown>): Promise<DependencyState> => {
      answer = probe;
      await part.probe();
      return part.state;
    },
  };
}

const rejectWith = (error: unknown) => (): Promise<never> => Promise.reject(error);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a dependency of the server', () => {
  it('is healthy before the first probe', () => {
    expect(createDependency().part.state).to.equal('ok');
  });

  it('has the state that a probe finds: healthy, slow, full or unavailable', async () => {
    const { part, stateAfter, setDuration } = createDependency();
    expect(await stateAfter(rejectWith(FAULT))).to.equal('unavailable');
    expect(part.error).to.equal(FAULT);
    expect(await stateAfter(rejectWith(FULL))).to.equal('full');
    setDuration(1_000);
    await part.probe();
    expect(part.state).to.equal('ok');
    setDuration(1_001);
    await part.probe();
    expect(part.state).to.equal('slow');
  });

  it('is unavailable after a timeout, and gets no second probe while one hangs', async () => {
    const { part, checks, stateAfter } = createDependency(1);
    const hanging = Promise.withResolvers<void>();
    expect(await stateAfter(() => hanging.promise)).to.equal('unavailable');
    await part.probe();
    expect([part.state, checks()]).to.deep.equal(['unavailable', 1]);
    hanging.resolve();
    await settle();
    expect(await stateAfter(async () => undefined)).to.equal('ok');
    expect(checks()).to.equal(2);
  });

  it('aborts the signal of a probe that has timed out', async () => {
    const { stateAfter } = createDependency(1);
    let reason: unknown;
    await stateAfter(
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

  it('runs one probe for many concurrent callers', async () => {
    const { part, checks } = createDependency();
    await Promise.all(Array.from({ length: 100 }, () => part.probe()));
    expect(checks()).to.equal(1);
  });

  it('is unavailable as soon as a request fails, and available as soon as one succeeds', async () => {
    const { part, setProbe } = createDependency();
    setProbe(rejectWith(FAULT));
    part.failed(FAULT);
    expect(part.state).to.equal('unavailable');
    await settle();
    expect(part.state).to.equal('unavailable');
    part.answered();
    expect(part.state).to.equal('ok');
    part.failed(FULL);
    expect(part.state).to.equal('full');
  });

  it('is probed after a failed request, at most once between two regular probes', async () => {
    const { part, checks } = createDependency();
    part.failed(FAULT);
    await settle();
    expect([part.state, checks()]).to.deep.equal(['ok', 1]);
    for (let n = 0; n < 10; n += 1) part.failed(FAULT);
    await settle();
    expect([part.state, checks()]).to.deep.equal(['unavailable', 1]);
    await part.probe();
    expect([part.state, checks()]).to.deep.equal(['ok', 2]);
    part.failed(FAULT);
    await settle();
    expect(checks()).to.equal(3);
  });

  it('stays healthy after other faults and aborted calls', () => {
    const { part } = createDependency();
    part.failed(new Fault('store_corrupt', 'damaged'));
    part.failed(new Fault('store_unavailable', 'another part'));
    part.failed(new DOMException('gone', 'AbortError'));
    expect(part.state).to.equal('ok');
  });

  it('is slow, not unavailable, when a probe times out while requests succeed', async () => {
    const { part, stateAfter } = createDependency(1);
    const busy = (): Promise<void> => {
      part.answered();
      return Promise.reject(FAULT);
    };
    expect(await stateAfter(busy)).to.equal('slow');
  });

  it('is unavailable, not slow, when a probe meets a persistent fault while requests succeed', async () => {
    const { part, logged, stateAfter } = createDependency(1);
    const persistent = (): Promise<void> => {
      part.answered();
      return Promise.reject(NOT_SUPPORTED);
    };
    expect(await stateAfter(persistent)).to.equal('unavailable');
    expect(logged).to.deep.equal(['not supported']);
  });

  it('is logged when probes find it unavailable or available again, not for each request', async () => {
    const { part, logged, stateAfter } = createDependency();
    part.answered();
    await stateAfter(rejectWith(FAULT));
    part.failed(FAULT);
    await settle();
    part.answered();
    await stateAfter(rejectWith(FAULT));
    expect(logged).to.deep.equal(['away']);
    await stateAfter(async () => undefined);
    await stateAfter(async () => undefined);
    expect(logged).to.deep.equal(['away', 'back']);
    await stateAfter(rejectWith(FULL));
    await stateAfter(rejectWith(FULL));
    expect(logged.slice(2)).to.deep.equal(['full']);
  });

  it('is not probed after it is closed, which ends a running probe', async () => {
    const { part, checks, logged } = createDependency();
    const hanging = createDependency();
    hanging.setProbe(() => new Promise(() => undefined));
    const probing = hanging.part.probe();
    await Promise.all([hanging.part.close(), probing]);
    expect(hanging.part.state).to.equal('ok');
    await part.close();
    await part.probe();
    expect([checks(), logged.length]).to.deep.equal([0, 0]);
  });
});
