import { CHANGE_COST } from '@pinfold/core/adapter';
import { block, limit, showAccount, showAccountHistory, showAccounts, unblock } from './handlers/accounts.ts';
import { showCode } from './handlers/code.ts';
import { connect, handOverKey, registerConnect, showConnect } from './handlers/connect.ts';
import { showHistory } from './handlers/history.ts';
import { createKey, revokeKey, showKeys } from './handlers/keys.ts';
import { showList } from './handlers/list.ts';
import {
  askToStop,
  pin,
  rename,
  renew,
  setPassword,
  showPublication,
  stop,
  unpin,
} from './handlers/publications.ts';
import { publishForm, publishUpload } from './handlers/publish.ts';
import { archiveInBody, archiveInForm } from './handlers/receive.ts';
import { changeService, showService } from './handlers/service.ts';
import { showSignIn, signIn, signOut } from './handlers/sign-in.ts';
import { beginElsewhere, finishElsewhere } from './handlers/sign-in-elsewhere.ts';
import {
  lift,
  showAllPublications,
  showAnyPublication,
  showTakedowns,
  takeDown,
} from './handlers/takedowns.ts';
import type { Screen } from './options.ts';
import {
  administers,
  anybody,
  anybodyKnown,
  chain,
  formRead,
  freshHeader,
  freshToken,
  type Guard,
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
import type { Answering } from './response/serve.ts';

/** One thing that the screen does. */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly answer: Answering;
}

/** What a request has passed when its handler is called. Whatever changes something has shown its token. */
const page = chain(signedIn, withinRate(1));
const changing = chain(signedIn, withinRate(CHANGE_COST));
const form = chain(ownPage, formRead, changing, freshToken);
/** What ends access, and the pages that lead there. */
const revocation = chain(ownPage, formRead, signedIn, revokes, freshToken);
const wayToRevoke = chain(signedIn, leadsToRevoke);
/** What a blocked account may not do, and nobody while the service is read-only: they only read, sign out, and revoke keys. */
const change = chain(form, unrefused);
const upload = chain(ownPage, changing, unrefused, freshHeader, archiveInBody);
/** Here the token is a field, which must stand before the file. */
const uploadForm = chain(ownPage, changing, unrefused, archiveInForm);
const overview = chain(signedIn, administers);
const deed = chain(chain(ownPage, formRead, signedIn, administers), freshToken, unblocked);
/** Pictures cost nothing. */
const picture = signedIn;
const openPage = anybody;
const openLink = anybodyKnown;
const openForm = chain(ownPage, anybodyKnown, formRead, freshToken);

/** Every route of the screen. */
export function routesOf(screen: Screen): readonly Route[] {
  const { keys, pairings, history, sessions, identityProvider } = screen;
  const routes = [
    on('get', '/', page, showList, screen),
    on('post', '/publish', uploadForm, publishForm, screen),
    on('post', '/upload', upload, publishUpload, screen),
    on('get', '/publications/:id', page, showPublication, screen),
    on('get', '/publications/:id/code.svg', picture, showCode, screen),
    on('get', '/publications/:id/stop', wayToRevoke, askToStop, screen),
    on('post', '/publications/:id/stop', chain(revocation, unrefused), stop, screen),
    on('post', '/publications/:id/pin', change, pin, screen),
    on('post', '/publications/:id/unpin', change, unpin, screen),
    on('post', '/publications/:id/renew', change, renew, screen),
    on('post', '/publications/:id/rename', change, rename, screen),
    on('post', '/publications/:id/password', change, setPassword, screen),
  ];
  if (keys !== undefined) {
    routes.push(
      on('get', '/keys', wayToRevoke, showKeys, keys),
      on('post', '/keys', change, createKey, keys),
      on('post', '/keys/:key/revoke', revocation, revokeKey, keys),
    );
  }
  if (pairings !== undefined) {
    const connecting = { ...screen, pairings, ...(keys === undefined ? {} : { keys }) };
    routes.push(
      on('get', '/connect', page, showConnect, connecting),
      on('post', '/connect', change, connect, connecting),
      on('post', '/connect/register', formRead, registerConnect, connecting),
      on('post', '/connect/key', formRead, handOverKey, connecting),
    );
  }
  if (history !== undefined) routes.push(on('get', '/history', page, showHistory, { ...screen, history }));
  if (screen.administration !== undefined) routes.push(...administrationOf(screen));
  if (sessions !== undefined) {
    routes.push(
      on('get', '/sign-in', openPage, showSignIn, screen),
      on('post', '/sign-in', openForm, signIn, { ...screen, sessions }),
      on('post', '/sign-out', revocation, signOut, { ...screen, sessions }),
    );
  }
  if (sessions !== undefined && identityProvider !== undefined) {
    const elsewhere = { ...screen, sessions, identityProvider };
    routes.push(
      on('get', '/sign-in/oidc/begin', openLink, beginElsewhere, elsewhere),
      on('get', '/sign-in/oidc', openLink, finishElsewhere, elsewhere),
    );
  }
  return routes;
}

/** The pages of those who administer. */
function administrationOf(screen: Screen): readonly Route[] {
  const all = '/administration';
  const account = `${all}/accounts/:name`;
  const publication = `${all}/publications/:id`;
  return [
    on('get', all, overview, showAccounts, screen),
    on('get', account, overview, showAccount, screen),
    on('post', `${account}/limits`, deed, limit, screen),
    on('post', `${account}/block`, deed, block, screen),
    on('post', `${account}/unblock`, deed, unblock, screen),
    on('get', `${all}/history`, overview, showAccountHistory, screen),
    on('get', `${all}/publications`, overview, showAllPublications, screen),
    on('get', publication, overview, showAnyPublication, screen),
    on('post', `${publication}/take-down`, deed, takeDown, screen),
    on('get', `${all}/takedowns`, overview, showTakedowns, screen),
    on('post', `${all}/takedowns/:sha256/lift`, deed, lift, screen),
    on('get', `${all}/service`, overview, showService, screen),
    on('post', `${all}/service`, deed, changeService, screen),
  ];
}

/** Answers everything else. */
export const nowhere: Answering = guarded(openPage, async (_, visit) => notFound(visit), undefined);

function on<Known extends RequestContext, Subject>(
  method: Route['method'],
  path: string,
  guard: Guard<RequestContext, Known>,
  handle: (subject: Subject, visit: Known) => Promise<Answer>,
  subject: Subject,
): Route {
  return { method, path, answer: guarded(guard, handle, subject) };
}

function guarded<Known extends RequestContext, Subject>(
  guard: Guard<RequestContext, Known>,
  handle: (subject: Subject, visit: Known) => Promise<Answer>,
  subject: Subject,
): Answering {
  return async (screen, visit) => {
    const verdict = await guard(screen, visit);
    return verdict.kind === 'passed' ? await handle(subject, verdict.visit) : verdict;
  };
}
