import { CHANGE_COST } from '@pinfold/core/internal';
import { block, limit, showAccount, showAccountHistory, showAccounts, unblock } from './handlers/accounts.ts';
import { connect, handOverKey, registerConnect, showConnect } from './handlers/connect.ts';
import { showHistory } from './handlers/history.ts';
import { createKey, revokeKey, showKeys } from './handlers/keys.ts';
import { showList } from './handlers/list.ts';
import { deleteName, type Naming, setName, showNames } from './handlers/names.ts';
import * as publications from './handlers/publications.ts';
import { archiveReceived, publish } from './handlers/publish.ts';
import { changeService, showService } from './handlers/service.ts';
import { endSession, endSessions, showSessions } from './handlers/sessions.ts';
import { showSignIn, signIn, signOut } from './handlers/sign-in.ts';
import { beginElsewhere, finishElsewhere } from './handlers/sign-in-elsewhere.ts';
import { askToStopSelected, stopSelected } from './handlers/stop-selected.ts';
import {
  lift,
  showAllPublications,
  showAnyPublication,
  showTakedowns,
  takeDown,
} from './handlers/takedowns.ts';
import { has, type Screen, type With } from './options.ts';
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
} from './request/middleware.ts';
import type { RequestContext } from './request/request-context.ts';
import type { Answer } from './response/answer.ts';
import { notFound } from './response/refuse.ts';
import type { Endpoint } from './response/serve.ts';

export interface Route extends Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
}

const page = Guards.none.and(signedIn).and(withinRate(1));
const form = Guards.none
  .and(ownPage)
  .and(formRead)
  .and(signedIn)
  .and(withinRate(CHANGE_COST))
  .and(freshToken);
/** Forms that end access, and the pages they are on. */
const revocation = Guards.none.and(ownPage).and(formRead).and(signedIn).and(revokes).and(freshToken);
const wayToRevoke = Guards.none.and(signedIn).and(leadsToRevoke);
const change = form.and(unrefused);
/** The token of an upload is a field, which must be before the file. */
const upload = Guards.none
  .and(ownPage)
  .and(signedIn)
  .and(withinRate(CHANGE_COST))
  .and(unrefused)
  .and(archiveReceived);
const overview = Guards.none.and(signedIn).and(administers);
const operation = Guards.none
  .and(ownPage)
  .and(formRead)
  .and(signedIn)
  .and(administers)
  .and(freshToken)
  .and(unblocked);
/** Pictures cost nothing. */
const picture = Guards.none.and(signedIn);
const openPage = Guards.none.and(anybody);
const openLink = Guards.none.and(anybodyKnown);
const openForm = Guards.none.and(ownPage).and(anybodyKnown).and(formRead).and(freshToken);

export function routesOf(screen: Screen): readonly Route[] {
  const { names } = screen.useCases;
  return [
    on('get', '/', page, showList, screen),
    on('post', '/publish', upload, publish, screen),
    on('get', '/stop', wayToRevoke, askToStopSelected, screen),
    on('post', '/stop', revocation.and(unrefused), stopSelected, screen),
    on('get', '/publications/:id', page, publications.showPublication, screen),
    on('get', '/publications/:id/code.svg', picture, publications.showCode, screen),
    on('get', '/publications/:id/stop', wayToRevoke, publications.askToStop, screen),
    on('post', '/publications/:id/stop', revocation.and(unrefused), publications.stop, screen),
    on('post', '/publications/:id/open', form, publications.openSite, screen),
    on('post', '/publications/:id/pin', change, publications.pinning('pin'), screen),
    on('post', '/publications/:id/unpin', change, publications.pinning('unpin'), screen),
    on('post', '/publications/:id/renew', change, publications.renew, screen),
    on('post', '/publications/:id/rename', change, publications.rename, screen),
    on('post', '/publications/:id/password', change, publications.setPassword, screen),
    ...(names === undefined ? [] : namesOf({ ...screen, names })),
    ...(has(screen, 'keys') ? keysOf(screen) : []),
    ...(has(screen, 'pairings') ? pairingsOf(screen) : []),
    ...(has(screen, 'history') ? [on('get', '/history', page, showHistory, screen)] : []),
    ...(has(screen, 'administration') ? administrationOf(screen) : []),
    ...(has(screen, 'sessions') ? signInOf(screen) : []),
  ];
}

const namesOf = (screen: Naming): readonly Route[] => [
  on('get', '/names', page, showNames, screen),
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
  const publication = `${all}/publications/:id`;
  return [
    ...(has(screen, 'sessions')
      ? [
          on('get', `${all}/sessions`, overview, showSessions, screen),
          on('post', `${all}/sessions/:id/end`, operation, endSession, screen),
          on('post', `${account}/sessions/end`, operation, endSessions, screen),
        ]
      : []),
    on('get', all, overview, showAccounts, screen),
    on('get', account, overview, showAccount, screen),
    on('post', `${account}/limits`, operation, limit, screen),
    on('post', `${account}/block`, operation, block, screen),
    on('post', `${account}/unblock`, operation, unblock, screen),
    on('get', `${all}/history`, overview, showAccountHistory, screen),
    on('get', `${all}/publications`, overview, showAllPublications, screen),
    on('get', publication, overview, showAnyPublication, screen),
    on('post', `${publication}/take-down`, operation, takeDown, screen),
    on('get', `${all}/takedowns`, overview, showTakedowns, screen),
    on('post', `${all}/takedowns/:sha256/lift`, operation, lift, screen),
    on('get', `${all}/service`, overview, showService, screen),
    on('post', `${all}/service`, operation, changeService, screen),
  ];
}

/** Answers everything else. */
export const nowhere: Endpoint = {
  guards: Guards.none.and(anyone).all,
  handle: async (visit) => notFound(visit),
};

function on<Known extends RequestContext, Subject>(
  method: Route['method'],
  path: string,
  { all }: Guards<Known>,
  handle: (subject: Subject, visit: Known) => Promise<Answer>,
  subject: Subject,
): Route {
  return { method, path, guards: all, handle: (visit: Known) => handle(subject, visit) };
}
