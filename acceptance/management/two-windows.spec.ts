import type { Publication } from '@pinfold/core';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { openContext } from '../browser/chromium.ts';
import { type Database, OWNER, openService, type Service, signIn } from './open-service.ts';

for (const database of ['SQLite', 'PostgreSQL'] as readonly Database[]) {
  describe(`two windows on one publication, on ${database}`, function () {
    this.timeout(60_000);
    let service: Service;
    let context: BrowserContext;
    let one: Page;
    let other: Page;
    let role: Publication;
    beforeEach(async () => {
      service = await openService(database);
      role = await service.publish('Report');
      context = await openContext();
      one = await context.newPage();
      other = await context.newPage();
      await signIn(one, service);
      for (const page of [one, other]) await page.goto(`${service.screen}/publications/${role.id}`);
    });

    async function now(): Promise<Publication> {
      const found = await service.useCases.read({ by: OWNER, id: role.id });
      if (found.kind !== 'found') throw new Error(found.code);
      return found.publication;
    }

    async function rename(page: Page, title: string) {
      await page.getByRole('textbox', { name: 'Title' }).fill(title);
      await page.getByRole('button', { name: 'Rename' }).click();
    }

    async function protect(page: Page, password: string) {
      await page.getByText('Set a password…').click();
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Set password' }).click();
    }

    it('show a title that the other set, keep what was typed, and take it at the second try', async () => {
      await rename(one, 'First');
      await one.getByRole('heading', { name: 'First', level: 1 }).waitFor();
      await rename(other, 'Second');
      await other.getByText('to “First”').first().waitFor();
      expect((await now()).title).to.equal('First');
      expect(await other.getByRole('textbox', { name: 'Title' }).inputValue()).to.equal('Second');
      await other.getByRole('button', { name: 'Rename' }).click();
      await other.getByRole('heading', { name: 'Second', level: 1 }).waitFor();
      expect((await now()).title).to.equal('Second');
    });

    it('overwrite no password of the other', async () => {
      await protect(one, 'the first one');
      await one.getByText('is set. Everyone is asked').waitFor();
      const { generation } = await now();
      await protect(other, 'the second one');
      await other.getByText('changed elsewhere in the meantime').waitFor();
      expect((await now()).generation).to.equal(generation);
    });

    it('of two names at the same moment let one through, and show it to the other', async () => {
      await Promise.all([rename(one, 'First'), rename(other, 'Second')]);
      const said = (page: Page) => page.locator('.said').first().textContent();
      const told = [await said(one), await said(other)];
      expect(told.filter((text) => text?.includes('changed elsewhere'))).to.have.lengthOf(1);
      const { title } = await now();
      expect(told.filter((text) => text?.includes(`“${title}”`))).to.have.lengthOf(2);
    });

    it('change nothing of what the other stopped, and say so', async () => {
      await one.goto(`${service.screen}/publications/${role.id}/stop`);
      await one.getByRole('button', { name: 'Stop publication' }).click();
      await one.getByText('was stopped').first().waitFor();
      const stopped = await now();
      await other.getByRole('button', { name: 'Pin', exact: true }).click();
      await other.getByText('was stopped before').waitFor();
      expect(await now()).to.deep.equal(stopped);
    });
  });
}
