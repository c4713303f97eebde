import { seconds } from '@pinfold/core';
import { expect } from 'chai';
import { expectProblem, SlowProvider } from './slow-provider.ts';

describe('exchanges with a provider that is slow or hostile', () => {
  let provider: SlowProvider;
  beforeEach(async () => {
    provider = await SlowProvider.open();
  });
  afterEach(() => provider.close());

  const DISCOVERY = '/.well-known/openid-configuration';
  const discoveries = (): number => provider.asked.filter((path) => path === DISCOVERY).length;
  const answerAll = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      await provider.untilTokens(n + 1);
      provider.tokens[n]?.answer();
    }
  };

  it('takes a state once, also while its first exchange is under way', async () => {
    const finish = await provider.begin();
    const first = finish('a');
    await provider.untilTokens(1);
    await expectProblem(finish('a'), 'late');
    provider.tokens[0]?.answer();
    await expectProblem(first, 'late');
    await expectProblem(finish('b', 'another code'), 'late');
    expect(provider.tokens).to.have.length(1);
  });

  it('makes eight exchanges at a time, and lets clients take turns', async () => {
    const codes = [...Array.from({ length: 10 }, (_, n) => `a${n}`), 'b0'];
    const returns = [];
    for (const code of codes) returns.push({ code, finish: await provider.begin() });
    const finished = returns.map(({ code, finish }) => finish(code[0] ?? '', code));
    await provider.untilTokens(8);
    expect(provider.tokens).to.have.length(8);
    await answerAll(codes.length);
    for (const each of finished) await expectProblem(each, 'late');
    // Requests under way at once arrive in any order: among the first eight there is none of the other client.
    expect(provider.tokens.slice(0, 8).every(({ code }) => code?.startsWith('a'))).to.equal(true);
    expect(provider.tokens.slice(8, 10).map(({ code }) => code)).to.include('b0');
  });

  it('refuses more than 64 that wait, which may come back again', async () => {
    const returns = await Promise.all(Array.from({ length: 73 }, () => provider.begin()));
    const finished = returns.map((finish) => finish('a'));
    await expectProblem(finished[72] as (typeof finished)[0], 'busy');
    await answerAll(72);
    for (const each of finished.slice(0, 72)) await expectProblem(each, 'late');
    const again = returns[72]?.('a', 'again');
    await provider.untilTokens(73);
    expect(provider.tokens[72]?.code).to.equal('again');
    provider.tokens[72]?.answer();
    await again;
  });

  it('cancels the exchange of a client that leaves, and never begins one that waits', async () => {
    const leaving = new AbortController();
    const returns = await Promise.all(Array.from({ length: 9 }, () => provider.begin()));
    const left = returns.map((finish) => finish('a', 'a', leaving.signal).catch((error: unknown) => error));
    await provider.untilTokens(8);
    leaving.abort();
    for (const each of left) expect(await each).to.equal(leaving.signal.reason);
    await Promise.all(provider.tokens.map(({ isClosed }) => isClosed));
    const other = (await provider.begin())('b', 'other');
    await provider.untilTokens(9);
    expect(provider.tokens[8]?.code).to.equal('other');
    provider.tokens[8]?.answer();
    await other;
  });

  it('asks once for the discovery document for all who need it at the same time', async () => {
    await Promise.all(Array.from({ length: 5 }, () => provider.begin()));
    expect(discoveries()).to.equal(1);
  });

  it('asks for the discovery document at most every five seconds', async () => {
    for (let n = 0; n < 3; n += 1) {
      const finish = await provider.begin();
      const finished = finish('a');
      await provider.untilTokens(n + 1);
      provider.tokens[n]?.answer();
      await finished;
    }
    expect(discoveries()).to.equal(1);
    provider.clock.advance(seconds(5));
    const finished = (await provider.begin())('a');
    await provider.untilTokens(4);
    provider.tokens[3]?.answer();
    await finished;
    expect(discoveries()).to.equal(2);
  });

  it('asks at most every five seconds also while the document is unusable', async () => {
    provider.document = '{}';
    for (let n = 0; n < 3; n += 1) {
      expect(await provider.client.begin('https://pages.example/')).to.include({ problem: 'untrusted' });
    }
    expect(discoveries()).to.equal(1);
    provider.document = undefined;
    provider.clock.advance(seconds(5));
    expect(await provider.client.begin('https://pages.example/')).to.include({ kind: 'begun' });
  });

  it('reads at most 1 MiB of an answer', async () => {
    const finished = (await provider.begin())('a');
    await provider.untilTokens(1);
    const [token] = provider.tokens;
    token?.answer(Buffer.alloc(64 * 1_048_576, ' '));
    const outcome = await finished;
    expect(outcome).to.deep.include({
      problem: 'untrusted',
      detail: 'the provider sent an answer of more than 1 MiB',
    });
    await token?.isClosed;
  });
});
