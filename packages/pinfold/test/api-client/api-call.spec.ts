import { expect } from 'chai';
import { createClient } from '../../src/api-client/api-call.ts';
import { RetryBudget } from '../../src/api-client/retry-budget.ts';

describe('a call of the API that is retried', () => {
  const names = { names: [], next_cursor: null };

  /** The messages of a call that fails once and may be retried for two and a half minutes. */
  async function collectMessages(code: string): Promise<string> {
    const failures = [new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })];
    const printed: string[] = [];
    const client = await createClient(
      {
        url: 'https://pages.example',
        apiKey: 'pf_key',
        fetch: async () => {
          const failure = failures.pop();
          if (failure !== undefined) throw failure;
          return Response.json(names);
        },
      },
      { err: (line) => void printed.push(line) },
      new RetryBudget(150_000),
    );
    await client.names.listPage();
    return printed.join('\n');
  }

  it('prints for how long it is retried: ten seconds if a host name does not resolve', async () => {
    for (const code of ['ENOTFOUND', 'EAI_AGAIN'])
      expect(await collectMessages(code)).to.match(/ trying again in 1 s \(for up to 10 s\)$/);
    expect(await collectMessages('ECONNREFUSED')).to.match(/ trying again in 1 s \(for up to 150 s\)$/);
  });
});
