import {
  type Inadmissible,
  type Limits,
  minutes,
  type Publication,
  type PublishOutcome,
  type Refusal,
  type StagedArchive,
  seconds,
} from '@pinfold/core';
import { discardQuietly } from '@pinfold/core/internal';
import { nameUrl, sharedUrl } from '@pinfold/http';
import {
  hashOnly,
  type ReceiveFile,
  type ReceiveFormOptions,
  receiveForm,
  receiveInto,
} from '@pinfold/http/internal';
import type { PublishProblem } from '@pinfold/http/internal/texts';
import { problemList } from '../problem-lists.ts';
import { pathOf, publicationName, type SentPublication } from '../publication.ts';
import { refusalText } from '../quota-text.ts';
import { askToSignIn, checkCallerAgain, type Guard } from '../request/middleware.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, seeOther, withLog } from '../response/answer.ts';
import { duringMaintenance, refuse, wantsJson } from '../response/refuse.ts';
import { type UploadFields, UploadForm, type UploadRefusal } from '../upload-form.ts';
import { showList } from './list.ts';
import { invalidText } from './publication.ts';

/** A request with an archive; the handler publishes or discards it. */
interface ArchiveContext extends SignedInContext {
  readonly upload: UploadFields;
  readonly archive: StagedArchive;
}

interface Refused {
  readonly status: number;
  readonly kind: 'problems' | 'refused' | 'mismatch' | 'in_progress';
  readonly message: string;
  readonly problems?: readonly PublishProblem[];
}

/** Receives the form with the archive, then authenticates again. */
export const receiveArchive: Guard<SignedInContext, ArchiveContext> = async (context) => {
  const { screen } = context;
  const limits = await screen.useCases.limitsOf(context.account);
  const reader = new UploadForm(context.formToken, limits);
  const options = receiveOptions(context, limits, reader);
  const form = await screen.uploads.take(context.account, context.signal, (follow) =>
    receiveForm(context.request, reader, { ...options, follow }),
  );
  const archive = form.kind === 'received' ? form.archive : undefined;
  let isHandedOver = false;
  try {
    const refusal = await checkCallerAgain(context);
    if (refusal !== undefined) return refusal;
    if (form.kind === 'refused') return await refuseForm(context, form, limits);
    isHandedOver = true;
    return { ...context, upload: form.fields, archive: form.archive };
  } finally {
    if (!isHandedOver && archive !== undefined) await discardQuietly(archive);
  }
};

function receiveOptions(
  { account: by, screen }: SignedInContext,
  { archiveBytes }: Limits,
  form: UploadForm,
): ReceiveFormOptions {
  const { clock, findByKey, staging } = screen.useCases;
  const receive: ReceiveFile = async (file, limit) => {
    const { key } = form;
    // A complete key stays complete, so a repeated upload is only compared by its hash and need not be stored.
    const isRepeated = key !== undefined && (await findByKey({ by, key })) !== undefined;
    return await (isRepeated ? hashOnly : receiveInto(staging))(file, limit);
  };
  return { clock, receive, archiveBytes, idle: seconds(30), total: minutes(15) };
}

/** Publishes the upload of a form or of our script; answers the form with a redirect, and the script with JSON. */
export async function publish(context: ArchiveContext): Promise<Answer> {
  const { account: by, cause, credential, archive, screen } = context;
  const upload = { ...context.upload, name: context.upload.name || null };
  const outcome = await screen.useCases.publish({ by, ...upload, archive, cause, credential });
  if (outcome.kind === 'refused') {
    return outcome.code === 'unauthorized'
      ? askToSignIn(context)
      : await refuseUpload(context, outcome.code, describeRefusal(context, outcome));
  }
  const { publication, warnings, name: shownAt } = outcome;
  const { id } = publication;
  if (wantsJson(context)) {
    // After a replay, the name may show another publication by now.
    const isShown = shownAt?.pin === id;
    const name = isShown ? { name: shownAt.name, url: nameUrl(screen.publicUrl, shownAt) } : undefined;
    const body = { kind: outcome.kind, ...sentPublication(context, publication), warnings, name };
    return { kind: 'json', status: outcome.kind === 'published' ? 201 : 200, body };
  }
  return seeOther(pathOf(context, id), {
    tone: 'good',
    message: warnings.length === 0 ? 'didPublish' : 'didPublishWithWarnings',
    values: { name: publicationName(publication) },
    warnings,
  });
}

/** Cancels an upload of our script, and answers its outcome. */
export async function cancel(context: SignedInContext): Promise<Answer> {
  const { account: by, screen } = context;
  const outcome = await screen.useCases.cancel({ by, key: fieldOf(context, 'key') ?? '' });
  if (outcome.kind === 'refused') return refuse(context, 400, 'badFormTitle', 'badFormText');
  if (outcome.kind !== 'published') return { kind: 'json', status: 200, body: outcome };
  const { state } = outcome.publication;
  const body = { kind: 'published', ...sentPublication(context, outcome.publication), state };
  return { kind: 'json', status: 200, body };
}

function sentPublication({ screen }: SignedInContext, publication: Publication): SentPublication {
  const { id, expiresAt, passwordProtected } = publication;
  return { id, sharedUrl: sharedUrl(screen.publicUrl, id), expiresAt, passwordProtected };
}

async function refuseForm(
  context: SignedInContext,
  { status, title, texts, titleLengthRead = 0, fault }: UploadRefusal,
  { archiveBytes, titleCharacters }: Limits,
): Promise<Answer> {
  if (title !== undefined) {
    const log = fault === undefined ? {} : { error: new Error(fault) };
    return withLog(refuse(context, status, title, texts[0]), log);
  }
  const { messages } = context;
  const values = { limit: titleCharacters, actual: `${messages.number(titleLengthRead)}+` };
  const message = messages.join(texts.map((id) => messages.text(id, values)));
  if (status !== 413)
    return await refuseUpload(context, 'invalid_form', { status, kind: 'refused', message });
  const problems = [{ rule: 'archive_too_large', limit: archiveBytes }] as const;
  return await refuseUpload(context, 'archive_too_large', { status, kind: 'problems', message, problems });
}

async function refuseUpload(
  context: SignedInContext,
  outcome: string,
  { status, ...body }: Refused,
): Promise<Answer> {
  const log = { outcome };
  if (!wantsJson(context)) {
    const problems = body.problems && problemList(context.messages, body.problems);
    const publish = { summary: body.message, problems };
    return withLog(await showList(context, { status, publish }), log);
  }
  const answer = { kind: 'json', status, body, log } as const;
  if (outcome === 'read_only') return duringMaintenance(answer);
  return outcome === 'idempotency_in_progress' ? { ...answer, retryAfter: 1 } : answer;
}

function describeRefusal(
  context: SignedInContext,
  refusal: Exclude<Extract<PublishOutcome, Refusal>, { code: 'unauthorized' }>,
): Refused {
  const { messages } = context;
  switch (refusal.code) {
    case 'invalid_archive':
      return archiveProblems(context, refusal.problems);
    case 'archive_too_large':
      return archiveProblems(context, [{ rule: 'archive_too_large', limit: refusal.limit }], 413);
    case 'refused_by_host':
      return { status: 422, kind: 'refused', message: refusal.words[messages.language] ?? refusal.words.en };
    case 'account_blocked':
    case 'quota_exceeded':
    case 'rate_limited':
    case 'read_only':
      return { status: statusOf(refusal), kind: 'refused', message: refusalText(context, refusal) };
    case 'idempotency_mismatch':
      return { status: 409, kind: 'mismatch', message: messages.text('idempotency_mismatch_form') };
    case 'idempotency_in_progress':
      return { status: 409, kind: 'in_progress', message: messages.text('idempotency_in_progress') };
    case 'invalid_filename':
    case 'invalid_name':
      return { status: 422, kind: 'refused', message: messages.text(refusal.code) };
    case 'invalid_idempotency_key':
      return { status: 422, kind: 'refused', message: messages.text('badFormText') };
    case 'invalid_title':
    case 'invalid_password':
      return { status: 422, kind: 'refused', message: invalidText(context, refusal) };
    default:
      return refusal satisfies never;
  }
}

function archiveProblems(
  { messages }: SignedInContext,
  problems: readonly PublishProblem[],
  status = 422,
): Refused {
  return { status, kind: 'problems', message: messages.text('problemsTitle'), problems };
}

function statusOf({ code }: Inadmissible): number {
  if (code === 'read_only') return 503;
  return code === 'rate_limited' ? 429 : 403;
}
