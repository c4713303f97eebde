import { setImmediate } from 'node:timers/promises';
import { html } from '@pinfold/http/internal';
import { expect } from 'chai';
import { page } from '../src/response/answer.ts';
import { writePage } from '../src/response/page-turns.ts';

const STAYS = new AbortController().signal;
/** Longer than the minimum length of a chunk, so that each item is a chunk. */
const LONG = 'x'.repeat(20_000);

describe('the pieces of a page', () => {
  it('give other work a turn of the event loop between any two, over all pages', async () => {
    const order: string[] = [];
    const pages = ['a', 'b'].map((name) => writePage(page(html`${items(order, name, 4)}`), STAYS));
    let isDone = false;
    void Promise.all(pages).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await setImmediate();
      order.push('others');
    }
    // Both pages start here at once; from then on one chunk is written in each turn.
    expect(order.slice(0, 2)).to.deep.equal(['a0', 'b0']);
    expect(order.slice(2).join(' ')).not.to.match(/[ab]\d [ab]\d/);
    expect(order.filter((one) => one !== 'others')).to.have.lengthOf(8);
  });

  it('are a single one for a short page, which waits for no turn', async () => {
    let isDone = false;
    const turn = setImmediate().then(() => isDone);
    void writePage(page(html`<p>short</p>`), STAYS).then(() => {
      isDone = true;
    });
    expect(await turn).to.equal(true);
  });

  it('together are the whole page', async () => {
    const answer = await writePage(page(html`<p>é${items([], 'a', 3)}</p>`, 422), STAYS);
    if (answer.kind !== 'page') throw new Error(answer.kind);
    expect(answer.status).to.equal(422);
    expect(String(answer.body)).to.equal(`<p>é${LONG}${LONG}${LONG}</p>`);
  });

  it('are not written for a client that has left', async () => {
    const order: string[] = [];
    const client = new AbortController();
    const answer = writePage(page(html`${items(order, 'a', 100)}`), client.signal).catch((error) => error);
    while (order.length < 3) await setImmediate();
    client.abort(new Error('left'));
    expect(String(await answer)).to.equal('Error: left');
    expect(order).to.have.lengthOf(3);
  });
});

/** Items that record when they are written. */
function items(order: string[], name: string, count: number): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      for (let n = 0; n < count; n += 1) {
        order.push(`${name}${n}`);
        yield LONG;
      }
    },
  };
}
