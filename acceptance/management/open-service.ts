import {
  type AccountId,
  accountId,
  type IdentityProvider,
  type Instant,
  type Publication,
} from '@pinfold/core';
import type { Persistence } from '@pinfold/core/adapter';
import { createManagement } from '@pinfold/management';
import { openSqlite } from '@pinfold/persistence-sqlite';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { createViewer } from '@pinfold/viewer';
import express from 'express';
import { strToU8, zipSync } from 'fflate';
import { openService as openOver, type ServiceOptions, type TestService } from 'pinfold-test-servers/service';
import type { Page } from 'playwright-core';
import { closeAfterwards } from '../browser/closing.ts';

export const OWNER: AccountId = accountId('owner');
export const OPERATORS: AccountId = accountId('operators');

/** The screen and the sites on one port, over SQLite, with a clock that the test sets. */
export interface Service
  extends Pick<TestService<Persistence>, 'clock' | 'useCases' | 'keys' | 'pairings' | 'stores'> {
  /** The public URL. */
  readonly url: string;
  /** The URL of the screen. */
  readonly screen: string;
  /** A sign-in link, as the server prints one; with an account it may administer. */
  link(operator?: AccountId): Promise<string>;
  publish(title: string | null, files?: Readonly<Record<string, string>>): Promise<Publication>;
}

export async function openService(
  identityProvider?: IdentityProvider,
  ports?: ServiceOptions['ports'],
): Promise<Service> {
  const open = async (folder: string): Promise<Persistence> => {
    const stores = await openSqlite({ file: `${folder}/pinfold.sqlite` });
    await stores.migrate();
    return stores;
  };
  // Browsers keep cookies by their own clock, so this one begins at the present.
  const clock = createManualClock(Date.now() as Instant);
  const service = await openOver(
    open,
    ({ publicPort, ...parts }) => {
      const publicUrl = `http://localhost:${publicPort}`;
      const provider = identityProvider === undefined ? {} : { identityProvider };
      const { useCases, views } = parts;
      return express()
        .use(createViewer({ useCases, publicUrl, counter: views }))
        .use('/manage', createManagement({ ...parts, ...provider, publicUrl, unknownPaths: 'refuse' }));
    },
    { clock, ports },
  );
  closeAfterwards(service.close);
  const url = `http://localhost:${service.port}`;
  return {
    ...service,
    url,
    screen: `${url}/manage`,
    link: async (operator) => {
      const { sessions } = service;
      const cause = { actor: { kind: 'operator', id: null }, asOperator: true } as const;
      const { token } = await (operator === undefined
        ? sessions.offerLink(OWNER)
        : sessions.offerLink(operator, cause, 'admin'));
      return `${url}/manage/sign-in?link=${token}`;
    },
    publish: (title, files = { 'index.html': '<h1>Hello</h1>' }) => {
      const contents = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const);
      return service.publish(zipSync(Object.fromEntries(contents), { mtime: '2026-11-20' }), { title });
    },
  };
}

/** Opens the screen in another window of the same browser, and signs out there. */
export async function signOutElsewhere(page: Page, { screen }: Service): Promise<Page> {
  const window = await page.context().newPage();
  await window.goto(screen);
  await window.getByRole('button', { name: 'Sign out' }).click();
  await window.getByText('You are signed out.').waitFor();
  return window;
}

/** Follows a sign-in link and presses its button. */
export async function signIn(page: Page, service: Service, operator?: AccountId): Promise<void> {
  await page.goto(await service.link(operator));
  await page.getByRole('button', { name: /^(Sign in|サインイン)$/ }).click();
  await page.waitForURL(`${service.screen}/`);
}
