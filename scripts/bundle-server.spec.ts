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

const ENTRY = 'packages/pinfold/src/index.ts';
const LATE = 'packages/pinfold/src/late.ts';
const BUNDLE = 'examples/reference-app/dist/bundle';

describe('scripts/bundle-server.ts', () => {
  let clone: string;
  let record: string;

  beforeEach(() => {
    clone = realpathSync(mkdtempSync(join(tmpdir(), 'pinfold-bundle-')));
    record = join(clone, 'record.json');
    write('pnpm-lock.yaml', '');
    for (const name of ['pinfold', 'inversify', 'core']) {
      write(`packages/${name}/package.json`, '{"type":"module","sideEffects":false}');
      write(`packages/${name}/src/index.ts`, '');
    }
    write('packages/pinfold/src/main.ts', '');
    write(LATE, 'export const late: string = import.meta.filename;');
    mkdirSync(join(clone, 'scripts'));
    cpSync(join(import.meta.dirname, 'bundle-server.ts'), join(clone, 'scripts/bundle-server.ts'));
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(clone, 'node_modules'));
  });

  afterEach(() => rmSync(clone, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), text);
  }

  function bundle(entry: string): { readonly status: number | null; readonly stderr: string } {
    write(ENTRY, entry);
    const script = join(clone, 'scripts/bundle-server.ts');
    return spawnSync(process.execPath, [script, record], { encoding: 'utf8' });
  }

  const readRecord = () => JSON.parse(readFileSync(record, 'utf8'));

  function outputOfBundle(): string {
    const file = join(clone, readRecord().modules[ENTRY]);
    return spawnSync(process.execPath, [file], { encoding: 'utf8' }).stdout;
  }

  it('records every file that the bundle depends on, and every file that it wrote', () => {
    bundle("import { late } from './late.ts'; import 'pino'; console.log(late);");
    const { sources, made, modules, importers } = readRecord();
    const stamped = (path: string) => {
      const { mtimeMs, size } = statSync(join(clone, path));
      return [path, mtimeMs, size];
    };
    const names = ['pinfold', 'inversify', 'core'];
    const packages = names.flatMap((name) => [
      `packages/${name}/src/index.ts`,
      `packages/${name}/package.json`,
    ]);
    const own = [
      LATE,
      'packages/pinfold/src/main.ts',
      ...packages,
      'pnpm-lock.yaml',
      'scripts/bundle-server.ts',
    ];
    const isOwn = ([path]: [string]): boolean => !path.includes('node_modules');
    expect(sources.filter(isOwn)).to.have.deep.members(own.map(stamped));
    const others = sources.filter((source: [string]) => !isOwn(source)).map(([path]: [string]) => path);
    expect(others).to.have.length(1);
    expect(others[0]).to.match(/node_modules\/inversify\/lib\/index\.js$/);
    expect(importers).to.deep.equal({ pino: ENTRY });
    const files = readdirSync(join(clone, BUNDLE)).map((name) => `${BUNDLE}/${name}`);
    expect(made).to.have.deep.members(files.map(stamped));
    expect(files.filter((path) => path.endsWith('.map'))).to.have.length(files.length / 2);
    expect(Object.keys(modules)).to.include.members(['packages/core/src/index.ts', ENTRY]);
  });

  it('names the source in each file', () => {
    bundle(`import { late } from './late.ts'; console.log(late, import.meta.dirname, import.meta.url);`);
    const source = join(clone, ENTRY);
    expect(outputOfBundle()).to.equal(`${join(clone, LATE)} ${dirname(source)} file://${source}\n`);
  });

  it('includes Express, which requires modules of Node', () => {
    bundle("import express from 'express'; console.log(typeof express().use);");
    expect(readRecord().importers).to.deep.equal({});
    expect(outputOfBundle()).to.equal('function\n');
  });

  it('keeps a module that is imported only for its side effects', () => {
    write('packages/pinfold/src/greeting.ts', 'console.log("hello");');
    bundle("import './greeting.ts';");
    expect(outputOfBundle()).to.equal('hello\n');
  });

  it('refuses code that would refer to another place in the bundle', () => {
    const places = [
      'export const { dirname } = import.meta;',
      "import.meta.resolve('../package.json');",
      'const part = "./part.ts"; await import(part);',
    ];
    for (const [n, place] of places.entries()) write(`packages/pinfold/src/place-${n}.ts`, place);
    const { status, stderr } = bundle(places.map((_, n) => `import './place-${n}.ts';`).join('\n'));
    expect(status).to.equal(1);
    for (const n of places.keys()) expect(stderr).to.match(new RegExp(`place-${n}\\.ts would name another`));
    expect(existsSync(record)).to.equal(false);
  });

  it('leaves an error about a missing package to the server', () => {
    bundle("await import('not-installed').catch(({ code }) => console.log(code));");
    expect(outputOfBundle()).to.equal('ERR_MODULE_NOT_FOUND\n');
  });

  it('writes a file again that was damaged', () => {
    bundle('console.log("whole");');
    const file = join(clone, readRecord().modules[ENTRY]);
    writeFileSync(file, Buffer.alloc(statSync(file).size));
    bundle('console.log("whole");');
    expect(outputOfBundle()).to.equal('whole\n');
  });

  it('keeps the chunks that it replaces for a day, for a server that still runs', () => {
    const chunks = (): string[] =>
      readdirSync(join(clone, BUNDLE)).filter((name) => /^late-.*\.js$/.test(name));
    const change = (text: string): void => {
      write(LATE, text);
      bundle(`console.log((await import('./late.ts')).late);`);
    };
    const makeOlder = (hours: number): void => {
      for (const name of readdirSync(join(clone, BUNDLE))) {
        const time = Date.now() / 1_000 - hours * 3_600;
        utimesSync(join(clone, BUNDLE, name), time, time);
      }
    };
    change('export const late = 1;');
    const [first] = chunks();
    makeOlder(48);
    change('export const late = 2;');
    expect(chunks()).to.have.length(2).and.to.include(first);
    makeOlder(25);
    change('export const late = 3;');
    expect(chunks()).to.have.length(2).and.not.to.include(first);
    makeOlder(48);
    rmSync(record);
    change('export const late = 4;');
    expect(chunks()).to.have.length(3);
  });
});
