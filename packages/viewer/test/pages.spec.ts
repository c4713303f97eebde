import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { catalogues, type MessageId, waitInWords } from '../src/pages/catalogue.ts';
import { PAGE_POLICY } from '../src/pages/page-style.ts';
import { passwordPage, plainPage, plainPages } from '../src/pages/pages.ts';

const LANGUAGES = ['en', 'ja'] as const;
const everyPage = LANGUAGES.flatMap((language) => [
  passwordPage(language),
  passwordPage(language, { kind: 'wrong' }),
  passwordPage(language, { kind: 'busy', seconds: 1 }),
  passwordPage(language, { kind: 'limited', seconds: 240 }),
  ...Object.values(plainPages).map((page) => plainPage(language, page)),
]);

describe("the viewers' pages", () => {
  it('are small, load nothing and run nothing', () => {
    for (const page of everyPage) {
      expect(Buffer.byteLength(page)).to.be.below(6_000);
      expect(page).not.to.match(/<script|<img|<link|\bsrc=|\bhref=|\bon[a-z]+=|url\(|@import| style=/i);
    }
  });

  it('show no escape of the templates they are made with', () => {
    for (const page of everyPage) expect(page).not.to.match(/\\n|!\$\{|\$\{/);
  });

  it('have the one style sheet whose hash the policy names', () => {
    for (const page of everyPage) {
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
      expect(PAGE_POLICY).to.contain(createHash('sha256').update(style).digest('base64'));
    }
  });

  it('have a policy that leaves form-action open', () => {
    expect(PAGE_POLICY).to.match(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; frame-ancestors 'none'$/,
    );
  });

  it('say their language, title and one heading', () => {
    for (const language of LANGUAGES) {
      for (const name of Object.values(plainPages)) {
        const page = plainPage(language, name);
        expect(page).to.contain(`<html lang="${language}">`);
        expect(page).to.contain(`<title>${catalogues[language][name.title]}</title>`);
        expect(page.match(/<h1>/g)).to.have.length(1);
        expect(page).to.contain('<meta name="viewport"');
      }
    }
  });

  it('ask for the password in one labelled field that a password manager fills', () => {
    const page = passwordPage('ja');
    expect(page).to.contain('<form method="post">');
    expect(page).to.contain('<label for="password">');
    expect(page).to.match(
      /<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>/,
    );
    expect(page.match(/<input/g)).to.have.length(1);
    expect(page.match(/<button>/g)).to.have.length(1);
  });

  it('tie what went wrong to the field and to the title', () => {
    const page = passwordPage('en', { kind: 'wrong' });
    expect(page).to.contain('<p class="problem" id="problem" role="alert">');
    expect(page).to.contain('aria-describedby="problem" aria-invalid="true"');
    expect(page).to.contain(`<title>${catalogues.en.passwordWrong}`);
  });

  it('say how long to wait in words', () => {
    expect(waitInWords('en', 1)).to.equal('1 second');
    expect(waitInWords('en', 59)).to.equal('59 seconds');
    expect(waitInWords('en', 60)).to.equal('1 minute');
    expect(waitInWords('en', 61)).to.equal('2 minutes');
    expect(waitInWords('ja', 300)).to.match(/^5\s?分$/);
    expect(passwordPage('en', { kind: 'limited', seconds: 240 })).to.contain('4 minutes');
  });

  it('use every message of the catalogues, and both have the same', async () => {
    expect(Object.keys(catalogues.ja)).to.have.members(Object.keys(catalogues.en));
    const sources = new URL('../src/pages/', import.meta.url);
    const files = (await readdir(sources)).filter((name) => name !== 'catalogue.ts');
    const text = (await Promise.all(files.map((name) => readFile(new URL(name, sources), 'utf8')))).join(
      '\n',
    );
    const unused = (Object.keys(catalogues.en) as MessageId[]).filter((id) => !text.includes(id));
    expect(unused).to.deep.equal([]);
  });
});
