import { tokens } from '@pinfold/inversify';
import { expect } from 'chai';
import { type Served, serve } from '../servers/served.ts';

describe('the rate of requests of a server', () => {
  let server: Served;
  afterEach(() => server.close());

  async function signIn(): Promise<() => Promise<number>> {
    const sessions = await server.app.container.getAsync(tokens.manageSessions);
    const started = await sessions.redeem((await sessions.offerLink('default')).token);
    const headers = { cookie: `pinfold_session=${started?.token}` };
    return async () => (await fetch(`${server.url}/manage/history`, { headers })).status;
  }

  const getApi = async (headers: Readonly<Record<string, string>> = {}): Promise<number> => {
    const authorization = `Bearer ${server.key}`;
    const answer = await fetch(`${server.url}/api/v1/limits`, { headers: { authorization, ...headers } });
    return answer.status;
  };

  it('is shared by the API and the screen', async () => {
    server = await serve({ PINFOLD_RATE_REQUESTS: '4/1d' });
    const getScreen = await signIn();
    expect([await getScreen(), await getApi(), await getScreen(), await getApi()]).to.deep.equal([
      200, 200, 200, 200,
    ]);
    expect([await getScreen(), await getApi()]).to.deep.equal([429, 429]);
  });

  it('counts wrong keys of the API and the screen together, by the address that trusted proxies forward', async () => {
    server = await serve({ PINFOLD_TRUST_PROXY: '1' });
    const poll = async (address: string): Promise<number> => {
      const headers = { 'x-forwarded-for': address };
      const body = new URLSearchParams({ secret: 'wrong' });
      return (await fetch(`${server.url}/manage/connect/key`, { method: 'POST', body, headers })).status;
    };
    const guess = (address: string) => getApi({ authorization: 'Bearer no', 'x-forwarded-for': address });
    const answers = [];
    // More than a minute allows even on a slow machine, because one more request per second passes.
    for (let n = 0; n < 600 && answers.at(-1) !== 429; n += 1) {
      answers.push(await poll('192.0.2.1'), await guess('192.0.2.1'));
    }
    expect(answers.slice(0, 60)).not.to.include(429);
    expect(answers.at(-1)).to.equal(429);
    expect(await getApi({ 'x-forwarded-for': '192.0.2.1' })).to.equal(200);
    expect([await poll('192.0.2.2'), await guess('192.0.2.2')]).to.deep.equal([202, 401]);
  });
});
