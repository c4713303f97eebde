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
import type { Stop, Traveller } from './test-browser.ts';

/** The management screen with an issuer. */
export interface Screen {
  readonly issuer: Issuer;
  readonly service: TestService<Memory>;
  readonly log: RequestEntry[];
  /** The address of the screen. */
  readonly base: string;
  /** The address to which the issuer leads back. */
  readonly redirectUri: string;
  /** Goes to the issuer, enters a name there and consents; returns the address of the redirect back without following it. */
  toTheWayBack(traveller: Traveller, name: string, to?: string): Promise<Stop>;
  /** The address of the screen on one more node. */
  peer(): Promise<string>;
  /** The same, and goes back. */
  signIn(traveller: Traveller, name: string, to?: string): Promise<Stop>;
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
    const say = (entry: RequestEntry) => log.push(entry);
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
        log: say,
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
  const toTheWayBack = async (traveller: Traveller, name: string, to?: string): Promise<Stop> => {
    const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
    const begun = await traveller.get(`${base}/sign-in/oidc/begin${query}`);
    return await throughIssuer(traveller, begun, name, redirectUri);
  };
  return {
    issuer,
    service,
    log,
    base,
    redirectUri,
    toTheWayBack,
    peer: async () => `http://localhost:${(await service.peer(service.stores.peer(), doors)).port}/manage`,
    signIn: async (traveller, name, to) => {
      const { location } = await toTheWayBack(traveller, name, to);
      return await traveller.get(location ?? '');
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
  traveller: Traveller,
  begun: Stop,
  name: string,
  end: string,
): Promise<Stop> {
  let here = await traveller.follow(begun, end);
  while (here.location === undefined) {
    const action = /<form[^>]* action="([^"]+)"/.exec(here.text)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(here.text)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`no form of the issuer: ${here.text}`);
    here = await traveller.follow(
      await traveller.post(action, { prompt, login: name, password: 'any' }),
      end,
    );
  }
  return here;
}

/** A failed sign-in leaves neither a cookie of a session nor a session. */
export async function expectNobodyIn(
  { base, log, service }: Screen,
  traveller: Traveller,
  stop: Stop,
  status: number,
  outcome: string,
): Promise<void> {
  expect(stop.status).to.equal(status);
  expect(stop.text).to.include('You were not signed in').and.include('/manage/sign-in"');
  expect([...traveller.cookiesOf(base).keys()]).not.to.include('pinfold_session');
  expect((await traveller.get(`${base}/`)).location).to.equal(`${base}/sign-in`);
  const refused = log.find((entry) => entry.outcome?.startsWith('sign_in_'));
  expect(refused?.outcome).to.equal(`sign_in_${outcome}`);
  const history = await service.history.list({ by: OPERATOR });
  expect(history.kind === 'page' && history.events.map(({ type }) => type)).not.to.include('session.started');
}
