import type { ArchiveProof, EntryPath } from '@pinfold/core';
import { createStagedArchives } from '@pinfold/test-contracts/fixtures';
import { type CostlyReferences, costlyPages, costlyReferences } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ZipArchiveInspector } from '../src/index.ts';
import { splitTasks } from '../src/jobs.ts';
import { observe, ReferenceFilter, SitePaths } from '../src/observe.ts';
import { type Inspection, inspect } from './inspection.ts';

const MiB = 1_048_576;
/** The characters that are compared to read and follow the references of all pages; the pages have 1.4 MiB at most. */
const WORK = 2 * MiB;

/** Counts the characters of the paths of the folders that it is called for. */
class CountingPaths extends SitePaths {
  characters = 0;

  override folder(path: string) {
    this.characters += path.length;
    return super.folder(path);
  }

  override foldedFolder(path: string) {
    this.characters += path.length;
    return super.foldedFolder(path);
  }
}

const COSTLY: readonly (readonly [name: string, form: CostlyReferences])[] = [
  ['names', {}],
  ['names in folders of their own', { target: (name) => `${name}/x` }],
  ['names between parent folders', { target: (name) => `../${name}/..` }],
  ['names whose slash is encoded', { target: (name) => `${name}%2Fx` }],
  ['absolute paths', { target: (name) => `/${name}` }],
  ['names that become longer in upper case', { target: (name) => `ß${name}` }],
  ['names beside 45 MiB of padding', { padding: 45 * MiB }],
];

describe('a site of 74,400 references from a folder whose path has 1,005 bytes', () => {
  async function inspectSite(form: CostlyReferences, workers: number): Promise<Inspection> {
    const inspector = new ZipArchiveInspector({ workers });
    const { stage, dispose } = await createStagedArchives();
    try {
      return await inspect(inspector, await stage(costlyReferences(form)));
    } finally {
      await inspector.close();
      await dispose();
    }
  }

  for (const [name, form] of COSTLY) {
    it(`takes bounded work, with ${name}`, async () => {
      const { listing, tasks } = await inspectSite(form, 1);
      const request = { archive: {} as never, listing, tasks, expandedBytes: 50 * MiB };
      const pages = splitTasks(request, 2).jobs.flat().filter(isPage);
      const paths = tasks.flatMap(({ path }) => path ?? []);
      const site = new CountingPaths(paths);
      const texts = new Map(costlyPages(form).map((page) => [page.name, page.content]));
      const filter = new ReferenceFilter(site);
      const observations = pages.map(({ path, observedBytes, referenceWork: work }) => {
        const text = texts.get(path)?.slice(0, observedBytes) ?? '';
        const observation = observe(path, text, { work });
        filter.filter(path, observation.references);
        return { ...observation, work };
      });
      expect(pages).to.have.length(124);
      expect(observations.every(({ whole }) => !whole)).to.equal(true);
      expect(observations.reduce((sum, { work }) => sum + work, 0)).to.be.below(WORK);
      const references = observations.reduce((sum, one) => sum + one.references.length, 0);
      // Each reference costs 48 in addition to its characters.
      expect(references).to.be.within(124, WORK / 48);
      // Each folder is searched for twice: with its exact name, and ignoring case.
      expect(site.characters).to.be.below(2 * WORK);
    });
  }

  it('is searched only in part, but as a whole if it has no references', async () => {
    const isWhole = ({ entries }: ArchiveProof) => entries.every((entry) => entry.whole);
    expect(isWhole((await inspectSite({}, 2)).proof)).to.equal(false);
    expect(isWhole((await inspectSite({ referring: false }, 2)).proof)).to.equal(true);
  });

  it('has the same findings with any number of threads', async () => {
    const form = { padding: 20 * MiB, target: (name: string) => `${name}.png` };
    const findings = async (workers: number) => {
      const { entries } = (await inspectSite(form, workers)).proof;
      return entries.map(({ entry, whole, secrets }) => ({ entry, whole, secrets }));
    };
    const [one, two, four] = [await findings(1), await findings(2), await findings(4)];
    expect(two).to.deep.equal(one);
    expect(four).to.deep.equal(one);
  });
});

function isPage<Task extends { readonly path?: EntryPath }>(
  task: Task,
): task is Task & { readonly path: EntryPath } {
  return task.path?.endsWith('.html') === true && task.path !== 'index.html';
}
