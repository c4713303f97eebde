import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openPublisher, type Publisher } from './open-publisher.ts';
import { OWNER } from './open-service.ts';
import { overflow, violations } from './page-checks.ts';

const version = (title: string) => ({ 'index.html': `<title>${title}</title>${title}` });

describe('names in a browser', () => {
  let publisher: Publisher;
  let page: Page;
  beforeEach(async () => {
    publisher = await openPublisher();
    ({ page } = publisher);
    const { id } = await publisher.service.publish('First');
    await publisher.service.useCases.names.set({ by: OWNER, name: 'spring', pin: id });
  });

  const nameField = () => page.locator('#publish-name');
  const summary = () => page.locator('.options summary').filter({ hasText: 'Show at a name' });

  it('apply only to the next publication, whose lasting link is then shown and copied', async () => {
    await summary().click();
    await nameField().pressSequentially('spring');
    await page.getByText('“spring” will show it in place of what it shows now.').waitFor();
    const offered = page.locator('#publish-name-list option');
    expect(await offered.getAttribute('value')).to.equal('spring');
    expect(await violations(page)).to.deep.equal([]);
    await summary().click();
    expect(await summary().locator('.ready').textContent(), 'while the field is closed').to.equal('spring');
    await publisher.chooseFolder(version('Second'));
    await page.getByText('This is the link of “spring”, which shows it now.').waitFor();
    expect(await violations(page)).to.deep.equal([]);
    const code = page.getByRole('img', { name: 'QR code of the link' });
    expect(await code.getAttribute('src')).to.match(/code\.svg\?name=spring$/);
    const link = (await page.locator('.stage .url').textContent()) ?? '';
    expect(link).to.match(/\/n\/spring-\w{22}$/);
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(link);
    await publisher.drop(await publisher.writeFiles('third', version('Third')));
    await publisher.waitForHeading('Published');
    await page.locator('.stage .url').filter({ hasNotText: '/n/' }).waitFor();
    const viewer = await publisher.context.newPage();
    await viewer.goto(link);
    expect(await viewer.title()).to.equal('Second');
  });

  it('show their rule while one is typed, and suggest a valid spelling', async () => {
    await summary().click();
    await nameField().pressSequentially('Sommer-Fest 2026');
    await publisher.chooseFolder(version('Feast'));
    await page.locator('#publish-name:invalid').waitFor();
    expect(await page.locator('#publish-name-hint').textContent()).to.include('a to z, 0 to 9 and “-”');
    await page.getByRole('button', { name: 'Use “sommer-fest-2026”' }).click();
    await page.getByText('This is the link of “sommer-fest-2026”, which shows it now.').waitFor();
  });

  it('are given another publication, in a dialog of their page', async () => {
    const { id } = await publisher.service.publish('Second');
    await page.goto(`${publisher.service.screen}/names`);
    expect(await overflow(page)).to.equal(0);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Show another…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Publication' }).selectOption(id);
    expect(await violations(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Show this one' }).click();
    await page.getByText('“spring” shows the publication that you chose.').waitFor();
    const found = await publisher.service.useCases.names.get({ by: OWNER, name: 'spring' });
    expect(found.kind === 'found' && found.name.pin).to.equal(id);
    await page.getByRole('button', { name: 'More' }).click();
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Show the one before' }).click();
    await page.getByRole('cell', { name: 'First' }).waitFor();
    const before = await publisher.service.useCases.names.get({ by: OWNER, name: 'spring' });
    expect(before.kind === 'found' && before.name.previous).to.equal(id);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflow(page)).to.equal(0);
    expect(await violations(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Delete name…' }).click();
    await page.getByRole('button', { name: 'Delete name', exact: true }).click();
    await page.getByText('The name “spring” was deleted.').waitFor();
  });
});
