import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { signalled } from '../../src/start/signals.ts';

/** A process that can be told to stop, at moments that a test gives. */
function rig() {
  const source = new EventEmitter();
  let now = 0;
  const heard: string[] = [];
  const { first, again } = signalled(source, () => now);
  void first.then(() => heard.push('first'));
  void again.then(() => heard.push('again'));
  return async (signal: NodeJS.Signals, at: number): Promise<readonly string[]> => {
    now = at;
    source.emit(signal);
    await new Promise((resolve) => setImmediate(resolve));
    return heard;
  };
}

describe('signals to a process', () => {
  it('count as one where a terminal, npm and a wrapper each pass it on', async () => {
    const tell = rig();
    expect(await tell('SIGINT', 5_000)).to.deep.equal(['first']);
    expect(await tell('SIGINT', 5_000)).to.deep.equal(['first']);
    expect(await tell('SIGTERM', 5_999)).to.deep.equal(['first']);
  });

  it('is to stop, when its terminal is closed', async () => {
    expect(await rig()('SIGHUP', 5_000)).to.deep.equal(['first']);
  });

  it('is another one a second later, by whatever signal', async () => {
    const tell = rig();
    await tell('SIGTERM', 5_000);
    expect(await tell('SIGINT', 6_000)).to.deep.equal(['first', 'again']);
  });
});
