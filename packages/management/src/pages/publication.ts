import {
  type ChangeRequest,
  type Conflict,
  type Generation,
  isFault,
  type Manifest,
  type Publication,
  parseRoleId,
  type Refusal,
  type RoleId,
  type UpdateOutcome,
} from '@pinfold/core';
import { nameUrl, sharedUrl } from '@pinfold/http';
import { html, loopTurns } from '@pinfold/http/internal';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { publicationName, type RefusedBecause, shownPublication } from '../publication.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { queryText } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import type { Flash } from '../response/flash.ts';
import { notFound, refuse } from '../response/refuse.ts';
import { factsCard, lifetimeCard, linkCard, NO_RENEWAL, stopCard } from '../views/detail-cards.ts';
import { type FieldTrouble, passwordCard, titleCard } from '../views/detail-forms.ts';
import { filesCard } from '../views/files.ts';
import { icon } from '../views/icons.ts';
import { layout } from '../views/layout.ts';
import { backLink, columns, heading, marks, stateBadge } from '../views/parts.ts';
import { leaveView } from '../views/trouble.ts';
import { viewsCard } from '../views/views.ts';
import { historyCard } from './history.ts';
import { nameCard } from './names.ts';

export function invalidText(
  { words }: SignedInContext,
  refusal: Refusal<'invalid_title' | 'invalid_password'>,
): string {
  const values = { ...refusal };
  return refusal.code === 'invalid_title'
    ? words.say(`title_${refusal.rule}`, values)
    : words.say(`password_${refusal.rule}`, values);
}

type Handler = (visit: SignedInContext) => Promise<Answer>;

const changing =
  (
    command: (useCases: Screen['useCases'], request: ChangeRequest) => Promise<UpdateOutcome>,
    done: MessageId,
  ): Handler =>
  (visit) =>
    change(visit, (request) => command(visit.screen.useCases, request), done);

export const stop: Handler = changing((useCases, request) => useCases.stop(request), 'didStop');
export const pin: Handler = changing((useCases, request) => useCases.pin(request), 'didPin');
export const unpin: Handler = changing((useCases, request) => useCases.unpin(request), 'didUnpin');
export const renew: Handler = changing(
  (useCases, request) => useCases.update(request, { type: 'reset_expiration' }),
  'didRenew',
);

export async function rename(visit: SignedInContext): Promise<Answer> {
  const { updateSeen } = visit.screen.useCases;
  const title = fieldOf(visit, 'title') ?? '';
  const seen = { title: fieldOf(visit, 'seen') || null };
  const command = (request: ChangeRequest) => updateSeen(request, { type: 'set_title', title }, seen);
  return await change(visit, command, title === '' ? 'didClearTitle' : 'didRename', title);
}

/** Sets, changes or removes the password, unless viewers were cut off since the form was made. */
export async function setPassword(visit: SignedInContext): Promise<Answer> {
  const { updateSeen, limits } = visit.screen.useCases;
  const removes = fieldOf(visit, 'remove') === 'yes';
  const password = removes ? null : (fieldOf(visit, 'password') ?? '');
  if (password === '') {
    const message = visit.words.say('password_too_short', { limit: limits.passwordMinCharacters });
    const answer = await showPublication(visit, { field: 'new-password', message });
    return logged(answer, { outcome: 'invalid_password' });
  }
  const generation = generationOf(fieldOf(visit, 'seen') ?? '');
  if (generation === undefined) return refuse(visit, 400, 'badFormTitle', 'badFormText');
  const command = (request: ChangeRequest) =>
    updateSeen(request, { type: 'set_password', password }, { generation });
  return await change(visit, command, removes ? 'didRemovePassword' : 'didSetPassword');
}

export async function showPublication(visit: SignedInContext, trouble?: FieldTrouble): Promise<Answer> {
  const { account, signal, screen } = visit;
  return await screen.pageTurns.run(account, signal, () => publicationPage(visit, trouble));
}

async function publicationPage(visit: SignedInContext, trouble: FieldTrouble | undefined): Promise<Answer> {
  const { words, base, account, signal, screen } = visit;
  const found = await readOwn(visit);
  if (found === undefined) return notFound(visit);
  const publication = shownPublication(found, visit);
  const { id, name, state } = publication;
  const limits = await screen.useCases.limitsOf(account);
  const hasNames = visit.offers.names && state === 'published';
  const days = await screen.views?.of(id);
  const manifest = await manifestOf(screen, found, signal);
  const main = html`${backLink(`${base}/`, words.say('backToList'))}
${trouble && html`<div class="said bad" role="alert">${icon('bad')}<p><a href="#${trouble.field}">${trouble.message}</a></p></div>`}
${heading(name, html`<p class="head-state">${stateBadge(visit, publication)}${marks(visit, publication)}</p>`)}
${columns(
  html`${linkCard(visit, publication)}
${lifetimeCard(visit, publication, limits)}
${passwordCard(visit, publication, limits, trouble)}
${titleCard(visit, publication, limits, trouble)}
${hasNames ? await nameCard(visit, id) : undefined}
${stopCard(visit, publication)}`,
  html`${factsCard(visit, publication, manifest !== undefined)}
${days && viewsCard(visit, publication, days)}
${await historyCard(visit, id)}
${filesCard(visit, publication, manifest, Number(visit.request.query.files))}`,
)}`;
  return page(layout(visit, { title: name, signedIn: visit, main }), trouble === undefined ? 200 : 422);
}

async function change(
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
  const answer = await refuseChange(visit, id, outcome, done, title);
  return logged(answer, { outcome: outcome.kind === 'refused' ? outcome.code : outcome.kind });
}

function refuseChange(
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
    return showPublication(visit, { field: 'title', value: title, message });
  }
  switch (outcome.code) {
    case 'invalid_state':
      return seeOther(pathOf(visit, id), refusal(outcome.state, tried));
    case 'invalid_title':
      return showPublication(visit, {
        field: 'title',
        message: invalidText(visit, outcome),
        value: title ?? '',
      });
    case 'invalid_password':
      return showPublication(visit, { field: 'new-password', message: invalidText(visit, outcome) });
    default:
      return refuseAnyChange(visit, outcome);
  }
}

export async function openSite(visit: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, signal, screen } = visit;
  const id = idOf(visit);
  if (id === undefined || screen.createGrant === undefined) return notFound(visit);
  const outcome = await screen.createGrant({ by, id, cause, credential, signal });
  // A page, because a form may not be redirected to another origin.
  if (outcome.kind === 'created') return page(leaveView(visit, outcome.url));
  const log = { outcome: outcome.code };
  switch (outcome.code) {
    case 'forbidden':
      return logged(refuse(visit, 403, 'openForbiddenTitle', 'forbidden_viewing'), log);
    case 'invalid_state':
      return logged(seeOther(pathOf(visit, id), { tone: 'bad', message: 'state_expired_viewing' }), log);
    default:
      return refuseAnyChange(visit, outcome);
  }
}

export async function showCode(visit: SignedInContext): Promise<Answer> {
  const { account, signal, screen } = visit;
  const publication = await readOwn(visit);
  if (publication === undefined) return notFound(visit);
  // Loaded here: a start does not need it.
  const { encodeQR } = await import('qr');
  return await screen.pageTurns.run(account, signal, async () => ({
    kind: 'picture',
    status: 200,
    svg: encodeQR(await linkFor(visit, publication), 'svg'),
  }));
}

/** The shared URL, or that of the name in the query. */
async function linkFor(visit: SignedInContext, { id }: Publication): Promise<string> {
  const { account: by, screen } = visit;
  const name = queryText(visit, 'name');
  const found = name === '' ? undefined : await screen.useCases.names?.get({ by, name });
  return found?.kind === 'found' ? nameUrl(screen.publicUrl, found.name) : sharedUrl(screen.publicUrl, id);
}

export async function readOwn(visit: SignedInContext): Promise<Publication | undefined> {
  const { account: by, signal, screen } = visit;
  const id = idOf(visit);
  if (id === undefined) return undefined;
  const found = await screen.useCases.read({ by, id, signal });
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

export function pathOf({ base }: SignedInContext, id: RoleId): string {
  return `${base}/publications/${id}`;
}

function backTo(visit: SignedInContext, id: RoleId): string {
  const { referer } = visit.request.headers;
  const from = referer !== undefined && URL.canParse(referer) ? new URL(referer) : undefined;
  const isList = from?.pathname === `${visit.base}/` || from?.pathname === visit.base;
  return isList ? `${visit.base}/${from?.search ?? ''}` : pathOf(visit, id);
}

function idOf({ request }: SignedInContext): RoleId | undefined {
  return parseRoleId(String(request.params.id));
}

function valuesOf({ words }: SignedInContext, publication: Publication): Values {
  const { expiresAt } = publication;
  return {
    name: publicationName(publication),
    moment: expiresAt === null ? '' : words.moment(expiresAt),
  };
}

export function refusal(reason: RefusedBecause, tried: MessageId): Flash {
  if (tried === 'didRenew') return { tone: 'bad', message: NO_RENEWAL[reason] };
  return { tone: 'bad', message: reason === 'deleted' ? 'state_deleted' : 'state_expired' };
}

function generationOf(text: string): Generation | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as Generation) : undefined;
}
