import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALL_LANGUAGES } from '@pinfold/http/internal';
import { expect } from 'chai';
import { PAGES, type PageName, TEXTS, waitText } from '../src/pages/catalogue.ts';
import { passwordPage, plainPage } from '../src/pages/pages.ts';

const LANGUAGES = ALL_LANGUAGES;
const NAMES = Object.keys(PAGES) as PageName[];
const everyPage = LANGUAGES.flatMap((language) => [
  passwordPage(language),
  passwordPage(language, { kind: 'wrong_password' }),
  passwordPage(language, { kind: 'busy', seconds: 1 }),
  passwordPage(language, { kind: 'too_many_tries', seconds: 240 }),
  ...NAMES.map((page) => plainPage(language, page)),
]);

describe("the viewers' pages", () => {
  it('are small, load nothing and run nothing', () => {
    for (const page of everyPage) {
      expect(Buffer.byteLength(page)).to.be.below(6_000);
      const icon = /<link rel="icon" href="data:image\/svg\+xml,[^"]+" type="image\/svg\+xml">/;
      expect(page).to.match(icon);
      expect(page.replace(icon, '')).not.to.match(
        /<script|<img|<link|\bsrc=|\bhref=|\bon[a-z]+=|url\(|@import| style=/i,
      );
    }
  });

  it('show no escape of the templates they are made with', () => {
    for (const page of everyPage) expect(page).not.to.match(/\\n|!\$\{|\$\{/);
  });

  it('have their language, title, one heading and each sentence', () => {
    for (const language of LANGUAGES) {
      for (const name of NAMES) {
        const page = plainPage(language, name);
        const [title, ...text] = PAGES[name][language];
        expect(page).to.contain(`<html lang="${language}">`).and.contain('<meta name="viewport"');
        expect(page).to.contain(`<title>${title}</title>`);
        const sentences = text.map((sentence) => `\n<p>${sentence}</p>`).join('');
        expect(page).to.contain(`<main>\n<h1>${title}</h1>${sentences}\n</main>`);
        expect([title, ...text].every((part) => /\S/.test(part)) && text.length > 0).to.equal(true);
      }
    }
  });

  it('preview the service by its name, and link where a page is reported', () => {
    const service = { name: 'Harbour', reportUrl: 'mailto:abuse@pages.example' };
    for (const page of [passwordPage('en', undefined, service), plainPage('en', 'not_found', service)]) {
      expect(page.match(/<meta property="og:[^>]+>/g)).to.deep.equal([
        '<meta property="og:site_name" content="Harbour">',
        '<meta property="og:title" content="Harbour">',
        '<meta property="og:type" content="website">',
      ]);
      expect(page).to.contain('<a href="mailto:abuse@pages.example">Report this page</a>');
    }
    expect(plainPage('en', 'not_found')).not.to.contain('Report');
  });

  it('ask for the password in one labelled field that a password manager fills', () => {
    const page = passwordPage('ja');
    expect(page).to.contain(`<title>${TEXTS.passwordTitle.ja}</title>`).and.not.to.contain('<svg');
    expect(page).to.contain('<form method="post">');
    expect(page).to.contain('<label for="password">');
    expect(page).to.match(
      /<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>/,
    );
    expect(page.match(/<input/g)).to.have.length(1);
    expect(page.match(/<button>/g)).to.have.length(1);
  });

  it('link the error to the field, and show it in the title', () => {
    const page = passwordPage('en', { kind: 'wrong_password' });
    expect(page).to.match(/<p class="problem" id="problem" role="alert"><svg[^>]*><path/);
    expect(page).to.contain('aria-describedby="problem" aria-invalid="true"');
    expect(page).to.contain(`<title>${TEXTS.wrong_password.en}`);
  });

  it('give the time to wait in words', () => {
    expect(waitText('en', 1)).to.equal('1 second');
    expect(waitText('en', 59)).to.equal('59 seconds');
    expect(waitText('en', 60)).to.equal('1 minute');
    expect(waitText('en', 61)).to.equal('2 minutes');
    expect(waitText('ja', 300)).to.match(/^5\s?分$/);
    expect(passwordPage('en', { kind: 'too_many_tries', seconds: 240 })).to.contain('4 minutes');
  });

  it('are all sent', async () => {
    let sources = '';
    for await (const name of glob('../src/**/!(catalogue).ts', { cwd: import.meta.dirname })) {
      sources += await readFile(join(import.meta.dirname, name), 'utf8');
    }
    expect(NAMES.filter((name) => !sources.includes(`'${name}'`))).to.deep.equal([]);
  });
});
