import { after, type Clock, type Duration, Fault, instant, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { RetryLater, resumeHint, retryUntilDone } from '../../src/publishing/persist.ts';

describe('a publication on this machine', () => {
  let now = instant(0);
  const slept: Duration[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: async (length) => {
      slept.push(length);
      now = after(now, length);
    },
  };

  it('is tried again for 150 s, later if the service says when, and not after a final failure', async () => {
    const lines: string[] = [];
    const failures = [
      new RetryLater('Busy', after(now, seconds(30))),
      new Fault('store_unavailable', 'The database is away.'),
    ];
    const attempt = async (): Promise<string> => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return 'done';
    };
    expect(await retryUntilDone(clock, attempt, (line) => lines.push(line))).to.equal('done');
    expect(slept.splice(0)).to.deep.equal([30_000, 1_000]);
    expect(lines).to.deep.equal(['Busy; trying again in 30 s', 'The database is away; trying again in 1 s']);
    const always = async (): Promise<never> => {
      throw new RetryLater('Busy', now);
    };
    const late = await retryUntilDone(clock, always, () => undefined).catch((error: Error) => error);
    expect(late).to.include({ name: 'UnavailableError', message: 'Busy' });
    expect(slept.splice(0).reduce((sum, pause) => sum + pause, 0)).to.be.within(150_000, 158_000);
    const final = async (): Promise<never> => {
      throw new TypeError('final');
    };
    const failed = await retryUntilDone(clock, final, () => undefined).catch((error: Error) => error);
    expect(failed).to.include({ name: 'TypeError', message: 'final' });
    expect(slept).to.deep.equal([]);
  });

  it('names the option with the key that was in use, as a shell takes it', () => {
    expect(resumeHint({ idempotencyKey: 'nightly-17' }, 'interrupted:')).to.include(
      '--idempotency-key nightly-17,',
    );
    expect(resumeHint({ idempotencyKey: "Ada's site" }, 'interrupted:')).to.include(
      String.raw`--idempotency-key 'Ada'\''s site',`,
    );
  });
});
