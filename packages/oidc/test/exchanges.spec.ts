import { after, days, type IdentityProvider, instant, minutes, seconds } from '@pinfold/core';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { CLIENT_ID, CLIENT_SECRET } from 'pinfold-test-servers/issuer';
import { SlowIssuer } from 'pinfold-test-servers/slow-issuer';
import { openIdConnect } from '../src/index.ts';
import { beginSignIn, expectProblem } from './returning-browser.ts';

describe('exchanges with a provider that is slow or hostile', () => {
  let issuer: SlowIssuer;
  let clock: ManualClock;
  let provider: IdentityProvider;
  beforeEach(async () => {
    issuer = await SlowIssuer.listen();
    clock = createManualClock(instant(Date.now()));
    const client = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
    provider = openIdConnect({ issuer: issuer.url, ...client, clock });
  });
  afterEach(() => issuer.close());

  const begin = (): ReturnType<typeof beginSignIn> => beginSignIn(provider);

  const DISCOVERY = '/.well-known/openid-configuration';
  const discoveries = (): number => issuer.requests.filter((path) => path === DISCOVERY).length;
  const answerAll = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      await issuer.untilTokens(n + 1);
      issuer.tokens[n]?.answer();
    }
  };

  it('accepts a state once, even while its first exchange is running', async () => {
    const finish = await begin();
    const first = finish('a');
    await issuer.untilTokens(1);
    await expectProblem(finish('a'), 'late');
    issuer.tokens[0]?.answer();
    await expectProblem(first, 'late');
    await expectProblem(finish('b', 'another code'), 'late');
    expect(issuer.tokens).to.have.length(1);
  });

  it('makes eight exchanges at a time, and lets clients take turns', async () => {
    const codes = [...Array.from({ length: 10 }, (_, n) => `a${n}`), 'b0'];
    const returns = [];
    for (const code of codes) returns.push({ code, finish: await begin() });
    const finished = returns.map(({ code, finish }) => finish(code[0] ?? '', code));
    await issuer.untilTokens(8);
    await answerAll(codes.length);
    for (const each of finished) await expectProblem(each, 'late');
    expect(issuer.open.max).to.equal(8);
    // Concurrent requests arrive in any order, so only the client of the first eight is compared.
    expect(issuer.tokens.slice(0, 8).every(({ code }) => code?.startsWith('a'))).to.equal(true);
    expect(issuer.tokens.slice(8, 10).map(({ code }) => code)).to.include('b0');
  });

  it('lets at most 64 exchanges wait; others may be tried again', async () => {
    const returns = await Promise.all(Array.from({ length: 73 }, () => begin()));
    const finished = returns.map((finish) => finish('a'));
    await expectProblem(finished[72] as (typeof finished)[0], 'busy');
    await answerAll(72);
    for (const each of finished.slice(0, 72)) await expectProblem(each, 'late');
    const again = returns[72]?.('a', 'again');
    await issuer.untilTokens(73);
    expect(issuer.tokens[72]?.code).to.equal('again');
    issuer.tokens[72]?.answer();
    await again;
  });

  it('cancels the exchange of a client that leaves, or never begins it if it still waits', async () => {
    const leaving = new AbortController();
    const returns = await Promise.all(Array.from({ length: 9 }, () => begin()));
    const ended = returns.map((finish) => finish('a', 'a', leaving.signal).catch((error: unknown) => error));
    await issuer.untilTokens(8);
    leaving.abort();
    for (const each of ended) expect(await each).to.equal(leaving.signal.reason);
    await Promise.all(issuer.tokens.map(({ isClosed }) => isClosed));
    const other = (await begin())('b', 'other');
    await issuer.untilTokens(9);
    expect(issuer.tokens[8]?.code).to.equal('other');
    issuer.tokens[8]?.answer();
    await other;
  });

  it('requests the discovery document once for all exchanges that need it at the same time', async () => {
    await Promise.all(Array.from({ length: 5 }, () => begin()));
    expect(discoveries()).to.equal(1);
  });

  it('requests the discovery document at most every five seconds', async () => {
    for (let n = 0; n < 3; n += 1) {
      const finish = await begin();
      const finished = finish('a');
      await issuer.untilTokens(n + 1);
      issuer.tokens[n]?.answer();
      await finished;
    }
    expect(discoveries()).to.equal(1);
    clock.advance(seconds(5));
    const finished = (await begin())('a');
    await issuer.untilTokens(4);
    issuer.tokens[3]?.answer();
    await finished;
    expect(discoveries()).to.equal(2);
  });

  it('requests the discovery document at most every five seconds even while it is unusable', async () => {
    issuer.document = '{}';
    for (let n = 0; n < 3; n += 1) {
      expect(await provider.begin('https://pages.example/')).to.include({ problem: 'untrusted' });
    }
    expect(discoveries()).to.equal(1);
    issuer.document = undefined;
    clock.advance(seconds(5));
    expect(await provider.begin('https://pages.example/')).to.include({ kind: 'begun' });
  });

  it('requests the discovery document again at once if the clock was days ahead at a failed request', async () => {
    let offset = days(9);
    const client = { issuer: issuer.url, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET };
    const wrongClock = { now: () => after(clock.now(), offset), sleep: clock.sleep.bind(clock) };
    const ahead = openIdConnect({ ...client, clock: wrongClock });
    issuer.document = '{}';
    expect(await ahead.begin('https://pages.example/')).to.include({ problem: 'untrusted' });
    issuer.document = undefined;
    offset = days(0);
    expect(await ahead.begin('https://pages.example/')).to.include({ kind: 'begun' });
  });

  it('refuses invalid addresses in the discovery document', async () => {
    const response = await fetch(`${issuer.url}${DISCOVERY}`);
    const document = (await response.json()) as object;
    for (const changed of [
      { issuer: 'nowhere' },
      { authorization_endpoint: undefined },
      { authorization_endpoint: 'sign-in' },
      { authorization_endpoint: 'javascript:alert(1)' },
    ]) {
      issuer.document = JSON.stringify({ ...document, ...changed });
      clock.advance(minutes(60));
      const begun = await provider.begin('https://pages.example/');
      expect(begun, JSON.stringify(changed)).to.include({ problem: 'untrusted' });
    }
    for (const end_session_endpoint of [null, 'sign-out', 5]) {
      issuer.document = JSON.stringify({ ...document, end_session_endpoint });
      clock.advance(minutes(60));
      expect(await provider.signOutUrl()).to.equal(undefined);
    }
  });

  it('reads at most 1 MiB of an answer', async () => {
    const finished = (await begin())('a');
    await issuer.untilTokens(1);
    const [token] = issuer.tokens;
    token?.answer(Buffer.alloc(64 * 1_048_576, ' '));
    const outcome = await finished;
    expect(outcome).to.deep.include({
      problem: 'untrusted',
      detail: 'the provider sent an answer of more than 1 MiB',
    });
    await token?.isClosed;
  });
});
