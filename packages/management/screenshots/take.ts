// Writes a picture of every page, wide and narrow, in both themes and both languages, to look at:
// `pnpm run screenshots [FOLDER]`. Four of them go into docs/screens. The machine needs a Japanese font.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { accountId, days, hours, minutes, OPERATOR, type Password } from '@pinfold/core';
import packaged from '@sparticuz/chromium';
import { type BrowserContextOptions, chromium, type FileChooser, type Page } from 'playwright-core';
import type { BrandingOptions, NodeHealth } from '../src/index.ts';
import { BY_ADA, OWNER, openScreen, type Screen, zipOf } from '../test/open-screen.ts';
import { takeViewersPages } from './viewers-pages.ts';

const folder = resolve(process.argv[2] ?? join(tmpdir(), 'pinfold-screenshots'));
mkdirSync(folder, { recursive: true });

const VIEWPORTS = { wide: { width: 1_280, height: 800 }, phone: { width: 390, height: 844 } } as const;
const LOCALES = { en: 'en-GB', ja: 'ja-JP' } as const;
/** The documents'. */
const SMALL = { width: 1_000, height: 700 };

const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  ...Object.fromEntries(
    Object.entries(VIEWPORTS).flatMap(([size, viewport]) =>
      (['light', 'dark'] as const).flatMap((colorScheme) =>
        Object.entries(LOCALES).map(([language, locale]) => [
          `${size}-${colorScheme}-${language}`,
          { viewport, colorScheme, locale },
        ]),
      ),
    ),
  ),
  'small-light-en': { viewport: SMALL, colorScheme: 'light', locale: LOCALES.en },
  'small-dark-ja': { viewport: SMALL, colorScheme: 'dark', locale: LOCALES.ja },
};

/** The documents' pictures, and what each is a copy of. */
const DOCUMENTS = {
  list: 'list-small-light-en',
  publication: 'detail-locked-small-dark-ja',
  phone: 'publish-done-phone-dark-en',
  yours: 'yours',
} as const;

const HEALTH: NodeHealth = {
  node: 'node-1',
  version: '0.1.0',
  parts: { database: 'ok', storage: 'slow', staging: 'low' },
  clock: 0,
};

const LONG =
  'Quarterly report of the northern region, second draft with the corrections of the committee — '.repeat(2);

type Ids = Readonly<Record<'fresh' | 'locked' | 'pinned' | 'long', string>>;
type Shot = (what: string, whole?: boolean) => Promise<void>;

async function fill(screen: Screen): Promise<Ids> {
  const { useCases, clock, keys } = screen;
  const files = (count: number): Record<string, string> => {
    const nth = (n: number) => [`assets/chapter-${n + 1}/picture.svg`, 'x'.repeat(300 * (n + 1))];
    const pictures = Array.from({ length: count }, (_, n) => nth(n));
    return { 'index.html': '<h1>Hello</h1>', ...Object.fromEntries(pictures) };
  };
  await screen.publish('Old price list');
  const stopped = await screen.publish('Invitation, first try');
  clock.advance(days(4));
  await screen.publish('ポートフォリオ 2026', files(4));
  await useCases.stop({ by: OPERATOR, id: stopped.id });
  clock.advance(days(6));
  const pinned = await screen.publish('Style guide', files(160));
  await useCases.pin({ by: OPERATOR, id: pinned.id });
  clock.advance(hours(5));
  const locked = await screen.publish('Board minutes, November', files(12));
  const password = 'correct horse' as Password;
  await useCases.update({ by: OWNER, id: locked.id }, { type: 'set_password', password });
  const name = `${'a-file-name-without-any-gap-'.repeat(6)}.txt`;
  const long = await screen.publish(LONG.slice(0, 255), { ...files(2), [name]: 'x' });
  clock.advance(hours(3));
  const fresh = await screen.publish('Landing page', files(9));
  await keys.create({ by: OPERATOR, account: OWNER, label: 'Laptop' });
  await keys.create({ by: OPERATOR, account: OWNER, label: 'Nightly build', scopes: ['pins:write'] });
  const scopes = ['pins:read', 'manage'] as const;
  const gone = await keys.create({ by: OPERATOR, account: OWNER, label: 'Old phone', scopes });
  await keys.revoke({ id: gone.key.id, by: OPERATOR });
  return { fresh: fresh.id, locked: locked.id, pinned: pinned.id, long: long.id };
}

async function takeAll(
  name: string,
  options: BrowserContextOptions,
  browser: Awaited<ReturnType<typeof chromium.launch>>,
) {
  const screen = await openScreen({ management: { health: () => HEALTH } });
  const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const shot: Shot = async (what, whole = true) => {
    const path = join(folder, `${what}-${name}.png`);
    await page.screenshot({ path, fullPage: whole && !name.startsWith('small') });
  };
  await page.goto(`${screen.base}/sign-in`);
  await shot('sign-in-key');
  await page.locator('#key').fill('pf_nobody');
  await page.locator('.sign-in button.primary').click();
  await page.locator('#key-error').waitFor();
  await shot('sign-in-wrong');
  await signIn(screen, page, () => shot('sign-in-link'));
  await shot('list-empty');
  const ids = await fill(screen);
  await signIn(screen, page);
  await shot('list');
  await page.locator('.more').nth(1).click();
  await page.locator('.menu:popover-open').waitFor();
  await shot('list-menu', false);
  await page.keyboard.press('Escape');
  await publishing(screen, page, shot);
  const shots = async (paths: Readonly<Record<string, string>>) => {
    for (const [what, path] of Object.entries(paths)) {
      await page.goto(`${screen.base}/${path}`);
      await shot(what);
    }
  };
  for (const [what, id] of Object.entries(ids)) await shots({ [`detail-${what}`]: `publications/${id}` });
  await page.goto(`${screen.base}/publications/${ids.locked}`);
  await page.locator('#password summary').first().click();
  await page.locator('#new-password').fill('short');
  await page.locator('.field:has(#new-password) ~ .buttons button').click();
  await page.locator('#new-password-error').waitFor();
  await shot('detail-refused');
  await page.goto(`${screen.base}/publications/${ids.fresh}`);
  await page.locator('a[data-dialog]').click();
  await page.locator('dialog').waitFor();
  await shot('stop-dialog', false);
  await page.goto(`${screen.base}/keys`);
  await page.locator('#label').fill('Website');
  await page.locator('.field-form button.primary').click();
  await page.locator('#new-key').waitFor();
  await shot('keys');
  await page.locator('.rows button[popovertarget]').first().click();
  await shot('keys-revoke', false);
  await shots({
    'list-none': '?q=nothing-like-it',
    'list-largest': '?sort=largest',
    'stop-page': `publications/${ids.fresh}/stop`,
    history: 'history',
    names: 'names',
    nowhere: 'nowhere',
  });
  await administering(screen, page, ids, shots);
  await context.close();
  await screen.close();
  const viewer = await browser.newPage(options);
  await takeViewersPages(viewer, (what) =>
    viewer.screenshot({ path: join(folder, `viewer-${what}-${name}.png`) }),
  );
  await viewer.close();
}

/** The pages of administration; the last of them leaves the service read-only. */
async function administering(
  screen: Screen,
  page: Page,
  { fresh, long }: Ids,
  shots: (paths: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const { administration, clock } = screen;
  const other = accountId('northern-region-quarterly-reports');
  await screen.publish('Not ours', { 'index.html': 'x' }, other);
  const reason = 'Phishing, ticket 4711';
  await administration.blockAccount(other, { reason, sites: 'keep' }, BY_ADA);
  await administration.takeDown({ id: long, reason, copies: false, purge: false, cause: BY_ADA });
  await signIn(screen, page, undefined, 'admin');
  await shots({
    'admin-accounts': 'administration',
    'admin-account': `administration/accounts/${OWNER}`,
    'admin-blocked': `administration/accounts/${other}`,
    'admin-publication': `administration/publications/${fresh}`,
  });
  for (const part of ['publications', 'takedowns', 'history', 'sessions', 'service'])
    await shots({ [`admin-${part}`]: `administration/${part}` });
  await administration.changeService({ kind: 'read_only', message: 'Back at noon.' }, BY_ADA);
  clock.advance(minutes(1));
  const detail = `publications/${fresh}`;
  await shots({ 'read-only-list': '', 'read-only-detail': detail, 'read-only-keys': 'keys' });
}

/** The screen as a team's own. */
async function takeYours(browser: Awaited<ReturnType<typeof chromium.launch>>): Promise<void> {
  const caller = { account: OWNER, displayName: 'Ada Lovelace', scopes: ['manage'] as const };
  const branding: BrandingOptions = {
    productName: 'Harbour pages',
    accentColor: '#0a7d5c',
    back: { url: '/', text: '← Harbour' },
    signOutUrl: '/logout',
    languages: ['en'],
  };
  const screen = await openScreen({ management: { authenticate: async () => caller, branding } });
  for (const title of ['Tide tables', 'Price list', 'Summer programme']) await screen.publish(title);
  const page = await browser.newPage({ ...VIEWS['small-light-en'], timezoneId: 'Asia/Tokyo' });
  await page.goto(`${screen.base}/`);
  await page.screenshot({ path: join(folder, 'yours.png') });
  await page.close();
  await screen.close();
}

/** Every state of the panel, from the question to the link. */
async function publishing(screen: Screen, page: Page, shot: Shot): Promise<void> {
  const site = join(folder, 'site', 'picnic');
  mkdirSync(join(site, 'node_modules'), { recursive: true });
  writeFileSync(join(site, 'index.html'), '<a href="Map.html">map</a>');
  for (const path of ['map.html', '.env', 'node_modules/a.js']) writeFileSync(join(site, path), 'x');
  await choose(page, 0, site);
  await page.locator('dialog').waitFor();
  await shot('publish-asks', false);
  const held = Promise.withResolvers<void>();
  await page.route('**/publish', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.locator('dialog button.primary').click();
  await page.locator('progress').waitFor();
  await shot('publish-works', false);
  held.resolve();
  await page.locator('.stage-end.good').waitFor();
  await shot('publish-done', false);
  await page.unroute('**/publish');
  await page.goto(`${screen.base}/`);
  const bad = zipOf({
    'site/page.html': 'x',
    'site/movie.txt': 'x'.repeat(11_000_000),
    ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`site/notes/${n}:00.txt`, 'x'])),
  });
  await choose(page, 1, { name: 'site.zip', mimeType: 'application/zip', buffer: Buffer.from(bad) });
  await page.locator('.stage-end.bad').waitFor();
  await shot('publish-problems', false);
}

async function choose(
  page: Page,
  button: number,
  files: Parameters<FileChooser['setFiles']>[0],
): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.locator('[data-choose]').nth(button).click();
  await (await chooser).setFiles(files);
}

/** Sessions end while the clock moves on. */
async function signIn(
  screen: Screen,
  page: Page,
  branding: () => Promise<void> = async () => {},
  scope: 'admin' | 'manage' = 'manage',
): Promise<void> {
  const { token } = await screen.sessions.offerLink(OWNER, BY_ADA, scope);
  await page.goto(`${screen.base}/sign-in?link=${token}`);
  await branding();
  await page.locator('.sign-in button').click();
  await page.waitForURL(`${screen.base}/`);
}

const executablePath = process.env.CHROMIUM_PATH ?? (await packaged.executablePath());
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const [name, options] of Object.entries(VIEWS)) await takeAll(name, options, browser);
  await takeYours(browser);
} finally {
  await browser.close();
}
for (const [document, picture] of Object.entries(DOCUMENTS)) {
  copyFileSync(
    join(folder, `${picture}.png`),
    join(import.meta.dirname, '../../../docs/screens', `${document}.png`),
  );
}
