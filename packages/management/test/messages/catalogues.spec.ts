import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Message } from '../../src/i18n.ts';
import type { Language } from '../../src/language.ts';
import { administration as enAdministration } from '../../src/messages/en/administration.ts';
import { history as enHistory } from '../../src/messages/en/history.ts';
import { publishing as enPublishing } from '../../src/messages/en/publishing.ts';
import { rules as enRules } from '../../src/messages/en/rules.ts';
import { screen as enScreen } from '../../src/messages/en/screen.ts';
import { signIn as enSignIn } from '../../src/messages/en/sign-in.ts';
import { views as enViews } from '../../src/messages/en/views.ts';
import { administration as jaAdministration } from '../../src/messages/ja/administration.ts';
import { history as jaHistory } from '../../src/messages/ja/history.ts';
import { publishing as jaPublishing } from '../../src/messages/ja/publishing.ts';
import { rules as jaRules } from '../../src/messages/ja/rules.ts';
import { screen as jaScreen } from '../../src/messages/ja/screen.ts';
import { signIn as jaSignIn } from '../../src/messages/ja/sign-in.ts';
import { views as jaViews } from '../../src/messages/ja/views.ts';

type Catalogue = Readonly<Record<string, Message>>;

const PARTS: readonly (readonly [name: string, en: Catalogue, ja: Catalogue])[] = [
  ['screen', enScreen, jaScreen],
  ['publishing', enPublishing, jaPublishing],
  ['rules', enRules, jaRules],
  ['sign-in', enSignIn, jaSignIn],
  ['administration', enAdministration, jaAdministration],
  ['history', enHistory, jaHistory],
  ['views', enViews, jaViews],
];
const ROOT = join(import.meta.dirname, '..', '..');

function formsOf(message: Message): readonly string[] {
  return typeof message === 'string' ? [message] : Object.values(message);
}

/** The names that a message has values for, in order. */
function namesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''))].sort();
}

function sources(): string {
  const folders = ['src', 'browser'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }),
  );
  const files = folders.filter((entry) => entry.isFile() && !entry.parentPath.includes('messages'));
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n');
}

describe('the messages', () => {
  for (const [name, en, ja] of PARTS) {
    it(`of ${name} are in both languages, with the same values`, () => {
      expect(Object.keys(ja).sort()).to.deep.equal(Object.keys(en).sort());
      for (const [id, message] of Object.entries(en)) {
        const names = namesIn(formsOf(message).join(' '));
        expect(namesIn(formsOf(ja[id] ?? '').join(' ')), id).to.deep.equal(names);
      }
    });

    it(`of ${name} have every plural form that their language needs`, () => {
      const languages: readonly (readonly [Language, Catalogue])[] = [
        ['en', en],
        ['ja', ja],
      ];
      for (const [language, catalogue] of languages) {
        const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
        for (const [id, message] of Object.entries(catalogue)) {
          if (typeof message === 'string') continue;
          expect(Object.keys(message).sort(), `${language} ${id}`).to.deep.equal(
            [...pluralCategories].sort(),
          );
        }
      }
    });

    it(`of ${name} are all said somewhere`, () => {
      const text = sources();
      const unused = Object.keys(en).filter((id) => !text.includes(`'${id}'`));
      expect(unused).to.deep.equal([]);
    });
  }

  it('have no id twice among what one page says', () => {
    const pages = [enScreen, enRules, enHistory, enViews, enAdministration].flatMap((part) =>
      Object.keys(part),
    );
    expect(pages.filter((id, at) => pages.indexOf(id) !== at)).to.deep.equal([]);
    expect(Object.keys(enRules).filter((id) => id in enPublishing)).to.deep.equal([]);
  });
});
