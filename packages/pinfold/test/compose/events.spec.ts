import { Readable } from 'node:stream';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { FeedError, type FeedItem, openPinfold } from '../../src/index.ts';
import { callApi, publish, site } from '../servers/api-calls.ts';
import { newFolder } from '../servers/new-folder.ts';
import { serve } from '../servers/served.ts';

describe('The events of a service', () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = newFolder();
  });

  async function take(items: AsyncIterable<FeedItem>, count: number): Promise<readonly FeedItem[]> {
    const taken: FeedItem[] = [];
    for await (const item of items) if (taken.push(item) === count) break;
    return taken;
  }

  it('are yielded in one order, of one account or all, and end when Pinfold is closed', async () => {
    const options = { dataDir, publicUrl: 'http://127.0.0.1:9', log: () => undefined };
    const pinfold = await openPinfold(options);
    try {
      const publishAs = (by: string) =>
        pinfold.publish({ by, key: by, filename: 'site.zip', archive: Readable.from([site(by)]) });
      const both = take(pinfold.events(), 2);
      await publishAs('ada');
      await publishAs('ben');
      const [first, second] = await both;
      expect([first, second].map((item) => item?.event.account)).to.deep.equal(['ada', 'ben']);
      expect((await take(pinfold.events({ after: first?.cursor ?? '' }), 1))[0]).to.deep.equal(second);
      const [own] = await take(pinfold.events({ account: 'ben' }), 1);
      expect(own?.event).to.deep.equal(second?.event);
      const controller = new AbortController();
      const rejection = rejectionOf(take(pinfold.events({ after: 'latest', signal: controller.signal }), 1));
      controller.abort(new Error('gone'));
      expect(await rejection).to.have.property('message', 'gone');
      expect(await rejectionOf(take(pinfold.events({ after: 'x' }), 1))).to.be.an.instanceOf(FeedError);
      const waiting = take(pinfold.events({ after: 'latest' }), 1);
      await pinfold.close();
      expect(await waiting).to.deep.equal([]);
    } finally {
      await pinfold.close();
    }
  });

  it('end a waiting request with an empty page when the server stops', async () => {
    const { app, url, key, close } = await serve();
    try {
      const getEvents = (query: string) => callApi(url, key, 'GET', `/api/v1/events?order=asc&${query}`);
      const { next_cursor: end } = (await (await getEvents('after=latest')).json()) as {
        next_cursor: string;
      };
      const waiting = getEvents(`after=${end}&wait=30`);
      await publish(url, key, 'one');
      expect(((await (await waiting).json()) as { events: unknown[] }).events).to.have.lengthOf(1);
      // Two requests: the second one shows that the first one waits.
      const waitingLonger = getEvents('after=latest&wait=30');
      await getEvents('after=latest&wait=1');
      await app.close();
      const answer = await waitingLonger;
      expect(answer.status).to.equal(200);
      expect(((await answer.json()) as { events: unknown[] }).events).to.deep.equal([]);
    } finally {
      await close();
    }
  });
});
