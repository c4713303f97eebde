import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveId, days } from '@pinfold/core';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { anArchiveId, someBytes } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { placeOf } from '../src/archive-folders.ts';
import { type Files, nodeFiles } from '../src/files.ts';
import { openFolder } from './opened.ts';

type Call = (path: string, ...more: unknown[]) => Promise<unknown>;

/** Archives in three different spans. */
const [FIRST, MIDDLE, LAST] = [0, 100, 200].map((day) => anArchiveId(day * days(1))) as [
  ArchiveId,
  ArchiveId,
  ArchiveId,
];

describe('A list of archives', () => {
  const opened = ofEachTest(openFolder);

  afterEach(() => opened.dispose());

  it('skips folders that are removed meanwhile', async () => {
    const { staging, clock, stage, storage } = opened;
    const folder = join(opened.folder, 'archives');
    const { span } = placeOf(folder, MIDDLE);
    for (const name of ['readdir', 'opendir'] as const) {
      for (const id of [FIRST, MIDDLE, LAST]) await storage.put(id, await stage(someBytes(20_000, 1)));
      const vanishing: Call = async (path, ...more) => {
        if (path.startsWith(span)) await rm(span, { recursive: true, force: true });
        return await (nodeFiles[name] as Call)(path, ...more);
      };
      const files = { ...nodeFiles, [name]: vanishing } as Files;
      const walking = new FsArchiveStorage({ folder, staging, clock }, files);
      expect(await walking.list(undefined, 10), `before ${name}`).to.deep.equal([FIRST, LAST]);
    }
  });
});
