import type { IndexHint } from '@pinfold/core';
import { html } from '@pinfold/http/internal/html';
import {
  archiveFinding,
  FINDING_TEXTS,
  type Finding,
  type FindingTextId,
  warningFinding,
} from '@pinfold/http/internal/texts';
import { problemOfEachRule, warningOfEachRule } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { Messages } from '../src/i18n.ts';
import { shared } from '../src/messages/publishing.ts';
import { codesIn, messagesIn } from '../src/messages/texts.ts';
import { problemList, warningList } from '../src/problem-lists.ts';

const codes = codesIn('en');
const english = new Messages('en', 'UTC', { ...codes, ...messagesIn('en', shared) });
const japanese = new Messages('ja', 'UTC', { ...codesIn('ja'), ...messagesIn('ja', shared) });

/** The sentence of each rule, with the list below it. */
const read = (list: { toString(): string }) =>
  [...String(list).matchAll(/<p>(.*?)<\/p>(?:<ul class="paths">(.*?)<\/ul>)?/g)].map(
    ([, sentence, items = '']) => [
      sentence,
      [...items.matchAll(/<li[^>]*>(.*?)<\/li>/g)].map(([, item = '']) => item.replace(/<[^>]+>/g, '')),
    ],
  );

/** The catalogue's text for a finding, in the language of the person. */
function catalogueText({ texts, values }: Finding<FindingTextId>, { language }: typeof english): string {
  const sentences = texts.map((id) =>
    FINDING_TEXTS[id][language].replaceAll(/\{(\w+)\}/g, (_, name: string) => `${values[name]}`),
  );
  return `${html`${sentences.join(language === 'en' ? ' ' : '')}`}`;
}

describe('the screen', () => {
  const problems = [...problemOfEachRule, { rule: 'archive_too_large', limit: 17, actual: 23 } as const];

  for (const problem of problems) {
    it(`describes ${problem.rule} as the catalogue does, once for all files, in every language`, () => {
      for (const messages of [english, japanese]) {
        const finding = archiveFinding(problem, (size) => messages.size(size));
        const sentences = read(problemList(messages, [problem, problem])).map(([sentence]) => sentence);
        expect(sentences).to.deep.equal([catalogueText(finding, messages)]);
      }
    });
  }

  for (const warning of warningOfEachRule) {
    it(`describes ${warning.rule} as the catalogue does, once for all files, in every language`, () => {
      for (const messages of [english, japanese]) {
        const sentences = read(warningList(messages, [warning, warning])).map(([sentence]) => sentence);
        expect(sentences).to.deep.equal([catalogueText(warningFinding(warning), messages)]);
      }
    });
  }
});

describe('the list of problems', () => {
  it('groups the files of a rule: the first five and the number of others', () => {
    const forbidden = (path: string) => ({ rule: 'forbidden_name', path, segment: 'x' }) as const;
    const many = Array.from({ length: 17 }, (_, n) => forbidden(`node_modules/${n}`));
    const list = problemList(english, [...many, { rule: 'missing_index' }, forbidden('.env')]);
    const first = [0, 1, 2, 3, 4].map((n) => `node_modules/${n}`);
    expect(read(list)).to.deep.equal([
      [codes.forbidden_name, [...first, 'and 13 more']],
      [codes.missing_index, []],
    ]);
  });

  it('shows numbers with their units', () => {
    const numbers = { limit: 500, actual: 1_234 };
    const rules = ['too_many_files', 'expanded_too_large'] as const;
    const list = String(
      problemList(
        english,
        rules.map((rule) => ({ rule, ...numbers })),
      ),
    );
    expect(list)
      .to.match(/1,234 files, and at most 500 are/)
      .and.match(/at most 500 bytes.*1\.2 KiB/);
  });

  it('gives advice for an index.html in another spelling or place', () => {
    const textFor = (messages: typeof english, hint: IndexHint) =>
      read(problemList(messages, [{ rule: 'missing_index', hint }]))[0]?.[0];
    expect(textFor(english, { kind: 'folder', path: 'web/out' })).to.include('“web/out” has one');
    expect(textFor(japanese, { kind: 'folder', path: 'web/out' })).to.include('「web/out」');
    const spelling = { kind: 'spelling', path: 'old/INDEX.htm', folder: 'old' } as const;
    expect(textFor(english, spelling)).to.include('“old/INDEX.htm”. Rename it').and.include('folder “old”');
  });

  it('has a sentence for a rule that a later release may bring, and the file of an unknown need', () => {
    const problems = problemList(english, [{ rule: 'new_rule' as 'symlink', path: 'a' }]);
    const warnings = warningList(english, [{ rule: 'later' as 'source_map', path: 'a' }]);
    for (const list of [problems, warnings]) expect(read(list)[0]?.[0]).to.equal(shared.otherRule[0]);
    const need = { rule: 'needs_origin', path: 'a.js', need: 'later' as 'worker' } as const;
    expect(String(warningList(english, [need]))).to.include('<code dir="auto">a.js</code></li>');
  });
});

describe('the list of warnings', () => {
  it('groups those of a rule, each with its findings', () => {
    const broken = (path: string, target: string) => ({ rule: 'broken_reference', path, target }) as const;
    const map = { rule: 'source_map', path: 'app.js.map' } as const;
    const list = warningList(english, [broken('index.html', 'gone.png'), map, broken('a/b.html', '../x')]);
    expect(read(list)).to.deep.equal([
      [codes.broken_reference, ['gone.png in index.html', '../x in a/b.html']],
      [codes.source_map, ['app.js.map']],
    ]);
  });

  it('shows one line for each cause, with the first five findings, but with every secret', () => {
    const script = (path: string, n: number) =>
      ({ rule: 'absolute_reference', path, target: `/_next/${n}.js` }) as const;
    const pages = ['index.html', 'a.html', 'b.html'];
    const all = pages.flatMap((path) => [0, 1, 2, 3, 4, 5].map((n) => script(path, n)));
    const [sentence, items] = read(warningList(english, all))[0] ?? [];
    expect(sentence).to.equal(`${codes.absolute_reference} ${codes.advice_relative}`);
    expect(items).to.deep.equal([...[0, 1, 2, 3, 4].map((n) => `/_next/${n}.js in 3 files`), 'and 1 more']);
    const full = warningList(english, [...all, script('c.html', 6), script('c.html', 7)]);
    expect(read(full)[0]?.[1]?.at(-1), 'the answer has no more').to.equal('and at least 3 more');
    const secrets = Array.from({ length: 8 }, (_, n) => `${n}.env`);
    const list = warningList(
      english,
      secrets.map((path) => ({ rule: 'possible_secret', path, secret: 'secret_file' })),
    );
    expect(read(list)[0]?.[1]).to.have.lengthOf(8);
  });

  it('describes findings in the language of the person', () => {
    const mismatch = { rule: 'case_mismatch', path: 'a.html', target: 'X.png', file: 'x.png' } as const;
    const secret = { rule: 'possible_secret', path: 'a.js', secret: 'private_key' } as const;
    const seen = (messages: typeof english) =>
      read(warningList(messages, [mismatch, secret])).map(([, items]) => items?.[0]);
    expect(seen(english)).to.deep.equal(['a.html “X.png” is the file “x.png”', 'a.js private key']);
    expect(seen(japanese)).to.deep.equal(['a.html 「X.png」（実際のファイル名は「x.png」）', 'a.js 秘密鍵']);
  });

  it('lists no file for a warning about the whole site', () => {
    const list = warningList(english, [{ rule: 'not_all_checked' }]);
    expect(read(list)).to.deep.equal([[codes.not_all_checked, []]]);
  });
});
