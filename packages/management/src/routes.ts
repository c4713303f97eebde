import { CHANGE_COST } from '@pinfold/core/internal';
import { has, type Screen, type With } from './options.ts';
import { block, limit, showAccount, unblock } from './pages/account.ts';
import { showAccounts } from './pages/accounts.ts';
import {
  lift,
  showAllPublications,
  showAnyPublication,
  showTakedowns,
  takeDown,
} from './pages/administered-publications.ts';
import { connect, giveKey, registerConnect, showConnect } from './pages/connect.ts';
import { showAccountHistory, showHistory } from './pages/history.ts';
import { createKey, revokeKey, showKeys } from './pages/keys.ts';
import { showList } from './pages/list.ts';
import { askToMoveName, deleteName, moveName, offerNames, setName, showNames } from './pages/names.ts';
import * as publication from './pages/publication.ts';
import { downloadArchive } from './pages/publication.ts';
import { cancel, publish, receiveArchive } from './pages/publish.ts';
import { changeService, showService } from './pages/service.ts';
import { endSession, showSessions } from './pages/sessions.ts';
import { beginElsewhere, finishElsewhere, showSignIn, signIn, signOut } from './pages/sign-in.ts';
import { askToStop, askToStopSelected, stopSelected } from './pages/stop.ts';
import {
  checkFormToken,
  checkSameOrigin,
  Guards,
  limitDownloads,
  limitRate,
  limitRevocationPages,
  limitRevocations,
  readForm,
  requireAdmin,
  requireSignIn,
  requireSingleFormSecret,
  requireUnblocked,
  requireWritable,
  withAnonymousForm,
  withOptionalSignIn,
} from './request/middleware.ts';
import type { RequestContext } from './request/request-context.ts';
import type { Answer } from './response/answer.ts';
import { notFound } from './response/refuse.ts';
import type { Endpoint } from './response/serve.ts';

export interface Route extends Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
}

const signedIn = Guards.none.and(requireSignIn);
const sameOriginForm = Guards.none.and(checkSameOrigin).and(readForm);
const signedInForm = sameOriginForm.and(requireSignIn);

const page = signedIn.and(limitRate(1));
const form = signedInForm.and(limitRate(CHANGE_COST)).and(checkFormToken);
/** Forms that end access, such as revoking a key, and the pages with these forms. */
const revocation = signedInForm.and(limitRevocations).and(checkFormToken);
const revocationPage = signedIn.and(limitRevocationPages);
const change = form.and(requireWritable);
/** `receiveArchive` checks the form's token, which is a field before the file. */
const upload = Guards.none
  .and(checkSameOrigin)
  .and(requireSignIn)
  .and(limitRate(CHANGE_COST))
  .and(requireWritable)
  .and(receiveArchive);
const adminPage = signedIn.and(requireAdmin);
const adminForm = signedInForm.and(requireAdmin).and(checkFormToken).and(requireUnblocked);
const download = signedIn.and(limitDownloads);
/** Pictures take nothing from the rate. */
const picture = signedIn;
const anonymousPage = Guards.none.and(withAnonymousForm);
const anonymousLink = Guards.none.and(requireSingleFormSecret);
const anonymousForm = Guards.none
  .and(checkSameOrigin)
  .and(requireSingleFormSecret)
  .and(readForm)
  .and(checkFormToken);

export function routesOf(screen: Screen): readonly Route[] {
  return [
    routeTo('get', '/', page, showList, screen),
    routeTo('post', '/publish', upload, publish, screen),
    routeTo('post', '/publish/cancel', revocation, cancel, screen),
    routeTo('get', '/stop', revocationPage, askToStopSelected, screen),
    routeTo('post', '/stop', revocation.and(requireWritable), stopSelected, screen),
    routeTo('get', '/publications/:id', page, publication.showPublication, screen),
    routeTo('get', '/publications/:id/code.svg', picture, publication.showCode, screen),
    routeTo('get', '/publications/:id/stop', revocationPage, askToStop, screen),
    routeTo('post', '/publications/:id/stop', revocation.and(requireWritable), publication.stop, screen),
    routeTo('post', '/publications/:id/open', form, publication.openSite, screen),
    routeTo('post', '/publications/:id/pin', change, publication.pin, screen),
    routeTo('post', '/publications/:id/unpin', change, publication.unpin, screen),
    routeTo('post', '/publications/:id/renew', change, publication.renew, screen),
    routeTo('post', '/publications/:id/rename', change, publication.rename, screen),
    routeTo('post', '/publications/:id/password', change, publication.setPassword, screen),
    ...(has(screen, 'openArchive')
      ? [routeTo('get', '/publications/:id/archive', download, downloadArchive, screen)]
      : []),
    ...(has(screen, 'names') ? namesOf(screen) : []),
    ...(has(screen, 'keys') ? keysOf(screen) : []),
    ...(has(screen, 'pairings') ? pairingsOf(screen) : []),
    ...(has(screen, 'history') ? [routeTo('get', '/history', page, showHistory, screen)] : []),
    ...(has(screen, 'administration') ? administrationOf(screen) : []),
    ...(has(screen, 'sessions') ? signInOf(screen) : []),
  ];
}

const namesOf = (screen: With<'names'>): readonly Route[] => [
  routeTo('get', '/names', page, showNames, screen),
  routeTo('get', '/names.json', page, offerNames, screen),
  routeTo('get', '/names/:name', page, askToMoveName, screen),
  routeTo('post', '/names/:name', change, moveName, screen),
  routeTo('post', '/names/:name/delete', change, deleteName, screen),
  routeTo('post', '/publications/:id/name', change, setName, screen),
];

const keysOf = (screen: With<'keys'>): readonly Route[] => [
  routeTo('get', '/keys', revocationPage, showKeys, screen),
  routeTo('post', '/keys', change, createKey, screen),
  routeTo('post', '/keys/:key/revoke', revocation, revokeKey, screen),
];

const pairingsOf = (screen: With<'pairings'>): readonly Route[] => [
  routeTo('get', '/connect', page, showConnect, screen),
  routeTo('post', '/connect', change, connect, screen),
  routeTo('post', '/connect/register', Guards.none.and(readForm), registerConnect, screen),
  routeTo('post', '/connect/key', Guards.none.and(readForm), giveKey, screen),
];

const signInOf = (screen: With<'sessions'>): readonly Route[] => [
  routeTo('get', '/sign-in', anonymousPage, showSignIn, screen),
  routeTo('post', '/sign-in', anonymousForm, signIn, screen),
  routeTo('post', '/sign-out', revocation, signOut, screen),
  ...(has(screen, 'sessions', 'identityProvider')
    ? [
        routeTo('get', '/sign-in/oidc/begin', anonymousLink, beginElsewhere, screen),
        routeTo('get', '/sign-in/oidc', anonymousLink, finishElsewhere, screen),
      ]
    : []),
];

function administrationOf(screen: With<'administration'>): readonly Route[] {
  const root = '/administration';
  const accountPath = `${root}/accounts/:name`;
  const publicationPath = `${root}/publications/:id`;
  return [
    ...(has(screen, 'sessions')
      ? [
          routeTo('get', `${root}/sessions`, adminPage, showSessions, screen),
          routeTo('post', `${root}/sessions/:id/end`, adminForm, endSession, screen),
        ]
      : []),
    routeTo('get', root, adminPage, showAccounts, screen),
    routeTo('get', accountPath, adminPage, showAccount, screen),
    routeTo('post', `${accountPath}/limits`, adminForm, limit, screen),
    routeTo('post', `${accountPath}/block`, adminForm, block, screen),
    routeTo('post', `${accountPath}/unblock`, adminForm, unblock, screen),
    routeTo('get', `${root}/history`, adminPage, showAccountHistory, screen),
    routeTo('get', `${root}/publications`, adminPage, showAllPublications, screen),
    routeTo('get', publicationPath, adminPage, showAnyPublication, screen),
    routeTo('post', `${publicationPath}/take-down`, adminForm, takeDown, screen),
    routeTo('get', `${root}/takedowns`, adminPage, showTakedowns, screen),
    routeTo('post', `${root}/takedowns/:sha256/lift`, adminForm, lift, screen),
    routeTo('get', `${root}/service`, adminPage, showService, screen),
    routeTo('post', `${root}/service`, adminForm, changeService, screen),
  ];
}

export const unknownPath: Endpoint = {
  guards: Guards.none.and(withOptionalSignIn).all,
  handle: async (context: RequestContext) => notFound(context),
};

function routeTo<Known extends RequestContext, Has extends Screen>(
  method: Route['method'],
  path: string,
  { all }: Guards<Known>,
  handle: (context: Known & { readonly screen: Has }) => Promise<Answer>,
  screen: Has,
): Route {
  return { method, path, guards: all, handle: (context: Known) => handle({ ...context, screen }) };
}
