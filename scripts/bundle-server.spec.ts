import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';

const MAIN = 'examples/reference-app/src/main.ts';
const BUNDLE = 'examples/reference-app/dist/bundle';

describe('scripts/bundle-server.ts', () => {
  let clone: string;
  let record: string;

  beforeEach(() => {
    clone = realpathSync(mkdtempSync(join(tmpdir(), 'pinfold-bundle-')));
    record = join(clone, 'record.json');
    write('pnpm-lock.yaml', '');
    write('examples/reference-app/package.json', '{"type":"module"}');
    write('packages/own/package.json', '{"type":"module"}');
    write('packages/own/src/late.ts', 'export const late: string = import.meta.filename;');
    mkdirSync(join(clone, 'scripts'));
    cpSync(join(import.meta.dirname, 'bundle-server.ts'), join(clone, 'scripts/bundle-server.ts'));
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(clone, 'node_modules'));
  });

  afterEach(() => rmSync(clone, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  }

  function bundle(main: string): { readonly status: number | null; readonly stderr: string } {
    write(MAIN, main);
    return spawnSync(process.execPath, [join(clone, 'scripts/bundle-server.ts'), record], {
      encoding: 'utf8',
    });
  }

  function printed(): string {
    return spawnSync(process.execPath, [join(clone, BUNDLE, 'main.js')], { encoding: 'utf8' }).stdout;
  }

  it('notes every file that a change of would make another bundle, and when each was changed', () => {
    bundle(`import { late } from '../../../packages/own/src/late.ts'; console.log(late);`);
    const { sources, made } = JSON.parse(readFileSync(record, 'utf8'));
    const files = [
      MAIN,
      'examples/reference-app/package.json',
      'packages/own/package.json',
      'packages/own/src/late.ts',
      'pnpm-lock.yaml',
      'scripts/bundle-server.ts',
    ];
    expect(sources).to.have.deep.members(files.map((file) => [file, statSync(join(clone, file)).mtimeMs]));
    expect(made).to.have.members([`${BUNDLE}/main.js`, `${BUNDLE}/main.js.map`]);
  });

  it('tells each file where its source is', () => {
    bundle(
      'const { url, path } = { url: import.meta.url, path: import.meta.dirname }; console.log(url, path);',
    );
    expect(printed()).to.equal(`file://${join(clone, MAIN)} ${join(clone, dirname(MAIN))}\n`);
    bundle(`import { late } from '../../../packages/own/src/late.ts'; console.log(late);`);
    expect(printed()).to.equal(`${join(clone, 'packages/own/src/late.ts')}\n`);
  });

  for (const place of [
    'const { dirname } = import.meta;',
    "import.meta.resolve('../package.json');",
    'const part = "./part.ts"; await import(part);',
    'console.log(__dirname);',
  ])
    it(`refuses ${place}, which would name another place in the bundle`, () => {
      const { status, stderr } = bundle(place);
      expect(status).to.equal(1);
      expect(stderr).to.include('would name another place').and.to.include('src/main.ts');
      expect(existsSync(record)).to.equal(false);
    });

  it('leaves it to the server to miss a package that is not installed', () => {
    bundle("await import('not-installed').catch(({ code }) => console.log(code));");
    expect(printed()).to.equal('ERR_MODULE_NOT_FOUND\n');
  });

  it('keeps the chunks that it replaces for a day, for a server that still runs', () => {
    const chunks = (): string[] =>
      readdirSync(join(clone, BUNDLE)).filter((name) => /^late-.*\.js$/.test(name));
    const change = (text: string): void => {
      write('packages/own/src/late.ts', text);
      bundle(`console.log((await import('../../../packages/own/src/late.ts')).late);`);
    };
    const grow = (hours: number): void => {
      for (const name of readdirSync(join(clone, BUNDLE))) {
        const time = Date.now() / 1_000 - hours * 3_600;
        utimesSync(join(clone, BUNDLE, name), time, time);
      }
    };
    change('export const late = 1;');
    const [first] = chunks();
    grow(48);
    change('export const late = 2;');
    expect(chunks()).to.have.length(2).and.to.include(first);
    grow(25);
    change('export const late = 3;');
    expect(chunks()).to.have.length(2).and.not.to.include(first);
  });
});
