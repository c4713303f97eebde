import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Publication } from '@pinfold/core';
import { strToU8, zipSync } from 'fflate';
import type { BrowserContext, FileChooser, Page } from 'playwright-core';
import { openContext } from '../browser/chromium.ts';
import { closeAfterwards } from '../browser/closing.ts';
import { OWNER, openService, type Service, signIn } from './open-service.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A person at the publish panel, and a folder of this machine from which they choose or drop. */
export interface Publisher {
  readonly service: Service;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The owner's publications, newest first. */
  published(): Promise<readonly Publication[]>;
  /** Writes a folder, or the one file of `files` if its path is `''`; returns the path. */
  writeFiles(name: string, files: Files): Promise<string>;
  choose(button: string, files: Parameters<FileChooser['setFiles']>[0]): Promise<void>;
  chooseFolder(files: Files): Promise<void>;
  chooseZip(files: Files): Promise<void>;
  /** Drops files and folders of this machine on the edge of the page, like a person. */
  drop(...paths: string[]): Promise<void>;
  waitForHeading(name: string): Promise<void>;
  /** Limits the upload to so many bytes in a second. */
  slowUploads(bytes: number): Promise<void>;
}

export async function openPublisher(ports?: Parameters<typeof openService>[1]): Promise<Publisher> {
  const service = await openService(undefined, ports);
  const context = await openContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-chosen-'));
  closeAfterwards(() => rm(folder, { recursive: true }));
  await signIn(page, service);
  const writeFiles: Publisher['writeFiles'] = async (name, files) => {
    await rm(join(folder, name), { recursive: true, force: true });
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    return join(folder, name);
  };
  const choose: Publisher['choose'] = async (button, files) => {
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button }).click();
    await (await chooser).setFiles(files);
  };
  return {
    service,
    context,
    page,
    writeFiles,
    choose,
    published: async () => {
      const listed = await service.useCases.list({ by: OWNER, limit: 100 });
      if (listed.kind !== 'page') throw new Error(listed.code);
      return listed.publications;
    },
    chooseFolder: async (files) => choose('Choose a folder', await writeFiles('site', files)),
    chooseZip: (files) => choose('Choose a ZIP', zipFile(files)),
    drop: async (...files) => {
      const session = await context.newCDPSession(page);
      const event = { x: 20, y: 20, data: { items: [], files, dragOperationsMask: 1 } };
      await session.send('Input.dispatchDragEvent', { type: 'dragEnter', ...event });
      await session.send('Input.dispatchDragEvent', { type: 'dragOver', ...event });
      await page.locator('[data-publish][data-over]').waitFor();
      await session.send('Input.dispatchDragEvent', { type: 'drop', ...event });
    },
    waitForHeading: (name) => page.getByRole('heading', { name, exact: true }).waitFor(),
    slowUploads: async (bytes) => {
      const network = await context.newCDPSession(page);
      await network.send('Network.enable');
      const slow = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: bytes };
      await network.send('Network.emulateNetworkConditions', slow);
    },
  };
}

/** A ZIP for the file chooser of a browser. */
export function zipFile(files: Files, name = 'site.zip') {
  const contents = Object.entries(files).map(
    ([path, content]) => [path, typeof content === 'string' ? strToU8(content) : content] as const,
  );
  const zip = zipSync(Object.fromEntries(contents), { mtime: new Date('2026-11-20T12:00:00') });
  return { name, mimeType: 'application/zip', buffer: Buffer.from(zip) };
}
