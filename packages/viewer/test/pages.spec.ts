import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALL_LANGUAGES, outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import type { Exchange } from '../src/exchange.ts';
import { unreadHeadPage } from '../src/index.ts';
import { sendForbiddenLine, sendPlainPage, sendRedirect } from '../src/pages/answers.ts';
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

const FOR_PROXIES = join(import.meta.dirname, '../../../deploy/too-many-cookies.html');

describe('the page for an unread head', () => {
  it('gives advice in each language, under its own policy', () => {
    const { html, headers } = unreadHeadPage;
    expect(html).to.contain('Delete the cookies of this website').and.contain('Cookie を削除してから');
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['Content-Security-Policy']).to.contain(`'sha256-${hash}'`);
    expect(headers).to.include({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  });

  it('is available for proxies as deploy/too-many-cookies.html', async () => {
    expect(await readFile(FOR_PROXIES, 'utf8'), 'write unreadHeadPage.html there').to.equal(
      unreadHeadPage.html,
    );
  });
});

/** A response over HTTP/2 whose client reads nothing. */
class UnreadResponse extends EventEmitter {
  writableLength = 0;
  destroyed = false;

  writeHead(): this {
    return this;
  }

  end(body: Buffer | undefined): void {
    this.writableLength = body?.length ?? 0;
  }
}

describe('an answer that is not a file of a site', () => {
  it('counts among the bytes that are not sent yet', () => {
    for (const [name, send] of Object.entries({
      page: (exchange: Exchange) => sendPlainPage(exchange, 404, 'not_found'),
      line: (exchange: Exchange) => sendForbiddenLine(exchange, 'password_required'),
      redirect: (exchange: Exchange) =>
        sendRedirect(exchange, { status: 302, location: 'https://a.example/' }),
    })) {
      const response = new UnreadResponse();
      const settings = { clientAddress: () => '192.0.2.1', service: { name: 'Pinfold' } };
      const request = { method: 'GET', headers: {}, url: '/', httpVersionMajor: 2 };
      const exchange = {
        request,
        response,
        allowsCors: true,
        context: { settings },
      } as unknown as Exchange;
      send(exchange);
      expect(outgoingBytes.bytes, name).to.equal(response.writableLength);
      expect(response.writableLength > 0, name).to.equal(name !== 'redirect');
      response.emit('close');
      expect(outgoingBytes.bytes, name).to.equal(0);
    }
  });
});
