import { defaultLimits } from '@pinfold/core';
import { expect } from 'chai';
import { strToU8, zipSync } from 'fflate';
import { judgeFolder, judgeWholeFolder } from '../../browser/publish/judge.ts';
import {
  builtSiteIn,
  type FolderSource,
  sourceOf,
  startPageIn,
  titleIn,
} from '../../browser/publish/source.ts';

function chosen(...paths: readonly string[]): readonly File[] {
  return paths.map((path) => ({ name: path, size: 0, webkitRelativePath: `site/${path}` }) as File);
}

/** A dropped folder, as browsers list it: in batches. */
function dropped(name: string, tree: Readonly<Record<string, object | string>>): FileSystemEntry {
  const children = Object.entries(tree).map(([child, content]) =>
    typeof content === 'string'
      ? {
          name: child,
          isDirectory: false,
          file: (done: (file: File) => void) => done({ name: child, size: 0 } as File),
        }
      : dropped(child, content as Record<string, string>),
  );
  const createReader = () => {
    const batches = [children.slice(0, 1), children.slice(1), []];
    return { readEntries: (done: (entries: unknown) => void) => done(batches.shift()) };
  };
  return { name, isDirectory: true, createReader } as unknown as FileSystemEntry;
}

describe('chosen or dropped files', () => {
  it('are a folder with the name of the chosen one, without forbidden and system files', async () => {
    const files = chosen(
      'index.html',
      'a/b.txt',
      '.DS_Store',
      '.env',
      '.env.local',
      'node_modules/x/y.js',
      'node_modules/z.js',
      'a/.GIT/config',
      'a/log',
    );
    const source = await sourceOf({ kind: 'files', files });
    expect(source?.kind === 'folder' && source.files.map(({ path }) => path)).to.deep.equal([
      'a/b.txt',
      'index.html',
    ]);
    expect(source).to.deep.include({
      name: 'site',
      leftOut: ['.env', '.env.local', 'a/.GIT/', 'a/log', 'node_modules/'],
    });
  });

  it('are walked without entering forbidden folders', async () => {
    const tree = {
      'index.html': '',
      a: { 'b.txt': '', tmp: { 'c.txt': '' } },
      node_modules: { x: { 'y.js': '' } },
    };
    const source = await sourceOf({ kind: 'entries', entries: [dropped('site', tree)] });
    expect(source?.kind === 'folder' && source.files.map(({ path }) => path)).to.deep.equal([
      'a/b.txt',
      'index.html',
    ]);
    expect(source).to.deep.include({ name: 'site', leftOut: ['a/tmp/', 'node_modules/'] });
  });

  it('are a site of one page if it is a single page, chosen or dropped', async () => {
    const page = new File(['<p>Figures'], 'Report 2026.HTM');
    const entry = { name: page.name, isDirectory: false, file: (done: (file: File) => void) => done(page) };
    for (const way of [
      { kind: 'archive', files: [page] },
      { kind: 'entries', entries: [entry as unknown as FileSystemEntry] },
    ] as const) {
      expect(await sourceOf(way)).to.deep.equal({
        kind: 'folder',
        isPage: true,
        name: 'Report 2026',
        files: [{ path: 'index.html', file: page }],
        leftOut: [],
      });
    }
  });

  it('are one site if files are dropped together, with or without folders', async () => {
    const { createReader } = dropped('', {
      'page.html': '',
      'style.css': '',
      '.env': '',
      img: { 'a.png': '', '.DS_Store': '' },
      node_modules: { 'x.js': '' },
    }) as FileSystemDirectoryEntry;
    const entries: FileSystemEntry[] = [];
    for (const reader = createReader(); ; ) {
      const batch = await new Promise<FileSystemEntry[]>((done) => reader.readEntries(done));
      if (batch.length === 0) break;
      entries.push(...batch);
    }
    const source = await sourceOf({ kind: 'entries', entries });
    expect(source?.kind === 'folder' && source.files.map(({ path }) => path)).to.deep.equal([
      'img/a.png',
      'page.html',
      'style.css',
    ]);
    expect(source).to.deep.include({ name: 'site', leftOut: ['.env', 'node_modules/'] });
    expect(source).not.to.have.property('isPage');
  });

  it('lose the files of tools silently', async () => {
    const files = chosen('index.html', '.nojekyll', 'a/.buildinfo', '.doctrees/b.pickle', '.nojekyll.key');
    const source = await sourceOf({ kind: 'files', files });
    expect(source?.kind === 'folder' && source.files.map(({ path }) => path)).to.deep.equal(['index.html']);
    expect(source?.leftOut).to.deep.equal(['.nojekyll.key']);
  });

  it('suggest the folder with the index.html, even if it is left out', async () => {
    const dist = { 'index.html': '', 'app.js': '' };
    const entry = dropped('project', {
      'package.json': '',
      node_modules: { 'index.html': '' },
      docs: { 'index.md': '', '.vitepress': { dist } },
    });
    const paths = ['package.json', 'docs/.vitepress/dist/index.html', 'node_modules/index.html'];
    for (const given of [
      { kind: 'entries', entries: [entry] } as const,
      { kind: 'files', files: chosen(...paths) } as const,
    ]) {
      const source = (await sourceOf(given)) as FolderSource;
      const { problems } = await judgeWholeFolder(source, defaultLimits);
      const hint = { kind: 'folder', path: 'docs/.vitepress/dist' };
      expect(problems).to.deep.equal([{ rule: 'missing_index', hint }]);
    }
  });

  it('must be one site', async () => {
    const [one, other] = [dropped('one', {}), dropped('other', {})];
    const zip = { name: 'site.ZIP', isDirectory: false } as FileSystemEntry;
    for (const entries of [
      [one, other],
      [zip, zip],
      [one, zip],
    ])
      expect(await sourceOf({ kind: 'entries', entries })).to.equal(undefined);
  });

  it('may be a ZIP, which lists what it leaves out', async () => {
    const archive = new File(
      [zipSync({ 'index.html': strToU8('x'), 'node_modules/a.js': strToU8('x') })],
      'site.zip',
    );
    const source = await sourceOf({ kind: 'archive', files: [archive] });
    expect(source).to.include({ kind: 'archive', name: 'site.zip', file: archive });
    expect(source?.leftOut).to.deep.equal(['node_modules/']);
  });
});

describe('a folder without an index.html', () => {
  it('may use another spelling of index.html, or the only page at its top, as the start page', () => {
    const startPageOf = (...paths: readonly string[]) =>
      startPageIn(
        judgeFolder(
          paths.map((path) => ({ path, file: new File([], path) })),
          defaultLimits,
        ).problems,
      );
    expect(startPageOf('Index.html', 'about.html', 'a.css')).to.equal('Index.html');
    expect(startPageOf('about.html', 'index.htm')).to.equal('index.htm');
    expect(startPageOf('report.HTML', 'deep/other.html')).to.equal('report.HTML');
    expect(startPageOf('one.html', 'two.html')).to.equal(undefined);
    expect(startPageOf('deep/index.html', 'notes.txt')).to.equal(undefined);
  });
});

describe('a folder that looks like a project', () => {
  const folder = (...paths: readonly string[]): FolderSource => ({
    kind: 'folder',
    name: 'shop',
    files: paths.map((path) => ({ path, file: new File([`<title>${path}</title>`], path) })),
    leftOut: ['.env', 'dist/.cache/', 'node_modules/'],
  });

  it('contains its built site, and lists what was left out of it', async () => {
    const built = builtSiteIn(folder('package.json', 'index.html', 'dist/index.html', 'dist/a/b.js'));
    expect(built?.folder).to.equal('dist');
    expect(built?.site.files.map(({ path }) => path)).to.deep.equal(['index.html', 'a/b.js']);
    expect(built?.site.leftOut).to.deep.equal(['.cache/']);
    expect(await titleIn(built?.site as FolderSource)).to.equal('dist/index.html');
  });

  it('is not any other folder', async () => {
    expect(builtSiteIn(folder('index.html', 'dist/index.html'))).to.equal(undefined);
    expect(await titleIn(folder('a.html'))).to.equal(undefined);
  });
});
