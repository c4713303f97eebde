import { days, Fault, OPERATOR, type Password, type RoleId } from '@pinfold/core';
import { createMemory } from '@pinfold/memory';
import { createViewer } from '@pinfold/viewer';
import { type Inside, openService, type ServiceOptions } from 'pinfold-test-servers/service';
import type { Page } from 'playwright-core';
import { zipOf } from '../test/open-screen.ts';

/** More than the viewer lets one address try. */
const TRIES = 11;

/** Takes the pages that viewers get instead of a site. */
export async function takeViewersPages(page: Page, shot: (what: string) => Promise<unknown>): Promise<void> {
  const service = await openViewer();
  const { useCases, clock } = service;
  const site = zipOf({ 'index.html': '<h1>Hello</h1>' });
  const urlOf = (id: string) => `http://localhost:${service.port}/s/${id}`;
  const { id } = await service.publish(site);
  await useCases.update(
    { by: OPERATOR, id },
    { type: 'set_password', password: 'harbour lights' as Password },
  );
  await page.goto(urlOf(id));
  await shot('password');
  for (let tries = 1; tries <= TRIES; tries += 1) {
    await page.locator('#password').fill('wrong');
    await page.locator('button').click();
    await page.locator('#problem').waitFor();
    if (tries === 1) await shot('wrong-password');
  }
  await shot('429');
  await page.goto(urlOf('00000000-0000-4000-8000-000000000000'));
  await shot('404');
  const expired = await service.publish(site, { by: 'other' });
  clock.advance(days(8));
  await page.goto(urlOf(expired.id));
  await shot('410');
  await service.close();
  await takeUnavailable(page, shot, expired.id);
}

async function takeUnavailable(
  page: Page,
  shot: (what: string) => Promise<unknown>,
  id: RoleId,
): Promise<void> {
  const away = new Fault('store_unavailable', 'the database is away');
  const service = await openViewer({
    ports: ({ roles }) => ({ roles: { ...roles, load: () => Promise.reject(away) } }),
  });
  await page.goto(`http://localhost:${service.port}/s/${id}`);
  await shot('503');
  await service.close();
}

function openViewer(options: ServiceOptions = {}) {
  const doors = ({ useCases, publicPort }: Inside) => {
    const viewer = createViewer({
      useCases,
      publicUrl: `http://localhost:${publicPort}`,
      log: () => {},
    });
    return (...[request, response]: Parameters<ReturnType<typeof createViewer>>) =>
      void viewer(request, response);
  };
  return openService(createMemory(), doors, options);
}
