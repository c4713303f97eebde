import {
  type ChangeRequest,
  type Conflict,
  type Generation,
  isFault,
  type Manifest,
  type PasswordRules,
  type Publication,
  parseRoleId,
  type RoleId,
  type TitleRules,
  type UpdateOutcome,
} from '@pinfold/core';
import { sharedUrl } from '@pinfold/http';
import { loopTurns } from '@pinfold/http/internal';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { type RefusedBecause, shownPublication } from '../publication.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import type { Flash } from '../response/flash.ts';
import { notFound, refuse } from '../response/refuse.ts';
import { type DetailModel, detailView, type FieldTrouble } from '../views/detail.ts';
import { NO_RENEWAL } from '../views/detail-cards.ts';
import { filesCard } from '../views/files.ts';
import { stopView } from '../views/stop.ts';
import { leaveView } from '../views/trouble.ts';
import { namesOf } from './history.ts';
import { namesShowing } from './names.ts';

export const PASSWORD_MESSAGES: Readonly<Record<keyof PasswordRules, MessageId>> = {
  type: 'passwordOdd',
  encoding: 'passwordOdd',
  too_short: 'passwordTooShort',
  too_long: 'passwordTooLong',
};
export const TITLE_MESSAGES: Readonly<Record<keyof TitleRules, MessageId>> = {
  type: 'titleOdd',
  encoding: 'titleOdd',
  too_long: 'titleTooLong',
  control_character: 'titleControl',
};

const SHOWN_EVENTS = 10;

export async function askToStop(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const found = await read(screen, visit);
  if (found === undefined) return notFound(visit);
  const publication = shownPublication(found, visit);
  return publication.refusal('stop') === undefined
    ? page(stopView(visit, publication))
    : seeOther(pathOf(visit, publication.id), refusal('deleted', 'didStop'));
}

export async function stop(screen: Screen, visit: SignedInContext): Promise<Answer> {
  return change(screen, visit, (request) => screen.useCases.stop(request), 'didStop');
}

/** Pins, or the opposite. */
export const pinning =
  (action: 'pin' | 'unpin') =>
  (screen: Screen, visit: SignedInContext): Promise<Answer> =>
    change(
      screen,
      visit,
      (request) => screen.useCases[action](request),
      action === 'pin' ? 'didPin' : 'didUnpin',
    );

export async function renew(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const { update } = screen.useCases;
  return change(screen, visit, (request) => update(request, { type: 'reset_expiration' }), 'didRenew');
}

/** Renames a publication, unless its title has changed since the form was made. */
export async function rename(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const { updateSeen } = screen.useCases;
  const title = fieldOf(visit, 'title') ?? '';
  const seen = { title: fieldOf(visit, 'seen') || null };
  const command = (request: ChangeRequest) => updateSeen(request, { type: 'set_title', title }, seen);
  return await change(screen, visit, command, title === '' ? 'didClearTitle' : 'didRename', title);
}

/** Sets, changes or removes the password, unless viewers were cut off since the form was made. */
export async function setPassword(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const { updateSeen, limits } = screen.useCases;
  const removes = fieldOf(visit, 'remove') === 'yes';
  const password = removes ? null : (fieldOf(visit, 'password') ?? '');
  if (password === '') {
    const message = visit.words.say('passwordTooShort', { limit: limits.passwordMinCharacters });
    const answer = await showPublication(screen, visit, { field: 'password', message });
    return logged(answer, { outcome: 'invalid_password' });
  }
  const generation = generationOf(fieldOf(visit, 'seen') ?? '');
  if (generation === undefined) return refuse(visit, 400, 'badFormTitle', 'badFormText');
  const command = (request: ChangeRequest) =>
    updateSeen(request, { type: 'set_password', password }, { generation });
  return await change(screen, visit, command, removes ? 'didRemovePassword' : 'didSetPassword');
}

/** Shows a publication, and what was wrong with a field of a form. */
export async function showPublication(
  screen: Screen,
  visit: SignedInContext,
  trouble?: FieldTrouble,
): Promise<Answer> {
  const { pageTurns } = screen;
  return await pageTurns.run(visit.account, visit.signal, () => publicationPage(screen, visit, trouble));
}

async function publicationPage(
  screen: Screen,
  visit: SignedInContext,
  trouble: FieldTrouble | undefined,
): Promise<Answer> {
  const found = await read(screen, visit);
  if (found === undefined) return notFound(visit);
  const manifest = await manifestOf(screen, found, visit.signal);
  const publication = shownPublication(found, visit);
  const limits = await screen.useCases.limitsOf(visit.account);
  return page(
    detailView(visit, {
      publication,
      limits,
      files: filesCard(visit, publication, manifest, Number(visit.request.query.files)),
      trouble,
      history: await latestOf(screen, visit, found.id),
      names: await namesShowing(screen, visit, found.id),
      views: await screen.views?.of(found.id),
    }),
    trouble === undefined ? 200 : 422,
  );
}

async function latestOf(
  screen: Screen,
  visit: SignedInContext,
  pin: RoleId,
): Promise<DetailModel['history']> {
  const listed = await screen.history?.list({ by: visit.account, pin, limit: SHOWN_EVENTS });
  if (listed?.kind !== 'page') return undefined;
  const { events, next } = listed;
  return { events, next, names: await namesOf(screen, visit, events) };
}

async function change(
  screen: Screen,
  visit: SignedInContext,
  command: (request: ChangeRequest) => Promise<UpdateOutcome | Conflict>,
  done: MessageId,
  title?: string,
): Promise<Answer> {
  const id = idOf(visit);
  if (id === undefined) return notFound(visit);
  const { account: by, cause, credential, signal } = visit;
  const outcome = await command({ by, id, cause, credential, signal });
  if (outcome.kind === 'changed') {
    const values = valuesOf(visit, outcome.publication);
    return seeOther(backTo(visit, id), { tone: 'good', message: done, values });
  }
  const answer = await refuseChange(screen, visit, id, outcome, done, title);
  return logged(answer, { outcome: outcome.kind === 'refused' ? outcome.code : outcome.kind });
}

function refuseChange(
  screen: Screen,
  visit: SignedInContext,
  id: RoleId,
  outcome: Exclude<UpdateOutcome | Conflict, { kind: 'changed' }>,
  tried: MessageId,
  title: string | undefined,
): Promise<Answer> | Answer {
  const { words } = visit;
  if (outcome.kind === 'overtaken') {
    if (title === undefined) return seeOther(pathOf(visit, id), { tone: 'bad', message: 'overtaken' });
    const message = words.say('titleOvertaken', { title: outcome.publication.title ?? words.say('noTitle') });
    return showPublication(screen, visit, { field: 'title', value: title, message });
  }
  switch (outcome.code) {
    case 'invalid_state':
      return seeOther(pathOf(visit, id), refusal(outcome.state, tried));
    case 'invalid_title': {
      const message = words.say(TITLE_MESSAGES[outcome.rule], { ...outcome });
      return showPublication(screen, visit, { field: 'title', message, value: title ?? '' });
    }
    case 'invalid_password': {
      const message = words.say(PASSWORD_MESSAGES[outcome.rule], { ...outcome });
      return showPublication(screen, visit, { field: 'password', message });
    }
    default:
      return refuseAnyChange(screen, visit, outcome);
  }
}

/** Opens a protected site for its owner, without the password. */
export async function openSite(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const id = idOf(visit);
  if (id === undefined || screen.createGrant === undefined) return notFound(visit);
  const { account: by, cause, credential, signal } = visit;
  const outcome = await screen.createGrant({ by, id, cause, credential, signal });
  // A page, because a form may not be redirected to another origin.
  if (outcome.kind === 'created') return page(leaveView(visit, outcome.url));
  const log = { outcome: outcome.code };
  switch (outcome.code) {
    case 'forbidden':
      return logged(refuse(visit, 403, 'openForbiddenTitle', 'openForbiddenText'), log);
    case 'invalid_state':
      return logged(seeOther(pathOf(visit, id), refusal(outcome.state, 'didPin')), log);
    default:
      return refuseAnyChange(screen, visit, outcome);
  }
}

export async function showCode(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const publication = await read(screen, visit);
  if (publication === undefined) return notFound(visit);
  // Loaded here: a start does not need it.
  const { encodeQR } = await import('qr');
  return await screen.pageTurns.run(visit.account, visit.signal, async () => ({
    kind: 'picture',
    svg: encodeQR(sharedUrl(screen.publicUrl, publication.id), 'svg'),
  }));
}

/** The publication of the address, if it belongs to this account. */
async function read(screen: Screen, visit: SignedInContext): Promise<Publication | undefined> {
  const id = idOf(visit);
  if (id === undefined) return undefined;
  const found = await screen.useCases.read({ by: visit.account, id, signal: visit.signal });
  return found.kind === 'found' ? found.publication : undefined;
}

/** `undefined` if storage lost the files: the owner must still be able to stop the publication. */
async function manifestOf(
  { useCases, manifests }: Screen,
  publication: Publication,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  const cached = publication.state === 'published' ? manifests.get(publication.id) : undefined;
  if (cached !== undefined) return cached;
  try {
    const opened = await useCases.open.manifest(publication, signal);
    if (opened.kind !== 'manifest') return undefined;
    // To read thousands of names takes some milliseconds by itself.
    await loopTurns.wait();
    manifests.set(publication.id, opened.manifest);
    return opened.manifest;
  } catch (error) {
    if (isFault(error) && error.code === 'archive_missing') return undefined;
    throw error;
  }
}

function pathOf({ base }: SignedInContext, id: RoleId): string {
  return `${base}/publications/${id}`;
}

/** The page with the form: the list, or the publication's own. */
function backTo(visit: SignedInContext, id: RoleId): string {
  const { referer } = visit.request.headers;
  const from = referer !== undefined && URL.canParse(referer) ? new URL(referer) : undefined;
  const isList = from?.pathname === `${visit.base}/` || from?.pathname === visit.base;
  return isList ? `${visit.base}/${from?.search ?? ''}` : pathOf(visit, id);
}

function idOf({ request }: SignedInContext): RoleId | undefined {
  return parseRoleId(String(request.params.id));
}

function valuesOf({ words }: SignedInContext, { title, originalFilename, expiresAt }: Publication): Values {
  return { name: title ?? originalFilename, moment: expiresAt === null ? '' : words.moment(expiresAt) };
}

function refusal(reason: RefusedBecause, tried: MessageId): Flash {
  if (tried === 'didRenew') return { tone: 'bad', message: NO_RENEWAL[reason] };
  return { tone: 'bad', message: reason === 'deleted' ? 'alreadyStopped' : 'alreadyExpired' };
}

function generationOf(text: string): Generation | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as Generation) : undefined;
}
