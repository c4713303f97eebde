// Without it comments and documents drift into words that a newcomer has to decode. A word of the list is fine once;
// a habit is not. Lower the bounds when files are mended, never raise them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..');

/** Words for which there is a standard term: names of who acts, data that is stored, details of a problem. */
const DIALECT =
  /\b(?:nobody|somebody|whoever|whatever|whose it is|told of|is told|tells? of|kept|lets? nobody|no longer so|is none|what is so|beside it|goes on)\b/gi;
/** Words that names are not made of, each with a standard term in its place: `details`, `branding`, `metric`, `MAX_PAUSE`. */
const NOT_IN_NAMES = new Set(
  'told tell tells tellings wish wishes look looks looked looking trouble troubles troubled figure figures kept said says sayings barred believed patiently stranger strangers stretch stretches worded untouched'.split(
    ' ',
  ),
);
/** A constant for a bound is called `MAX_` or `MIN_`. */
const BOUND = /^(?:MOST|LONGEST|LEAST|SHORTEST)(?:_|$)|_AT_(?:MOST|LEAST)$/;

/** Riddles, and sections of papers that are not in the repository. */
const NEVER =
  /\b(?:comes? to rest|is no longer so|is so no more|has it in hand|(?:contract|blueprint|architecture)(?:'s table)?,?[\s*/]+(?:section|§)\s*\d+)\b/gi;

const MAX_IN_FILE = 2;
const MAX_IN_COMMENTS = 60;
const MAX_IN_DOCUMENTS = 250;

function filesOf(...patterns: readonly string[]): readonly string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  return listed.split('\0').filter((file) => file !== '' && !/CHANGELOG|^[.]changeset/.test(file));
}

function textsOf(...patterns: readonly string[]): ReadonlyMap<string, string> {
  return new Map(filesOf(...patterns).map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

function commentsOf(source: string): string {
  return source
    .split('\n')
    .filter((line) => /^\s*(?:\/\/|\*|\/\*\*)/.test(line))
    .join('\n');
}

/** The names of a source: without its comments, strings and the texts of its templates. */
function namesOf(source: string): ReadonlySet<string> {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gm, ' ')
    .replaceAll(/`(?:\\.|\$\{[^{}]*\}|[^`\\])*`/g, (template) =>
      (template.match(/\$\{[^{}]*\}/g) ?? []).join(' '),
    );
  return new Set(code.match(/[A-Za-z_$][\w$]*/g));
}

function isDialect(name: string): boolean {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return BOUND.test(name) || words.some((word) => NOT_IN_NAMES.has(word.toLowerCase()));
}

function count(text: string, words: RegExp): number {
  return text.match(words)?.length ?? 0;
}

describe('the words of comments and documents', () => {
  const comments = new Map(
    [...textsOf('packages/*/src/*.ts', 'packages/*/browser/*.ts')].map(([file, text]) => [
      file,
      commentsOf(text),
    ]),
  );
  const documents = textsOf('*.md');

  it('are found', () => {
    expect(count(commentsOf("/** Whoever asks is told. */\nconst kept = 'kept';\n"), DIALECT)).to.equal(2);
    expect(count('What has stopped comes to rest (contract, section 7).', NEVER)).to.equal(2);
    expect(comments.size).to.be.above(500);
    expect(documents.size).to.be.above(50);
  });

  it('are plain in the comments of every package', () => {
    const worst = [...comments].filter(([, text]) => count(text, DIALECT) > MAX_IN_FILE);
    expect(worst.map(([file]) => file)).to.deep.equal([]);
    const all = [...comments.values()].reduce((sum, text) => sum + count(text, DIALECT), 0);
    expect(all).to.be.at.most(MAX_IN_COMMENTS);
  });

  it('are plain in documents', () => {
    const all = [...documents.values()].reduce((sum, text) => sum + count(text, DIALECT), 0);
    expect(all).to.be.at.most(MAX_IN_DOCUMENTS);
  });

  it('are never riddles', () => {
    const riddles = [...comments, ...documents].filter(([, text]) => count(text, NEVER) > 0);
    expect(riddles.map(([file]) => file)).to.deep.equal([]);
  });
});

describe('the names of the code', () => {
  it('are found', () => {
    const source = "const kept = `\u0024{told} looks`; // said\nMOST_KEYS(look.up, 'a wish', lookup);";
    expect([...namesOf(source)].filter(isDialect)).to.deep.equal(['kept', 'told', 'MOST_KEYS', 'look']);
  });

  it('are standard terms in every source', () => {
    // In bench, a figure is a row's result.
    const sources = textsOf('*.ts', ':!bench', ':!scripts/plain-words.spec.ts');
    const found = [...sources].flatMap(([file, text]) =>
      [...namesOf(text)].filter(isDialect).map((name) => `${file}: ${name}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('are standard terms in every name of a file', () => {
    const files = filesOf('*.ts', '*.mjs');
    expect(files.length).to.be.above(1_000);
    expect(files.filter((file) => isDialect(basename(file)))).to.deep.equal([]);
  });
});
