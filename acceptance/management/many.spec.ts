import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { openPage } from '../browser/chromium.ts';
import { openService, type Service, signIn } from './open-service.ts';

const MANY = 100_000;

/** Copies the one role that is there, a second older and under another id each time. */
function multiply(file: string, count: number): void {
  const database = new DatabaseSync(file);
  try {
    const columns = database.prepare("SELECT name FROM pragma_table_info('roles')").all() as {
      name: string;
    }[];
    const names = columns.map(({ name }) => name);
    const changed: Readonly<Record<string, string>> = {
      id: "substr(id, 1, 24) || printf('%012x', n)",
      archive: "substr(archive, 1, 38) || printf('%012x', n)",
      idempotency_key: "'copy ' || n",
      title: "'Copy ' || n",
      title_folded: "'copy ' || n",
      published_at: 'published_at - n * 1000',
    };
    const values = names.map((name) => changed[name] ?? name);
    database.exec(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO roles (${names.join(', ')}) SELECT ${values.join(', ')} FROM roles, numbers`);
  } finally {
    database.close();
  }
}

describe('the screen with 100,000 publications', function () {
  this.timeout(60_000);
  let service: Service;
  before(async () => {
    service = await openService();
    await service.publish('Newest');
    multiply(service.file, MANY);
  });

  it('shows, pages and searches them as it does a few', async () => {
    const page = await openPage();
    await signIn(page, service);
    expect(await page.getByRole('row').count()).to.equal(21);
    await page.getByRole('link', { name: 'Older publications' }).click();
    await page.getByRole('link', { name: 'Copy 20', exact: true }).waitFor();
    await page.getByLabel('Search titles and ids').first().fill('copy 2500');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('Nothing found so far').waitFor();
    await page.getByRole('link', { name: 'Keep searching' }).click();
    await page.getByRole('link', { name: 'Copy 2500', exact: true }).waitFor();
  });
});
