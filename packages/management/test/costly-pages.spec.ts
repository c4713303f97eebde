import { setImmediate } from 'node:timers/promises';
import { accountId, type Keys } from '@pinfold/core';
import { accountBacklogs } from '@pinfold/http/internal';
import { expect } from 'chai';
import { answeredInTurn } from 'pinfold-test-servers/service';
import { OWNER, openScreen } from './open-screen.ts';

describe('a costly page', () => {
  it('is made two at a time for one account, without delaying others', async () => {
    const waiting: (() => void)[] = [];
    let running = 0;
    const views = {
      of: async () => {
        running += 1;
        await new Promise<void>((resume) => waiting.push(resume));
        running -= 1;
        return [];
      },
    };
    const screen = await openScreen({ management: { views } });
    const personOf = async (account = OWNER) => {
      const person = await screen.signedIn(account);
      const { id } = await screen.publish('Report', undefined, account);
      return { get: () => person.get(`/publications/${id}`) };
    };
    const [person, other] = [await personOf(), await personOf(accountId('other'))];
    const pages = Array.from({ length: 6 }, () => person.get());
    await until(() => running === 2);
    const otherPage = other.get();
    await until(() => running === 3);
    for (let done = 0; done < 7; done += 1) {
      await until(() => waiting.length > 0);
      expect(running).to.be.at.most(3);
      waiting.shift()?.();
    }
    for (const page of [...pages, otherPage]) expect((await page).status).to.equal(200);
  });

  it('with API keys is made two at a time, too', async () => {
    const screen = await openScreen();
    let running = 0;
    let maxRunning = 0;
    const list: Keys['list'] = async (request) => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      for (let turns = 0; turns < 5; turns += 1) await setImmediate();
      running -= 1;
      return await screen.keys.list(request);
    };
    const other = await openScreen({ management: { keys: { ...screen.keys, list } } });
    const person = await other.signedIn();
    const pages = await Promise.all(Array.from({ length: 6 }, () => person.get('/keys')));
    expect(pages.map(({ status }) => status)).to.deep.equal(Array(6).fill(200));
    expect(maxRunning).to.equal(2);
  });

  it('waits for earlier requests on its connection', async () => {
    const begun = await answeredInTurn(async (authenticate) => {
      const { base } = await openScreen({ management: { authenticate } });
      return { url: `${base}/`, beside: `${base}/assets/none` };
    });
    expect(begun).to.deep.equal([1, 2, 3]);
  });

  it('is counted for its account until it is sent', async () => {
    const followed: string[] = [];
    accountBacklogs.follow = (account, { headersSent }) => {
      if (headersSent) followed.push(account);
    };
    try {
      const person = await (await openScreen()).signedIn();
      await person.get('/keys');
    } finally {
      Reflect.deleteProperty(accountBacklogs, 'follow');
    }
    expect(followed).to.include(OWNER);
  });

  it('shows two hundred files, and leads to the others without a script', async () => {
    const screen = await openScreen();
    const names = Array.from({ length: 450 }, (_, n) => `f${String(n).padStart(3, '0')}.txt`);
    const files = Object.fromEntries([['index.html', 'x'], ...names.map((name) => [name, ''])]);
    const { id } = await screen.publish('Large', files);
    const person = await screen.signedIn();
    const pages = await person.walk(`/publications/${id}`);
    expect(pages.map((text) => text.includes('<details open>'))).to.deep.equal([false, true, true]);
    const seen = pages.map((text) =>
      [...text.matchAll(/<td class="path" dir="auto">([^<]+)</g)].map(([, name = '']) => name),
    );
    expect(Math.max(...seen.map(({ length }) => length))).to.equal(200);
    expect(seen.flat().toSorted()).to.deep.equal(['index.html', ...names].toSorted());
    for (const wrong of ['0', '4', '-1', '1.5', 'x', '']) {
      const { status, text } = await person.get(`/publications/${id}?files=${wrong}`);
      expect(`${status} ${/Files 1 to 200 of 451/.test(text)}`, wrong).to.equal('200 true');
    }
  });
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}
