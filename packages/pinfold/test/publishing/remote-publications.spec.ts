import { expect } from 'chai';
import { createClient, RetryBudget, WatchedFile } from '../../src/publishing/remote-publications.ts';

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
      new RetryBudget(),
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

describe('the retry budget of a command', () => {
  let now: number;
  let budget: RetryBudget;

  beforeEach(() => {
    now = 0;
    budget = new RetryBudget(() => now);
  });

  function after(milliseconds: number): RetryBudget {
    now += milliseconds;
    return budget;
  }

  it('adds up the times from a failure to the next success, and no others', () => {
    after(60_000).failed();
    after(20_000).succeeded();
    after(300_000);
    expect(budget.left).to.equal(130_000);
    budget.failed();
    after(5_000).failed();
    expect(after(5_000).left).to.equal(120_000);
    budget.succeeded();
    expect(after(1_000_000).left).to.equal(120_000);
  });

  it('ends at 0', () => {
    budget.failed();
    expect(after(150_001).left).to.equal(0);
    budget.succeeded();
    expect(budget.left).to.equal(0);
  });
});

const bytes = Uint8Array.from({ length: 600_000 }, (_, index) => index % 251);

describe('a watched file', () => {
  it('reports sent bytes only when the next chunk is pulled', async () => {
    const reported: number[] = [];
    const file = new WatchedFile('x.zip', bytes, (sent) => reported.push(Math.floor(sent * 100)));
    const reader = file.stream().getReader();
    expect(reported).to.deep.equal([]);
    await reader.read();
    expect(reported).to.deep.equal([0]);
    await reader.read();
    expect(reported).to.deep.equal([0, 43]);
    await reader.read();
    await reader.read();
    expect(reported).to.deep.equal([0, 43, 87, 100]);
  });

  it('is sent completely in a form, with its name', async () => {
    const form = new FormData();
    form.set('archive', new WatchedFile('Säule.zip', bytes, () => undefined));
    const sent = (await new Response(form).formData()).get('archive') as File;
    expect([sent.name, sent.type]).to.deep.equal(['Säule.zip', 'application/zip']);
    expect(await sent.bytes()).to.deep.equal(bytes);
  });

  it('may be empty', async () => {
    const reported: number[] = [];
    const file = new WatchedFile('x.zip', new Uint8Array(), (sent) => reported.push(sent));
    expect(await new Response(file.stream()).text()).to.equal('');
    expect(reported).to.deep.equal([1]);
  });
});
