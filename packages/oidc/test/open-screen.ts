import { type HistoryEvent, type Instant, instant, OPERATOR } from '@pinfold/core';
import { createManagement, type RequestEntry } from '@pinfold/management';
import { createMemory, type Memory } from '@pinfold/memory';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import express from 'express';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type IssuedRecord,
  type Issuer,
  openIssuer,
} from 'pinfold-test-servers/issuer';
import { type Inside, openService, type TestService } from 'pinfold-test-servers/service';
import { type OpenIdConnectOptions, openIdConnect } from '../src/index.ts';
import type { BrowserAnswer, TestBrowser } from './test-browser.ts';

/** The management screen with an issuer. */
export interface Screen {
  readonly issuer: Issuer;
  readonly service: TestService<Memory>;
  readonly log: RequestEntry[];
  /** The address of the screen. */
  readonly base: string;
  /** The address to which the issuer leads back. */
  readonly redirectUri: string;
  /** Goes to the issuer, enters a name there and consents; returns the redirect back to the screen without following it. */
  leadToReturn(browser: TestBrowser, name: string, to?: string): Promise<BrowserAnswer>;
  /** The address of the screen on one more node. */
  peer(): Promise<string>;
  /** Does the same, and follows the redirect back. */
  signIn(browser: TestBrowser, name: string, to?: string): Promise<BrowserAnswer>;
  /** The events in the history of an account, by default Ada's. */
  events(account?: string): Promise<readonly HistoryEvent[]>;
  close(): Promise<void>;
}

/** The options that a test may override. */
export interface ScreenOptions {
  readonly client?: Partial<OpenIdConnectOptions>;
  readonly issuer?: IssuedRecord;
  /** The client as it is registered at the issuer. */
  readonly registered?: IssuedRecord;
  /** The clock of the screen; by default that of the issuer. */
  readonly now?: Instant;
}

export async function openScreen({
  client,
  issuer: configuration,
  registered,
  now,
}: ScreenOptions = {}): Promise<Screen> {
  const issuer = await openIssuer();
  const clock = createManualClock(now ?? instant(Date.now()));
  const log: RequestEntry[] = [];
  const doors = ({
    useCases,
    keys,
    sessions,
    history,
    administration,
    publicPort,
  }: Inside): express.Express => {
    const identityProvider = openIdConnect({
      issuer: issuer.url,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      name: 'Example',
      clock,
      ...client,
    });
    const publicUrl = `http://localhost:${publicPort}`;
    const record = (entry: RequestEntry) => log.push(entry);
    return express().use(
      '/manage',
      createManagement({
        useCases,
        publicUrl,
        keys,
        sessions,
        history,
        administration,
        identityProvider,
        log: record,
      }),
    );
  };
  const service = await openService(createMemory(), doors, { clock });
  const base = `http://localhost:${service.port}/manage`;
  const redirectUri = `${base}/sign-in/oidc`;
  issuer.serve(redirectUri, configuration, registered);
  issuer.people.set('ada', {
    name: 'Ada L.',
    email: 'ada@example.com',
    email_verified: true,
    groups: ['staff'],
  });
  const leadToReturn = async (browser: TestBrowser, name: string, to?: string): Promise<BrowserAnswer> => {
    const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
    const begun = await browser.get(`${base}/sign-in/oidc/begin${query}`);
    return await throughIssuer(browser, begun, name, redirectUri);
  };
  return {
    issuer,
    service,
    log,
    base,
    redirectUri,
    leadToReturn,
    peer: async () => `http://localhost:${(await service.peer(service.stores.peer(), doors)).port}/manage`,
    signIn: async (browser, name, to) => {
      const { location } = await leadToReturn(browser, name, to);
      return await browser.get(location ?? '');
    },
    events: async (by = 'oidc:ada') => {
      const page = await service.history.list({ by });
      return page.kind === 'page' ? page.events : [];
    },
    close: async () => {
      await service.close();
      await issuer.close();
    },
  };
}

/** Enters a name and consents, as often as the issuer asks. */
export async function throughIssuer(
  browser: TestBrowser,
  begun: BrowserAnswer,
  name: string,
  end: string,
): Promise<BrowserAnswer> {
  let page = await browser.follow(begun, end);
  while (page.location === undefined) {
    const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`no form of the issuer: ${page.text}`);
    page = await browser.follow(await browser.post(action, { prompt, login: name, password: 'any' }), end);
  }
  return page;
}

/** Expects that a sign-in failed, and left neither a cookie of a session nor a session. */
export async function expectNoSignIn(
  { base, log, service }: Screen,
  browser: TestBrowser,
  answer: BrowserAnswer,
  status: number,
  outcome: string,
): Promise<void> {
  expect(answer.status).to.equal(status);
  expect(answer.text).to.include('You were not signed in').and.include('/manage/sign-in"');
  expect([...browser.cookiesOf(base).keys()]).not.to.include('pinfold_session');
  expect((await browser.get(`${base}/`)).location).to.equal(`${base}/sign-in`);
  const refused = log.find((entry) => entry.outcome?.startsWith('sign_in_'));
  expect(refused?.outcome).to.equal(`sign_in_${outcome}`);
  const history = await service.history.list({ by: OPERATOR });
  expect(history.kind === 'page' && history.events.map(({ type }) => type)).not.to.include('session.started');
}
