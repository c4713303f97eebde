import {
  type ArchiveRefusal,
  type ChangeRequest,
  type Conflict,
  type Generation,
  isFault,
  type Manifest,
  type Publication,
  type Refusal,
  type RoleId,
  type UpdateOutcome,
} from '@pinfold/core';
import { nameUrl, sharedUrl } from '@pinfold/http';
import { archiveAnswer, html, loopTurns } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { idOf, pathOf, publicationName, type RefusedBecause, shownPublication } from '../publication.ts';
import { isStillSignedIn, refuseAnyChange } from '../request/middleware.ts';
import { queryText } from '../request/page-request.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, type Flash, page, seeOther, withLog } from '../response/answer.ts';
import { notFound, refuse } from '../response/refuse.ts';
import {
  type FieldError,
  factsCard,
  filesCard,
  lifetimeCard,
  linkCard,
  NO_RENEWAL,
  passwordCard,
  stopCard,
  titleCard,
  viewsCard,
} from '../views/detail-cards.ts';
import { layout, leaveView } from '../views/layout.ts';
import { backLink, columns, heading, icon, marks, stateBadge } from '../views/parts.ts';
import { historyCard } from './history.ts';
import { nameCard } from './names.ts';

type Handler = (context: SignedInContext) => Promise<Answer>;

const changing =
  (
    command: (useCases: Screen['useCases'], request: ChangeRequest) => Promise<UpdateOutcome>,
    done: MessageId,
  ): Handler =>
  (context) =>
    change(context, (request) => command(context.screen.useCases, request), done);

export const stop: Handler = changing((useCases, request) => useCases.stop(request), 'didStop');
export const pin: Handler = changing((useCases, request) => useCases.pin(request), 'didPin');
export const unpin: Handler = changing((useCases, request) => useCases.unpin(request), 'didUnpin');
export const renew: Handler = changing(
  (useCases, request) => useCases.update(request, { type: 'reset_expiration' }),
  'didRenew',
);

export async function rename(context: SignedInContext): Promise<Answer> {
  const { updateSeen } = context.screen.useCases;
  const title = fieldOf(context, 'title') ?? '';
  const seen = { title: fieldOf(context, 'seen') || null };
  const command = (request: ChangeRequest) => updateSeen(request, { type: 'set_title', title }, seen);
  return await change(context, command, title === '' ? 'didClearTitle' : 'didRename', title);
}

/** Sets, changes or removes the password, unless the publication's generation has changed since the form was made. */
export async function setPassword(context: SignedInContext): Promise<Answer> {
  const { updateSeen, limits } = context.screen.useCases;
  const removes = fieldOf(context, 'remove') === 'yes';
  const password = removes ? null : (fieldOf(context, 'password') ?? '');
  if (password === '') {
    const message = context.messages.text('password_too_short', { limit: limits.passwordMinCharacters });
    const answer = await showPublication(context, { field: 'new-password', message });
    return withLog(answer, { outcome: 'invalid_password' });
  }
  const generation = generationOf(fieldOf(context, 'seen') ?? '');
  if (generation === undefined) return refuse(context, 400, 'badFormTitle', 'badFormText');
  const command = (request: ChangeRequest) =>
    updateSeen(request, { type: 'set_password', password }, { generation });
  return await change(context, command, removes ? 'didRemovePassword' : 'didSetPassword');
}

export async function showPublication(context: SignedInContext, formError?: FieldError): Promise<Answer> {
  const { account, signal, screen } = context;
  return await screen.pageTurns.run(account, signal, () => publicationPage(context, formError));
}

async function publicationPage(context: SignedInContext, formError: FieldError | undefined): Promise<Answer> {
  const { messages, base, account, signal, screen } = context;
  const found = await readOwn(context);
  if (found === undefined) return notFound(context);
  const publication = shownPublication(found, context);
  const { id, name, state } = publication;
  const limits = await screen.useCases.limitsOf(account);
  const hasNames = screen.names !== undefined && state === 'published';
  const days = await screen.views?.of(id);
  const manifest = await manifestOf(screen, found, signal);
  const main = html`${backLink(`${base}/`, messages.text('backToList'))}
${formError && html`<div class="flash bad" role="alert">${icon('bad')}<p><a href="#${formError.field}">${formError.message}</a></p></div>`}
${heading(name, html`<p class="head-state">${stateBadge(context, publication)}${marks(context, publication)}</p>`)}
${columns(
  html`${linkCard(context, publication)}
${lifetimeCard(context, publication, limits)}
${passwordCard(context, publication, limits, formError)}
${titleCard(context, publication, limits, formError)}
${hasNames ? await nameCard(context, id) : undefined}
${stopCard(context, publication)}`,
  html`${factsCard(context, publication, manifest !== undefined)}
${days && viewsCard(context, publication, days)}
${await historyCard(context, id)}
${filesCard(context, publication, manifest, Number(context.query.files))}`,
)}`;
  return page(layout(context, { title: name, main }), formError === undefined ? 200 : 422);
}

/** Returns `undefined` if storage has lost the archive, so that the owner can still stop the publication. */
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
    // Yields to other requests: reading thousands of names takes some milliseconds.
    await loopTurns.wait();
    manifests.set(publication.id, opened.manifest);
    return opened.manifest;
  } catch (error) {
    if (isFault(error) && error.code === 'archive_missing') return undefined;
    throw error;
  }
}

async function change(
  context: SignedInContext,
  command: (request: ChangeRequest) => Promise<UpdateOutcome | Conflict>,
  done: MessageId,
  title?: string,
): Promise<Answer> {
  const id = idOf(context);
  if (id === undefined) return notFound(context);
  const { account: by, cause, credential, signal } = context;
  const outcome = await command({ by, id, cause, credential, signal });
  if (outcome.kind === 'changed') {
    const { expiresAt } = outcome.publication;
    const moment = expiresAt === null ? '' : context.messages.moment(expiresAt);
    const values = { name: publicationName(outcome.publication), moment };
    return seeOther(backTo(context, id), { tone: 'good', message: done, values });
  }
  const answer = await refuseChange(context, id, outcome, done, title);
  return withLog(answer, { outcome: outcome.kind === 'refused' ? outcome.code : outcome.kind });
}

function refuseChange(
  context: SignedInContext,
  id: RoleId,
  outcome: Exclude<UpdateOutcome | Conflict, { kind: 'changed' }>,
  tried: MessageId,
  title: string | undefined,
): Promise<Answer> | Answer {
  const { messages } = context;
  if (outcome.kind === 'overtaken') {
    if (title === undefined) return seeOther(pathOf(context, id), { tone: 'bad', message: 'overtaken' });
    const message = messages.text('titleOvertaken', {
      title: outcome.publication.title ?? messages.text('noTitle'),
    });
    return showPublication(context, { field: 'title', value: title, message });
  }
  switch (outcome.code) {
    case 'invalid_state':
      return seeOther(pathOf(context, id), refusalFlash(outcome.state, tried));
    case 'invalid_title':
    case 'invalid_password': {
      const field = outcome.code === 'invalid_title' ? 'title' : 'new-password';
      const error = { field, message: invalidText(context, outcome) } as const;
      return showPublication(context, title === undefined ? error : { ...error, value: title });
    }
    default:
      return refuseAnyChange(context, outcome);
  }
}

export function invalidText(
  { messages }: SignedInContext,
  refusal: Refusal<'invalid_title' | 'invalid_password'>,
): string {
  const values = { ...refusal };
  return refusal.code === 'invalid_title'
    ? messages.text(`title_${refusal.rule}`, values)
    : messages.text(`password_${refusal.rule}`, values);
}

export function refusalFlash(reason: RefusedBecause, tried: MessageId): Flash {
  if (tried === 'didRenew') return { tone: 'bad', message: NO_RENEWAL[reason] };
  return { tone: 'bad', message: reason === 'deleted' ? 'state_deleted' : 'state_expired' };
}

function backTo(context: SignedInContext, id: RoleId): string {
  const { referer } = context.request.headers;
  const from = referer !== undefined && URL.canParse(referer) ? new URL(referer) : undefined;
  const isList = from?.pathname === `${context.base}/` || from?.pathname === context.base;
  return isList ? `${context.base}/${from?.search ?? ''}` : pathOf(context, id);
}

function generationOf(text: string): Generation | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? (Number(text) as Generation) : undefined;
}

export async function openSite(context: SignedInContext): Promise<Answer> {
  const { account: by, cause, credential, signal, screen } = context;
  const id = idOf(context);
  if (id === undefined || screen.createGrant === undefined) return notFound(context);
  const outcome = await screen.createGrant({ by, id, cause, credential, signal });
  // A page, because browsers block the redirect of a form to another origin (`form-action 'self'`).
  if (outcome.kind === 'created') return page(leaveView(context, outcome.url));
  switch (outcome.code) {
    case 'forbidden':
      return refuseViewing(context);
    case 'invalid_state':
      return backWithError(context, id, 'state_expired_viewing', outcome.code);
    default:
      return refuseAnyChange(context, outcome);
  }
}

export async function showCode(context: SignedInContext): Promise<Answer> {
  const { account, signal, screen } = context;
  const publication = await readOwn(context);
  if (publication === undefined) return notFound(context);
  // Loaded on first use, for a faster start.
  const { encodeQR } = await import('qr');
  return await screen.pageTurns.run(account, signal, async () => {
    const bytes = Buffer.from(encodeQR(await linkFor(context, publication), 'svg'));
    const headers = { 'Content-Type': 'image/svg+xml; charset=utf-8' };
    return { kind: 'file', status: 200, answer: { status: 200, headers, bytes } };
  });
}

/** Returns the URL of the name in the query, or else the shared URL. */
async function linkFor(context: SignedInContext, { id }: Publication): Promise<string> {
  const { account: by, screen } = context;
  const name = queryText(context, 'name');
  const found = name === '' ? undefined : await screen.names?.get({ by, name });
  return found?.kind === 'found' ? nameUrl(screen.publicUrl, found.name) : sharedUrl(screen.publicUrl, id);
}

/** Sends the ZIP of a publication as it was uploaded. */
export async function downloadArchive(context: SignedIn<'openArchive'>): Promise<Answer> {
  const { account: by, request, response, signal, screen } = context;
  const id = idOf(context);
  if (id === undefined) return notFound(context);
  const opened = await screen.openArchive({ by, id, signal });
  if (opened.kind === 'refused') {
    return opened.code === 'forbidden' ? refuseViewing(context) : refuseArchive(context, id, opened);
  }
  const answer = await archiveAnswer(opened, {
    request,
    response,
    client: screen.clientAddress(request),
    signal,
    isStillAllowed: () => isStillSignedIn(context),
  });
  if ('code' in answer) return refuseArchive(context, id, answer);
  return { kind: 'file', status: answer.status, answer };
}

function refuseArchive(context: SignedInContext, id: RoleId, refusal: ArchiveRefusal): Answer {
  if (refusal.code === 'not_found') return notFound(context);
  const message: MessageId = refusal.state === 'deleted' ? 'state_deleted_archive' : 'state_archive_removed';
  return backWithError(context, id, message, refusal.code);
}

function refuseViewing(context: SignedInContext): Answer {
  return withLog(refuse(context, 403, 'openForbiddenTitle', 'forbidden_viewing'), { outcome: 'forbidden' });
}

function backWithError(context: SignedInContext, id: RoleId, message: MessageId, outcome: string): Answer {
  return withLog(seeOther(pathOf(context, id), { tone: 'bad', message }), { outcome });
}

export async function readOwn(context: SignedInContext): Promise<Publication | undefined> {
  const { account: by, signal, screen } = context;
  const id = idOf(context);
  if (id === undefined) return undefined;
  const found = await screen.useCases.read({ by, id, signal });
  return found.kind === 'found' ? found.publication : undefined;
}
