import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '@pinfold/http/internal';
import { REFUSAL_TEXTS, textsIn } from '@pinfold/http/internal/texts';
import { expect } from 'chai';
import type { Message, Translated } from '../../src/i18n.ts';
import * as administration from '../../src/messages/administration.ts';
import * as apiKeys from '../../src/messages/api-key-messages.ts';
import * as names from '../../src/messages/name-messages.ts';
import * as publications from '../../src/messages/publications.ts';
import * as publishing from '../../src/messages/publishing.ts';
import { codesIn, messagesIn } from '../../src/messages/texts.ts';

type Catalogue = Readonly<Record<string, Message>>;

const OWN: Readonly<Record<string, Readonly<Record<string, Translated>>>> = {
  ...administration,
  ...apiKeys,
  ...names,
  ...publications,
  ...publishing,
};

const inLanguage = (language: Language): Readonly<Record<string, Catalogue>> => ({
  ...Object.fromEntries(Object.entries(OWN).map(([part, texts]) => [part, messagesIn(language, texts)])),
  codes: codesIn(language),
  refusals: textsIn(language, REFUSAL_TEXTS),
});
const MESSAGES: Readonly<Record<Language, ReturnType<typeof inLanguage>>> = {
  en: inLanguage('en'),
  ja: inLanguage('ja'),
};
const english = MESSAGES.en;
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

function expectEveryForm(language: string, catalogue: Catalogue): void {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  for (const [id, message] of Object.entries(catalogue)) {
    if (typeof message === 'string') continue;
    expect(Object.keys(message).sort(), `${language} ${id}`).to.deep.equal([...pluralCategories].sort());
  }
}

describe('the messages', () => {
  for (const [part, texts] of Object.entries(english)) {
    it(`of ${part} exist in every language, with the same values and every plural form`, () => {
      for (const [language, messages] of Object.entries(MESSAGES)) {
        const own = messages[part] ?? {};
        expectEveryForm(language, own);
        expect(Object.keys(own).sort()).to.deep.equal(Object.keys(texts).sort());
        for (const [id, message] of Object.entries(texts)) {
          const names = namesIn(formsOf(message).join(' '));
          expect(namesIn(formsOf(own[id] ?? '').join(' ')), `${language} ${id}`).to.deep.equal(names);
        }
      }
    });
  }

  it('are all used; those of events and codes have a type that lists them', () => {
    const text = sources();
    const { events, ...others } = OWN;
    const ids = Object.values(others).flatMap((part) => Object.keys(part));
    // A confirmation names its messages by what is confirmed.
    const confirmed = (id: string): string => `confirmation(context, '${id.replace(/(?:Means|Title)$/, '')}'`;
    const unused = ids.filter((id) => !text.includes(`'${id}'`) && !text.includes(confirmed(id)));
    expect(unused).to.deep.equal([]);
  });

  it('have no repeated id on one page', () => {
    const { publishing, codes, refusals, ...pages } = english;
    for (const parts of [
      [...Object.values(pages), codes],
      [publishing, pages.shared, codes],
    ]) {
      const ids = parts.flatMap((part = {}) => Object.keys(part));
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).to.deep.equal([]);
    }
  });
});
