import type { Day, RoleId } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import { expect } from 'chai';
import { openSignedIn, person, screen } from './open-screen.ts';

describe('views of a publication', () => {
  beforeEach(() => openSignedIn());

  /** Adds to the day that is the given number of days ago. */
  const add = (role: RoleId, before: number, views: number, refusedPasswords = 0): Promise<void> => {
    const day = (dayOf(screen.clock.now()) - before) as Day;
    return screen.memory.views.add([{ role, day, views, refusedPasswords }]);
  };

  /** The card, as text in lines. */
  async function card(id: string): Promise<string> {
    const { text } = await person.get(`/publications/${id}`);
    const from = text.indexOf('<section class="card" id="views"');
    return from === -1 ? '' : text.slice(from, text.indexOf('</section>', from));
  }

  it('are shown with their sum and by day', async () => {
    const { id } = await screen.publish('Mine');
    expect(await card(id)).to.include('No views yet');
    await add(id, 1, 1_200);
    await add(id, 0, 1);
    const shown = await card(id);
    expect(shown).to.include('1,201 views in the last 30 days').and.not.include('Wrong passwords');
    const rows = [
      ...shown.matchAll(/<tr><th scope="row">([^<]*)<\/th><td class="number">([^<]*)<\/td><\/tr>/g),
    ];
    expect(rows.map(([, , views]) => views)).to.deep.equal(['1', '1,200']);
    expect(rows[0]?.[1]).to.match(/^\d+ \w+ \d{4}$/);
    const bars = [...shown.matchAll(/<rect x="(\d+)" y="(\d+)"/g)].map(([, x, y]) => [x, y]);
    expect(bars).to.have.deep.members([
      ['280', '0'],
      ['290', '63'],
    ]);
    await add(id, 7, 5);
    expect((await person.get('/')).text).to.include('<td class="number" data-label="Views">1,201</td>');
  });

  it('include wrong passwords if there is a password, or were any', async () => {
    const { id } = await screen.publish('Mine');
    await add(id, 0, 0, 1);
    expect(await card(id))
      .to.include('1 wrong password<')
      .and.include('0 views');
  });

  it('are folded for many days, and omitted without a counter', async () => {
    const { id } = await screen.publish('Mine');
    for (let before = 0; before < 7; before += 1) await add(id, before, 1);
    expect(await card(id)).not.to.include('<details>');
    await add(id, 29, 1);
    expect(await card(id)).to.include('<details><summary>By day</summary>');
    await openSignedIn({ management: { views: undefined as never } });
    expect(await card((await screen.publish('Mine')).id)).to.equal('');
  });
});
