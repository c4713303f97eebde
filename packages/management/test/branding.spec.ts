import { accountId } from '@pinfold/core';
import { expect } from 'chai';
import { brandingOf } from '../src/branding.ts';
import type { ManagementOptions } from '../src/index.ts';
import { openScreen, type Screen } from './open-screen.ts';
import { Person } from './person.ts';

const ada = { account: accountId('user.8f2c'), displayName: 'Ada <Lovelace>', scopes: ['manage'] as const };

describe('the screen of an embedding team', () => {
  let screen: Screen;
  let person: Person;
  const open = async (management: Partial<ManagementOptions>) => {
    screen = await openScreen({ management });
    person = new Person(screen.base);
  };

  it('has the name of the product, its logo, its color and a link back', async () => {
    await open({
      authenticate: async () => ada,
      branding: {
        productName: 'Harbour & Co',
        logoUrl: 'https://cdn.example/logo.svg',
        accentColor: '#0a7d5c',
        back: { url: '/home', text: 'Back to <Harbour>' },
      },
    });
    const { text, headers } = await person.get('/');
    expect(text).to.contain('· Harbour &amp; Co</title>').and.not.to.contain('>Pinfold<');
    expect(text).to.contain('<a class="back" href="/home" dir="auto">Back to &lt;Harbour&gt;</a>');
    expect(text).to.contain('<img src="https://cdn.example/logo.svg" alt=""');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).to.contain("img-src 'self' https://cdn.example;");
    const [, nonce] = /<style nonce="([^"]+)">@supports \(.+\)\{:root\{--accent:/.exec(text) ?? [];
    expect(policy).to.contain(`style-src 'self' 'nonce-${nonce}'`);
  });

  it('names the person, and links to the sign-out', async () => {
    await open({ authenticate: async () => ada, branding: { signOutUrl: '/bye' } });
    const { text } = await person.get('/');
    expect(text).to.contain('>Ada &lt;Lovelace&gt;</span>').and.not.to.contain('user.8f2c');
    expect(text).to.contain('<a href="/bye">Sign out</a>');
  });

  it('shows the account for a person without a name', async () => {
    await open({ authenticate: async () => ({ account: ada.account, scopes: ada.scopes }) });
    expect((await person.get('/')).text).to.contain('>user.8f2c</span>');
  });

  it('links people who are not signed in to the sign-in', async () => {
    await open({ authenticate: async () => undefined, branding: { signInUrl: '/login' } });
    const { status, text } = await person.get('/');
    expect(status).to.equal(401);
    expect(text).to.contain('<a class="button" href="/login">Sign in</a>');
  });

  it('replaces texts, and offers only the chosen languages', async () => {
    await open({
      authenticate: async () => ada,
      branding: { languages: ['ja'], messages: { ja: { publications: 'ページ' } } },
    });
    const { text } = await person.get('/');
    expect(text).to.contain('<html lang="ja">').and.contain('>ページ</a>');
    expect(text).not.to.contain('?language=');
    expect((await person.get('/?language=en')).status).to.equal(200);
  });

  it('uses the defaults without options', async () => {
    await open({ authenticate: async () => ada });
    const { text, headers } = await person.get('/');
    expect(text).to.contain('· Pinfold</title>').and.contain('?language=ja').and.not.to.contain('<style');
    expect(headers.get('content-security-policy')).to.contain("style-src 'self';");
  });
});

describe('branding', () => {
  for (const branding of [
    { accentColor: 'red}body{display:none' },
    { accentColor: '</style>' },
    { logoUrl: 'javascript:alert(1)' },
    { back: { url: '//elsewhere.example', text: 'x' } },
    { signInUrl: 'login' },
    { signOutUrl: 'data:text/html,x' },
    { languages: [] as never },
    { languages: ['xx'] as never },
    { accentColour: 'red' } as never,
    { messages: { en: { publicatons: 'Pages' } } } as never,
  ]) {
    it(`throws for ${JSON.stringify(branding)}`, () => {
      expect(() => brandingOf(branding)).to.throw(TypeError);
    });
  }
});
