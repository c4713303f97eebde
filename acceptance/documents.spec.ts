import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { administrationDocument, openApiDocument } from '@pinfold/http-express';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { type Exported, exportedNames } from './documents/examples.ts';
import { documents, root, sources } from './documents/pages.ts';
import tsconfig from './tsconfig.json' with { type: 'json' };

/** One fenced block of a document. */
interface Block {
  readonly document: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** Inside this package, so that documents can import only its dependencies; ignored by git. */
const work = join(import.meta.dirname, 'dist', 'documents');

async function blocksOf(document: string): Promise<readonly Block[]> {
  const page = await readFile(document, 'utf8');
  return [...page.matchAll(/^```(\w[^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    document: relative(root, document),
    line: page.slice(0, match.index).split('\n').length,
    language: match[1] ?? '',
    code: match[2] ?? '',
  }));
}

/** A server in a document must answer on a free port; then its program is ended. */
const ENDS_WHEN_IT_ANSWERS = `
import { Server } from 'node:net';
const listen = Server.prototype.listen;
Server.prototype.listen = function (...args) {
  this.once('listening', async () => {
    const answered = await fetch('http://127.0.0.1:' + this.address().port).catch(() => undefined);
    if (answered !== undefined) process.exit(answered.status < 500 ? 0 : 1);
  });
  return listen.call(this, 0, '127.0.0.1', args.find((arg) => typeof arg === 'function'));
};
`;

/** Documents import compiled packages, because compiling them again would take the longest. */
const references = tsconfig.references.map(({ path }) => ({ path: join('../..', path) }));
const TSCONFIG = {
  extends: '../../../tsconfig.test.base.json',
  compilerOptions: { tsBuildInfoFile: './.tsbuildinfo', noUnusedLocals: false, types: ['node'] },
  include: ['*.ts'],
  references,
};

/** The folder in documents; each run replaces it by its own. */
const DATA_FOLDER = '/var/lib/pinfold';

/** The number of random runs in documents; the test needs only a few. */
const RUNS = /\bruns: \d+/g;

/** Dependencies that are missing in tests, so that such programs are only compiled. */
const NEEDS_MORE = /declare const|from '@pinfold\/persistence-postgres'/;

/** Users start with classes and with functions that create something. The signature explains other calls. */
const NEEDS_EXAMPLE = /^(?:[A-Z]|create|open|describe)/;

/** Exported names that need no example of their own, and why. */
const WITHOUT_EXAMPLE: readonly (readonly [path: RegExp, why: string])[] = [
  [/^test-contracts\/src\/fixtures\//, 'material of specs: values and files, which the suites show in use'],
  [/#Fs(?:ArchiveStorage|Staging)$/, 'made by the function beside it, which has one'],
];

/** An expression of an example, followed by its value. */
const WITH_VALUE =
  /^(?!const |console)(\S.*); \/\/ ('.*'|\d[\d_]*|true|false|undefined|null|\{.*\}|\[.*\])$/gm;

/** Imports programs one after the other, so that one process runs them all, and ignores their exit codes. */
const IN_TURN = `
let remaining = process.argv.length - 2;
process.once('exit', () => {
  if (remaining > 0) process.exitCode = 1;
});
for (const file of process.argv.slice(2)) {
  try {
    await import(file);
    remaining -= 1;
  } catch (error) {
    console.error(file, error);
  }
}
process.exit(0);
`;

/** Programs that serve until they are stopped. */
const LISTENS = /\.listen\((?:\d|\{)|\bserve\(|runUntilStopped\(/;

const pages = documents();
const blocks = (await Promise.all(pages.map(blocksOf))).flat();
const exported = exportedNames();
const examples = exported.flatMap(exampleOf);
const programs = blocks.filter(({ language }) => language === 'ts');
const runnable = [...programs, ...examples].filter(({ code }) => !NEEDS_MORE.test(code));
const answers = blocks.filter(({ language }) => language === 'json');

function fileOf({ document, line }: Block): string {
  return join(work, `${document.replaceAll(/[^\w]+/g, '-')}-${line}.ts`);
}

/** An example as a program that fails if a value differs from its comment. */
function exampleOf({ file, line, example }: Exported): readonly Block[] {
  if (example === undefined) return [];
  const checked = example.replaceAll(WITH_VALUE, 'deepEqual($1, $2);');
  const code = checked === example ? example : `import { deepEqual } from 'node:assert/strict';\n${checked}`;
  return [{ document: file, line, language: 'ts', code }];
}

const { SERVER_PRELOAD: preload } = process.env;
/** Programs that serve load their packages from the bundle that `npm test` creates. */
const FROM_BUNDLE: readonly string[] = preload === undefined ? [] : [preload];

async function run(...args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-document-'));
  for (const file of args.filter((name) => name.endsWith('.ts'))) {
    const source = await readFile(file, 'utf8');
    await writeFile(file, source.replaceAll(DATA_FOLDER, folder).replaceAll(RUNS, 'runs: 2'));
  }
  const options = ['--conditions=@pinfold/source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...options, ...args], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 120_000,
  });
  const [errorOutput, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  await rm(folder, { recursive: true });
  expect(code, errorOutput).to.equal(0);
}

/** The block as a separate file, in which imports relative to its document still work. */
function sourceOf({ document, code }: Block): string {
  const beside = relative(work, dirname(join(root, document)));
  return code.replaceAll(/from '\.\//g, `from '${beside}/`);
}

/** Code in a sample that may make a caller an operator: the scope, or a constant that may contain it. */
const OPERATORS_RIGHTS = /(['"`])admin\1|\b(?!(?:MEMBER|DEFAULT)_SCOPES\b)\w*SCOPES\b/;

/** The packages that the page of the first server installs for all pages. */
const OF_THE_FIRST_SERVER = ['express', 'pinfold'];
const EMBEDS = /^(?:README|docs\/management|docs\/embedding\/.*|packages\/pinfold\/README)\.md$/;

/** The package of an import, without its subpath. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

describe('the samples', () => {
  it('import only what their page installs', async () => {
    const missing: string[] = [];
    for (const document of documents()) {
      const page = await readFile(document, 'utf8');
      const name = relative(root, document);
      const lines = page.match(/npm install .*/g) ?? [];
      const installed = new Set(
        lines.flatMap((line) => line.split(/[\s`]+/)).map((word) => word.replace(/(?<=.)@.*/, '')),
      );
      if (EMBEDS.test(name)) for (const own of OF_THE_FIRST_SERVER) installed.add(own);
      for (const { language, code, line } of await blocksOf(document)) {
        if (language !== 'ts') continue;
        for (const [, specifier = ''] of code.matchAll(/(?:from|import) '([^'.][^']*)'/g)) {
          if (specifier.startsWith('node:') || installed.has(packageOf(specifier))) continue;
          missing.push(`${name}, line ${line}: ${packageOf(specifier)}`);
        }
      }
    }
    expect(missing).to.deep.equal([]);
  });

  it('make no caller an operator', async () => {
    const blocks = (await Promise.all(documents().map(blocksOf))).flat();
    const inDocuments = blocks.filter(({ language }) =>
      /^(?:ts|js|mjs|typescript|javascript)\b/.test(language),
    );
    const files = sources().filter(
      (file) => relative(root, file).startsWith('examples') && file.includes('src'),
    );
    const samples = [
      ...inDocuments.map(({ document, line, code }) => ({ name: `${document}, line ${line}`, code })),
      ...(await Promise.all(files.map(async (name) => ({ name, code: await readFile(name, 'utf8') })))),
    ];
    expect(inDocuments.length).to.be.greaterThan(20);
    expect(files.length).to.be.greaterThan(3);
    expect(samples.filter(({ code }) => OPERATORS_RIGHTS.test(code)).map(({ name }) => name)).to.deep.equal(
      [],
    );
  });

  it('that make a caller an operator are found', () => {
    for (const code of [
      'return { account, scopes: SCOPES };',
      "import { KNOWN_SCOPES } from '@pinfold/core/adapter';",
      "scopes: ['manage', 'admin']",
      'scopes: [...MEMBER_SCOPES, "admin"]',
    ]) {
      expect(OPERATORS_RIGHTS.test(code), code).to.equal(true);
    }
    expect(OPERATORS_RIGHTS.test('scopes: user.mayPublish ? MEMBER_SCOPES : DEFAULT_SCOPES')).to.equal(false);
  });
});

describe('the documents', () => {
  before(async () => {
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { recursive: true });
    await writeFile(join(work, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await writeFile(join(work, 'answering.mjs'), ENDS_WHEN_IT_ANSWERS);
    await writeFile(join(work, 'in-turn.mjs'), IN_TURN);
    await Promise.all([...programs, ...examples].map((block) => writeFile(fileOf(block), sourceOf(block))));
  });

  it('have programs and examples that compile', () => {
    expect(programs.length).to.be.greaterThan(10);
    expect(examples.length).to.be.greaterThan(50);
    const { status, stdout } = spawnSync('tsc', ['-p', work], { encoding: 'utf8' });
    expect(status, stdout).to.equal(0);
  });

  for (const block of runnable.filter(({ code }) => LISTENS.test(code))) {
    it(`have a program that runs in ${block.document}, line ${block.line}`, () =>
      run(...FROM_BUNDLE, `--import=${join(work, 'answering.mjs')}`, fileOf(block)));
  }

  it('describe every exported name in its comment', () => {
    expect(exported.length).to.be.greaterThan(500);
    expect(
      exported.filter(({ isDocumented }) => !isDocumented).map(({ file, name }) => `${file}#${name}`),
    ).to.deep.equal([]);
  });

  it('have an example at every exported class and function that creates something', async () => {
    const missing = exported
      .filter(({ isCalled, name, example }) => isCalled && NEEDS_EXAMPLE.test(name) && example === undefined)
      .map(({ file, name }) => `${file}#${name}`)
      .filter((name) => !WITHOUT_EXAMPLE.some(([path]) => path.test(name)));
    expect(missing).to.deep.equal([]);
  });

  it('have programs and examples that run', async () => {
    const others = runnable.filter(({ code }) => !LISTENS.test(code));
    await run(join(work, 'in-turn.mjs'), ...others.map(fileOf));
  });

  it('show answers as the API document describes them', () => {
    const described = [openApiDocument, administrationDocument].flatMap((describe) => {
      const document = describe({ publicUrl: 'http://localhost:8080' });
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema(document, 'api');
      return answerSchemas(document).map((pointer) => ajv.compile({ $ref: `api#${pointer}` }));
    });
    expect(described.length).to.be.greaterThan(5);
    for (const { document: page, line, code } of answers) {
      const answer: unknown = JSON.parse(code);
      expect(
        described.some((validate) => validate(answer)),
        `${page}, line ${line}`,
      ).to.equal(true);
    }
  });
});

type Json = Readonly<Record<string, unknown>>;

/** JSON Pointers to the schemas of all answers. */
function answerSchemas(document: Json): readonly string[] {
  const found: string[] = [];
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const below = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (name === 'schema' && pointer.includes('/responses/')) found.push(below);
      else walk(member, below);
    }
  };
  walk(document, '');
  return found;
}
