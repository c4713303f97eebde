import { CHANGE_COST } from '@pinfold/core/internal';
import { has, type Screen, type With } from './options.ts';
import { block, limit, showAccount, unblock } from './pages/account.ts';
import { showAccounts } from './pages/accounts.ts';
import { showAllPublications, showAnyPublication, takeDown } from './pages/any-publication.ts';
import { connect, handOverKey, registerConnect, showConnect } from './pages/connect.ts';
import { downloadArchive } from './pages/download.ts';
import { showAccountHistory, showHistory } from './pages/history.ts';
import { createKey, revokeKey, showKeys } from './pages/keys.ts';
import { showList } from './pages/list.ts';
import { askToMoveName, deleteName, offerNames, showNames } from './pages/names.ts';
import { moveName, setName } from './pages/point-name.ts';
import * as publication from './pages/publication.ts';
import { archiveReceived, cancel, publish } from './pages/publish.ts';
import { changeService, showService } from './pages/service.ts';
import { endSession, showSessions } from './pages/sessions.ts';
import { showSignIn, signIn, signOut } from './pages/sign-in.ts';
import { beginElsewhere, finishElsewhere } from './pages/sign-in-elsewhere.ts';
import { askToStop, askToStopSelected, stopSelected } from './pages/stop.ts';
import { lift, showTakedowns } from './pages/takedowns.ts';
import {
  administers,
  anybody,
  anybodyKnown,
  anyone,
  formRead,
  freshToken,
  Guards,
  leadsToRevoke,
  ownPage,
  revokes,
  signedIn,
  unblocked,
  unrefused,
  withinRate,
  withinRateOfDownload,
} from './request/middleware.ts';
import type { RequestContext } from './request/request-context.ts';
import type { Answer } from './response/answer.ts';
import { notFound } from './response/refuse.ts';
import type { Endpoint } from './response/serve.ts';

export interface Route extends Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
}

const known = Guards.none.and(signedIn);
const sent = Guards.none.and(ownPage).and(formRead);
const sentByKnown = sent.and(signedIn);

const page = known.and(withinRate(1));
const form = sentByKnown.and(withinRate(CHANGE_COST)).and(freshToken);
/** Forms that end access, and the pages they are on. */
const revocation = sentByKnown.and(revokes).and(freshToken);
const wayToRevoke = known.and(leadsToRevoke);
const change = form.and(unrefused);
/** The token of an upload is a field, which must be before the file. */
const upload = Guards.none
  .and(ownPage)
  .and(signedIn)
  .and(withinRate(CHANGE_COST))
  .and(unrefused)
  .and(archiveReceived);
const overview = known.and(administers);
const operation = sentByKnown.and(administers).and(freshToken).and(unblocked);
const download = known.and(withinRateOfDownload);
/** Pictures cost nothing. */
const picture = known;
const openPage = Guards.none.and(anybody);
const openLink = Guards.none.and(anybodyKnown);
const openForm = Guards.none.and(ownPage).and(anybodyKnown).and(formRead).and(freshToken);

export function routesOf(screen: Screen): readonly Route[] {
  return [
    on('get', '/', page, showList, screen),
    on('post', '/publish', upload, publish, screen),
    on('post', '/publish/cancel', revocation, cancel, screen),
    on('get', '/stop', wayToRevoke, askToStopSelected, screen),
    on('post', '/stop', revocation.and(unrefused), stopSelected, screen),
    on('get', '/publications/:id', page, publication.showPublication, screen),
    on('get', '/publications/:id/code.svg', picture, publication.showCode, screen),
    on('get', '/publications/:id/stop', wayToRevoke, askToStop, screen),
    on('post', '/publications/:id/stop', revocation.and(unrefused), publication.stop, screen),
    on('post', '/publications/:id/open', form, publication.openSite, screen),
    on('post', '/publications/:id/pin', change, publication.pin, screen),
    on('post', '/publications/:id/unpin', change, publication.unpin, screen),
    on('post', '/publications/:id/renew', change, publication.renew, screen),
    on('post', '/publications/:id/rename', change, publication.rename, screen),
    on('post', '/publications/:id/password', change, publication.setPassword, screen),
    ...(has(screen, 'openArchive')
      ? [on('get', '/publications/:id/archive', download, downloadArchive, screen)]
      : []),
    ...(has(screen, 'names') ? namesOf(screen) : []),
    ...(has(screen, 'keys') ? keysOf(screen) : []),
    ...(has(screen, 'pairings') ? pairingsOf(screen) : []),
    ...(has(screen, 'history') ? [on('get', '/history', page, showHistory, screen)] : []),
    ...(has(screen, 'administration') ? administrationOf(screen) : []),
    ...(has(screen, 'sessions') ? signInOf(screen) : []),
  ];
}

const namesOf = (screen: With<'names'>): readonly Route[] => [
  on('get', '/names', page, showNames, screen),
  on('get', '/names.json', page, offerNames, screen),
  on('get', '/names/:name', page, askToMoveName, screen),
  on('post', '/names/:name', change, moveName, screen),
  on('post', '/names/:name/delete', change, deleteName, screen),
  on('post', '/publications/:id/name', change, setName, screen),
];

const keysOf = (screen: With<'keys'>): readonly Route[] => [
  on('get', '/keys', wayToRevoke, showKeys, screen),
  on('post', '/keys', change, createKey, screen),
  on('post', '/keys/:key/revoke', revocation, revokeKey, screen),
];

const pairingsOf = (screen: With<'pairings'>): readonly Route[] => [
  on('get', '/connect', page, showConnect, screen),
  on('post', '/connect', change, connect, screen),
  on('post', '/connect/register', Guards.none.and(formRead), registerConnect, screen),
  on('post', '/connect/key', Guards.none.and(formRead), handOverKey, screen),
];

const signInOf = (screen: With<'sessions'>): readonly Route[] => [
  on('get', '/sign-in', openPage, showSignIn, screen),
  on('post', '/sign-in', openForm, signIn, screen),
  on('post', '/sign-out', revocation, signOut, screen),
  ...(has(screen, 'sessions', 'identityProvider')
    ? [
        on('get', '/sign-in/oidc/begin', openLink, beginElsewhere, screen),
        on('get', '/sign-in/oidc', openLink, finishElsewhere, screen),
      ]
    : []),
];

function administrationOf(screen: With<'administration'>): readonly Route[] {
  const all = '/administration';
  const account = `${all}/accounts/:name`;
  const one = `${all}/publications/:id`;
  return [
    ...(has(screen, 'sessions')
      ? [
          on('get', `${all}/sessions`, overview, showSessions, screen),
          on('post', `${all}/sessions/:id/end`, operation, endSession, screen),
        ]
      : []),
    on('get', all, overview, showAccounts, screen),
    on('get', account, overview, showAccount, screen),
    on('post', `${account}/limits`, operation, limit, screen),
    on('post', `${account}/block`, operation, block, screen),
    on('post', `${account}/unblock`, operation, unblock, screen),
    on('get', `${all}/history`, overview, showAccountHistory, screen),
    on('get', `${all}/publications`, overview, showAllPublications, screen),
    on('get', one, overview, showAnyPublication, screen),
    on('post', `${one}/take-down`, operation, takeDown, screen),
    on('get', `${all}/takedowns`, overview, showTakedowns, screen),
    on('post', `${all}/takedowns/:sha256/lift`, operation, lift, screen),
    on('get', `${all}/service`, overview, showService, screen),
    on('post', `${all}/service`, operation, changeService, screen),
  ];
}

export const nowhere: Endpoint = {
  guards: Guards.none.and(anyone).all,
  handle: async (context: RequestContext) => notFound(context),
};

function on<Known extends RequestContext, Has extends Screen>(
  method: Route['method'],
  path: string,
  { all }: Guards<Known>,
  handle: (context: Known & { readonly screen: Has }) => Promise<Answer>,
  screen: Has,
): Route {
  return { method, path, guards: all, handle: (context: Known) => handle({ ...context, screen }) };
}
