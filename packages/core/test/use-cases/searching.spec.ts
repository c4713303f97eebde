import { type Duration, minutes, type RoleQuery, type RoleStore, seconds } from '@pinfold/core';
import { expect } from 'chai';
import { OWNER, type Stage, stageOfEachTest } from './stage.ts';

describe('A search', () => {
  const stage = stageOfEachTest();

  /** The roles of the stage in a store that scans one role at a time, each for the given time. */
  function slow(
    { ports, clock }: Stage,
    scanTime: Duration,
  ): Pick<RoleStore, 'list'> & { readonly queries: RoleQuery[] } {
    const queries: RoleQuery[] = [];
    const list = async (query: RoleQuery) => {
      queries.push(query);
      clock.advance(scanTime);
      const { items, next } = await ports.roles.list({ ...query, search: undefined, limit: 1 });
      return { items: items.filter(({ title }) => title?.includes(query.search ?? '')), next };
    };
    return { list, queries };
  }

  async function publishAll(titles: readonly string[]): Promise<void> {
    for (const title of titles) {
      stage.clock.advance(minutes(1));
      await stage.publish({ title, key: title, bytes: title });
    }
  }

  /** The titles of each page, until the last. */
  async function pages(
    roles: Pick<RoleStore, 'list'>,
    limit: number,
  ): Promise<readonly (readonly string[])[]> {
    const useCases = stage.with({ roles: { ...stage.ports.roles, ...roles } });
    const found: string[][] = [];
    let cursor: string | undefined;
    do {
      const request = { by: OWNER, search: 'needle', limit, ...(cursor === undefined ? {} : { cursor }) };
      const page = await useCases.list(request);
      if (page.kind !== 'page') throw new Error(page.code);
      found.push(page.publications.map(({ title }) => String(title)));
      cursor = page.next;
    } while (cursor !== undefined);
    return found;
  }

  const TITLES = ['needle 1', 'hay 2', 'hay 3', 'needle 4', 'hay 5', 'needle 6', 'hay 7'];

  it('continues by itself until its page is full', async () => {
    await publishAll(TITLES);
    expect(await pages(slow(stage, seconds(0.01)), 2)).to.deep.equal([
      ['needle 6', 'needle 4'],
      ['needle 1'],
    ]);
  });

  it('answers after two seconds with what it has found, and continues from there', async () => {
    await publishAll(TITLES);
    const roles = slow(stage, seconds(1));
    expect(await pages(roles, 9)).to.deep.equal([['needle 6'], ['needle 4'], [], ['needle 1']]);
    expect(roles.queries).to.have.length(TITLES.length);
  });

  it('ends even if the clock is set back', async () => {
    await publishAll(TITLES);
    expect(await pages(slow(stage, -minutes(1) as Duration), 9)).to.have.length(TITLES.length);
  });

  it('finds each publication as it was when the search began', async () => {
    await publishAll(TITLES);
    const roles = slow(stage, seconds(0.1));
    await pages(roles, 9);
    expect(new Set(roles.queries.map(({ now }) => now)).size).to.equal(1);
  });
});
